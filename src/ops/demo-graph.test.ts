import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createEngine, openStore, SimulatedClock } from "../graph.ts";
import { DEMO_GRAPH, demoGraph } from "./demo-graph.ts";

describe("The demo graph", () => {
  it("completes with the total weight of its letters", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const [store, clock] = [await openStore("memory:"), new SimulatedClock()];
    const engine = createEngine({ store, clock, graphs: [demoGraph()] });
    const { snapshot } = await engine.start(DEMO_GRAPH, null);
    const now = async () => (await engine.snapshot(snapshot.graph_id)) ?? snapshot;
    for (let turn = 0; turn < 20 && (await now()).finished_ms === null; turn++) {
      t.mock.timers.tick(1000);
      await clock.advance(1000);
    }
    const end = await now();
    assert.deepEqual([end.status, end.result], ["done", { grams: 65 + 66 + 67 + 68 + 69 + 70 }]);
    await engine.close();
  });
});
