import assert from "node:assert/strict";
import { it } from "node:test";
import { decode, encode } from "./remote-call-messages.ts";

it("messages of calls keep bytes, times and undefined values, and do not change values that look like their encoding", () => {
  const through = (value: unknown): unknown => decode(encode(value));
  for (const value of [
    { a: [1, "x", null, { $bytes: "AQ==" }], b: { $date: 5, c: 1 } },
    { $own: ["k", 1] },
    { $none: 1 },
    { $date: { $date: 5 } },
    { value: null },
  ])
    assert.deepEqual(through(value), value);
  const at = new Date(1000);
  assert.deepEqual(through({ args: [at, new Uint8Array([1, 2])] }), { args: [at, Buffer.from([1, 2])] });
  const [first, second] = through(["a", undefined]) as unknown[];
  assert.deepEqual([first, second], ["a", undefined]);
});
