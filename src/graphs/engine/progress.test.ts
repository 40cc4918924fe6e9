/** Progress of a run, as its workers report it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import { graphRow } from "../../storage/contract/sample-rows.testkit.ts";
import { graph, worker } from "../definition/definition.ts";
import { MAX_SUMMARY_LENGTH } from "../definition/summary.ts";
import { bench, PLACES } from "./engine.testkit.ts";
import { Machine } from "../machine/machine.ts";
import { firstNodes } from "../machine/node-rows.ts";

for (const url of PLACES) {
  describe(`progress on ${url}`, () => {
    it("ignores values that are not numbers, skips unchanged values, and cuts long notes", async () => {
      const reports = worker("reports", (_: Json, ctx) => {
        ctx.progress(Number.NaN, "done of none");
        for (let at = 0; at < 5; at++) ctx.progress(0, "begun");
        ctx.progress(1, "x".repeat(1_000_000));
      });
      const { engine, store } = await bench({ workers: [reports] }, url);
      const { snapshot } = await engine.start("reports", null);
      await engine.idle();
      const events = await engine.events(snapshot.graph_id);
      const reported = events.filter(({ type }) => type === "progress").map(({ data }) => data);
      assert.deepEqual(reported, [
        { value: 0, note: "begun" },
        { value: 1, note: `${"x".repeat(MAX_SUMMARY_LENGTH - 1)}…` },
      ]);
      await store.close();
    });
  });
}

describe("the progress of a run that has the maximum number of events", () => {
  it("is stored in its row, but not as an event", () => {
    const definition = graph("long", (g) =>
      g.node(
        "a",
        worker("a", () => 1),
      ),
    );
    const row = graphRow("g_1", { worker: "long", definition: definition.hash, phase: "running", status: "running" });
    const at = (lastSeq: number): Machine =>
      new Machine({ ...row }, firstNodes(row, definition), lastSeq, definition, () => []);
    const said = { progress: { value: 0.5 }, summary: "half way" };
    const last = at(99_999).progressEvents.progressed(said, 1);
    assert.deepEqual(
      last?.events?.map(({ type }) => type),
      ["progress", "summary"],
    );
    const transition = at(100_000).progressEvents.progressed(said, 1);
    assert.deepEqual([transition?.graph, transition?.events], [said, undefined]);
  });
});
