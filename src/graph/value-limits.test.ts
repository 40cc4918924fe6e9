/** What a graph carries has limits, and each says what is too large, by how much, and what to do. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graph, worker } from "./definition.ts";
import { bench } from "./engine-bench.test.ts";
import { MAX_EVENT_BYTES, MAX_LOG_LENGTH, MAX_VALUE_BYTES, requireSize } from "./json-value.ts";

describe("limits of values", () => {
  it("a result that is too large fails its node at once, without another try", async () => {
    let calls = 0;
    const large = worker("large", { retry: { max: 5 } }, () => (calls++, "x".repeat(MAX_VALUE_BYTES)));
    const { engine, pass } = await bench({ graphs: [graph("one", (g) => g.node("large", large))] }, "memory:");
    const { snapshot } = await engine.start("one", null);
    await pass(0);
    const { status, error } = (await engine.snapshot(snapshot.graph_id)) ?? {};
    assert.deepEqual([status, calls], ["failed", 1]);
    assert.match(error?.message ?? "", /the result of "large" has 16777218 bytes of JSON; at most 16777216 are kept/i);
  });

  it("an input that is too large is refused, and nothing is started", async () => {
    const { engine } = await bench({ workers: [worker("work", () => 1)] }, "memory:");
    await assert.rejects(engine.start("work", "x".repeat(MAX_VALUE_BYTES)), { code: "SVC_TOO_LARGE" });
    assert.equal((await engine.list({})).total, 0);
  });

  it("data of an event that is too large is thrown at who emits it, and a long line of a log is cut", async () => {
    const talk = worker("talk", (_input: null, ctx) => {
      ctx.log("info", "y".repeat(MAX_LOG_LENGTH + 5));
      assert.throws(() => ctx.emit("film", "x".repeat(MAX_EVENT_BYTES)), /the data of "film" has 262146 bytes/);
      return 1;
    });
    const { engine, pass, store } = await bench({ workers: [talk] }, "memory:");
    const { snapshot } = await engine.start("talk", null);
    await pass(0);
    assert.equal((await engine.snapshot(snapshot.graph_id))?.result, 1);
    const line = (await store.graphs.events(snapshot.graph_id, 0)).find(({ type }) => type === "log");
    assert.deepEqual(line?.data, { level: "info", message: "y".repeat(MAX_LOG_LENGTH) });
  });

  it("counts bytes, not characters", () => {
    requireSize("ž".repeat(50), "it", 100);
    assert.throws(() => requireSize("ž".repeat(51), "it", 100), /it has 102 bytes/);
  });
});
