import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GraphEvent, Json } from "../../graph.ts";
import { usageOf, usageText } from "./usage.ts";

const event = (name: string, data: Json): GraphEvent => ({
  graphId: "g_1",
  seq: 1,
  type: "custom",
  timestampMs: 0,
  data: { name, data },
});

describe("The model usage of a run", () => {
  it("is undefined without usage events, whatever the other events contain", () => {
    const odd = [event("ai.text", { text: "x" }), event("ai.usage", null), event("ai.usage", [1])];
    assert.equal(usageOf([...odd, { graphId: "g_1", seq: 2, type: "custom", timestampMs: 0 }]), undefined);
  });

  it("is summed over all calls, with a cost only if one was reported", () => {
    const call = { model: "small", prompt_tokens: 1000, completion_tokens: 40, total_tokens: 1040 };
    const usage = usageOf([event("ai.usage", call), event("ai.usage", { ...call, completion_tokens: "many" })]);
    assert.deepEqual(usage, { calls: 2, prompt: 2000, completion: 40, cost: undefined });
    assert.equal(usage && usageText(usage), "2,000 tokens in, 40 out");
    const paid = usageOf([event("ai.usage", { ...call, cost: 0.1 }), event("ai.usage", { ...call, cost: 0.2 })]);
    assert.equal(paid && usageText(paid), "2,000 tokens in, 80 out, cost 0.3");
  });
});
