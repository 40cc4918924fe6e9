import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { worker } from "./definition.ts";
import { bench, STORES, typesOf } from "./engine-bench.test.ts";

const echo = worker("echo", (input: unknown) => input);

for (const url of STORES) {
  describe(`control on ${url}`, () => {
    it("starts a graph that was paused and resumed before its time no earlier than that", async () => {
      const { engine, store, pass } = await bench({ workers: [echo] }, url);
      const { snapshot } = await engine.start("echo", 1, { delayMs: 60_000 });
      const id = snapshot.graph_id;
      await engine.pause(id);
      await pass(1_000);
      const resumed = await engine.resume(id);
      assert.deepEqual([resumed.status, resumed.phase], ["pending", "queued"]);
      await pass(58_000);
      assert.equal(engine.snapshot(id)?.status, "pending");
      await pass(1_000);
      assert.deepEqual(
        [engine.snapshot(id)?.status, engine.snapshot(id)?.started_ms],
        ["done", snapshot.created_ms + 60_000],
      );
      assert.deepEqual(typesOf(store.graphs.events(id, 0)).slice(0, 5), [
        "graph.queued",
        "graph.pausing",
        "graph.paused",
        "graph.resumed",
        "graph.started",
      ]);
    });

    it("starts a graph at its time after a crash in between", async () => {
      const here = await bench({ workers: [echo] }, url);
      const { snapshot } = await here.engine.start("echo", 1, { delayMs: 60_000 });
      const id = snapshot.graph_id;
      await here.engine.pause(id);
      await here.engine.resume(id);
      await here.crash();
      await here.pass(59_999);
      assert.equal(here.engine.snapshot(id)?.status, "pending");
      await here.pass(1);
      assert.equal(here.engine.snapshot(id)?.status, "done");
    });
  });
}
