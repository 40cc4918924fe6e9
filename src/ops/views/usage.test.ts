import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GraphEvent, Json } from "../../graph.ts";
import { usageOf, usageText } from "./usage.ts";

const flash = (name: string, data: Json): GraphEvent => ({
  graphId: "g_1",
  seq: 1,
  type: "custom",
  timestampMs: 0,
  data: { name, data },
});

describe("what a run's calls of models came to", () => {
  it("is nothing where none was told of, however odd the events are", () => {
    const odd = [flash("ai.text", { text: "x" }), flash("ai.usage", null), flash("ai.usage", [1])];
    assert.equal(usageOf([...odd, { graphId: "g_1", seq: 2, type: "custom", timestampMs: 0 }]), undefined);
  });

  it("is summed over all calls, and costs only where a cost was told", () => {
    const call = { model: "small", prompt_tokens: 1000, completion_tokens: 40, total_tokens: 1040 };
    const usage = usageOf([flash("ai.usage", call), flash("ai.usage", { ...call, completion_tokens: "many" })]);
    assert.deepEqual(usage, { calls: 2, prompt: 2000, completion: 40, cost: undefined });
    assert.equal(usage && usageText(usage), "2,000 tokens in, 40 out");
    const paid = usageOf([flash("ai.usage", { ...call, cost: 0.1 }), flash("ai.usage", { ...call, cost: 0.2 })]);
    assert.equal(paid && usageText(paid), "2,000 tokens in, 80 out, cost 0.3");
  });
});
