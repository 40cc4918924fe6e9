import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import {
  defaultResultUrl,
  MAX_PAYLOAD_BYTES,
  payloadText,
  type PayloadSource,
  type WebhookPayload,
} from "./payload.ts";

const SOURCE: PayloadSource = {
  event: "graph.done",
  graphId: "g_01",
  worker: "audit",
  status: "done",
  timestampMs: 1_767_225_600_000,
  durationMs: 4200,
  result: { ok: true },
  error: undefined,
};

const payload = (change: Partial<PayloadSource>): WebhookPayload =>
  JSON.parse(payloadText({ ...SOURCE, ...change }, defaultResultUrl)) as WebhookPayload;

describe("a webhook payload", () => {
  it("has its keys in the order of the contract", () => {
    const text = payloadText(SOURCE, defaultResultUrl);
    assert.equal(
      text,
      '{"event":"graph.done","graph_id":"g_01","worker":"audit","status":"done","timestamp_ms":1767225600000,"duration_ms":4200,"result":{"ok":true}}',
    );
  });

  it("always has an object as result", () => {
    const cases: [Json | undefined, Json][] = [
      [undefined, {}],
      [null, { value: null }],
      [7, { value: 7 }],
      ["x", { value: "x" }],
      [[1, 2], { value: [1, 2] }],
      [{ a: 1 }, { a: 1 }],
    ];
    for (const [result, sent] of cases) assert.deepEqual(payload({ result }).result, sent);
  });

  it("has the error of a failed run as its last key, and no error for other runs", () => {
    const error = { message: "boom", reason: "error" as const, node: "parse" };
    const failed = payload({ event: "graph.failed", status: "failed", result: undefined, error });
    assert.deepEqual(failed.error, error);
    assert.equal(Object.keys(failed).at(-1), "error");
    assert.equal("error" in payload({ error }), false);
    assert.equal(
      "node" in (payload({ event: "graph.failed", error: { message: "", reason: "cancelled" } }).error ?? {}),
      false,
    );
  });

  it("contains durations in whole milliseconds", () => {
    assert.equal(payload({ durationMs: 12.7 }).duration_ms, 13);
  });

  it("over 256 KiB is sent without its result, and says where to get it", () => {
    const frame = Buffer.byteLength(payloadText({ ...SOURCE, result: "" }, defaultResultUrl));
    const fits = payload({ result: "x".repeat(MAX_PAYLOAD_BYTES - frame) });
    assert.equal(fits.result_url, undefined);
    const tooLarge = payload({ result: "x".repeat(MAX_PAYLOAD_BYTES - frame + 1) });
    assert.deepEqual(tooLarge.result, {});
    assert.match(tooLarge.result_url ?? "", /\/g_01$/);
    assert.equal(payload({ result: "é".repeat(MAX_PAYLOAD_BYTES / 2) }).result_url !== undefined, true, "counts bytes");
  });

  it("stays below the limit if the error message is large", () => {
    const error = { message: "x".repeat(MAX_PAYLOAD_BYTES), reason: "error" as const };
    const text = payloadText({ ...SOURCE, event: "graph.failed", error }, defaultResultUrl);
    assert.ok(Buffer.byteLength(text) < MAX_PAYLOAD_BYTES);
  });
});
