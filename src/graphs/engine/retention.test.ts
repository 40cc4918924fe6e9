/** Finished graphs are kept as long as was asked for, and no longer. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { durationMs, SimulatedClock } from "../../platform/shared/clock.ts";
import { graph, worker } from "../definition/definition.ts";
import { bench, STORES } from "./engine.testkit.ts";

const work = worker("work", () => 1);
const brief = graph("brief", (g) => g.node("work", work), { retention: "1h" });
const lasting = graph("lasting", (g) => g.node("work", work));
const held = worker("held", () => new Promise(() => undefined));

let days = 0;
/** Later than those of other tests in this process: ids never go back, and tell how old a graph may be. */
const laterClock = (): SimulatedClock => new SimulatedClock(Date.now() + durationMs(`${++days}d`));

for (const url of STORES) {
  describe(`retention, store ${url}`, () => {
    it("a graph goes when its own time is over, others by the engine's, those under way never", async () => {
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
        // A round that was still under way as time passed begins the next one late.
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

    it("is also that of a graph which stands for a node and is not listed", async () => {
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

    it("is no limit where none is set; purge takes away what it is asked for", async () => {
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

/** Lets a round that has begun come to its end. */
async function untilDone(holds: () => Promise<boolean>): Promise<void> {
  for (let readiness = 0; readiness < 10_000 && !(await holds()); readiness++)
    await new Promise((resolve) => setImmediate(resolve));
}
