/** Finished runs are kept for the configured time, and no longer. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { durationMs } from "../../platform/shared/clock.ts";
import { graph, worker } from "../definition/definition.ts";
import { bench, laterClock, STORES } from "./engine.testkit.ts";

const work = worker("work", () => 1);
const brief = graph("brief", (g) => g.node("work", work), { retention: "1h" });
const lasting = graph("lasting", (g) => g.node("work", work));
const held = worker("held", () => new Promise(() => undefined));

for (const url of STORES) {
  describe(`the retention of finished runs, on ${url}`, () => {
    it("follows the run's own time first, then the engine's, and never deletes active runs", async () => {
      const { engine, clock, pass, store } = await bench(
        { workers: [work, held], graphs: [brief, lasting], retention: "1d", outboxRows: () => [] },
        url,
        laterClock(),
      );
      await engine.recover();
      for (const name of ["brief", "lasting", "work"]) await engine.start(name, null);
      const { snapshot } = await engine.start("held", null);
      await untilDone(async () => (await store.graphs.countByStatus()).done === 3);
      const left = async (): Promise<string[]> => (await store.graphs.list({})).items.map((row) => row.worker).sort();
      const after = async (minutes: number, names: string[]): Promise<void> => {
        for (let at = 0; at < minutes; at += 10) await clock.advance(600_000);
        // A sweep that was still running when the time passed delays the next one.
        for (let rounds = 0; rounds < 30 && (await left()).length !== names.length; rounds++)
          await clock.advance(60_000);
        assert.deepEqual(await left(), names);
      };
      await after(30, ["brief", "held", "lasting", "work"]);
      await after(40, ["held", "lasting", "work"]);
      await after(23 * 60, ["held"]);
      await engine.cancel(snapshot.graph_id);
      await pass(0);
      await engine.close();
    });

    it("also applies to a child graph that is not listed in the app", async () => {
      const outer = graph("outer", (g) => g.node("sub", brief));
      const { engine, clock, store } = await bench({ graphs: [outer], outboxRows: () => [] }, url, laterClock());
      await engine.recover();
      await engine.start("outer", null);
      await untilDone(async () => (await store.graphs.countByStatus()).done === 2);
      const left = async (): Promise<string[]> => (await store.graphs.list({})).items.map((row) => row.worker).sort();
      for (let rounds = 0; rounds < 30 && (await left()).length > 1; rounds++) await clock.advance(600_000);
      assert.deepEqual(await left(), ["outer"]);
      await engine.close();
    });

    it("is unlimited by default, while purge deletes what it is asked for", async () => {
      const { engine, clock, pass } = await bench({ workers: [work], outboxRows: () => [] }, url, laterClock());
      await engine.recover();
      for (let at = 0; at < 250; at++) await engine.start("work", at, { tags: at < 5 ? ["first"] : [] });
      await pass(0);
      await clock.advance(durationMs("365d"));
      const finishedBeforeMs = clock.now();
      assert.equal(await engine.purge({ tag: "first", finishedBeforeMs }), 5);
      assert.equal(await engine.purge({ status: "failed", finishedBeforeMs }), 0);
      assert.equal(await engine.purge({ finishedBeforeMs }), 245);
      assert.equal((await engine.list({})).total, 0);
      await engine.close();
    });
  });
}

/** Waits for the end of a sweep that has begun. */
async function untilDone(holds: () => Promise<boolean>): Promise<void> {
  for (let readiness = 0; readiness < 10_000 && !(await holds()); readiness++)
    await new Promise((resolve) => setImmediate(resolve));
}
