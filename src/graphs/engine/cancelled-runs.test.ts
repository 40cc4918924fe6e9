/** A cancelled run is failed on the wire, and has its own status in filters and counts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FinalError } from "../definition/final-error.ts";
import { worker } from "../definition/definition.ts";
import { bench, STORES } from "./engine.testkit.ts";

/** Ids of runs contain times, which other tests of this process may have moved ahead. */
const YEAR_MS = 365 * 24 * 3_600_000;

for (const url of STORES) {
  describe(`a cancelled run on ${url}`, () => {
    it("is found and counted as cancelled, not as failed, and is failed with its reason on the wire", async () => {
      const held = worker("held", {}, (_input, ctx) => ctx.sleep("1d"));
      const broken = worker("broken", {}, () => {
        throw new FinalError("no");
      });
      const { engine, store, clock } = await bench({ workers: [held, broken], outboxRows: () => [] }, url);
      const { snapshot } = await engine.start("held", null, { tags: ["red"] });
      const failed = (await engine.start("broken", null)).snapshot.graph_id;
      const id = snapshot.graph_id;
      await engine.idle();
      await engine.cancel(id);
      await engine.idle();

      const ids = async (query: Parameters<typeof engine.list>[0]): Promise<string[]> =>
        (await engine.list(query)).items.map((run) => run.graph_id);
      assert.deepEqual(await ids({ status: "cancelled" }), [id]);
      assert.deepEqual(await ids({ status: "cancelled", tag: "red" }), [id]);
      assert.deepEqual(await ids({ status: "failed" }), [failed]);
      const counts = await store.graphs.countByStatus();
      assert.deepEqual([counts.cancelled, counts.failed], [1, 1]);
      const shown = await engine.snapshot(id);
      assert.deepEqual([shown?.status, shown?.error?.reason], ["failed", "cancelled"]);
      assert.equal((await engine.events(id)).at(-1)?.type, "graph.failed");

      const { matched } = await engine.bulk("retry", { filter: { status: "failed" }, isDryRun: true });
      assert.equal(matched, 1, "a bulk retry of failed runs leaves cancelled ones alone");
      await engine.purge({ finishedBeforeMs: clock.now() + YEAR_MS, status: "cancelled" });
      assert.deepEqual(await ids({}), [failed]);
      await store.close();
    });
  });
}
