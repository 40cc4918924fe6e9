import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { deserialize } from "./deserialize.ts";
import type { Json } from "./json.ts";
import { isPlainJson, serialize, SerializeError } from "./serialize.ts";

const roundTrip = (value: unknown): unknown => deserialize(JSON.parse(JSON.stringify(serialize(value))) as Json);

describe("serialization", () => {
  it("brings back every kind of value", () => {
    const values = [
      undefined,
      null,
      true,
      "ž\u2028",
      1.5,
      NaN,
      Infinity,
      -Infinity,
      -0,
      10n ** 30n,
      new Date(5),
      new Map<unknown, unknown>([["a", new Set([1])]]),
      /a+/giu,
      new URL("https://example.com/x?y"),
      new Uint8Array([1, 255]),
      new Float32Array([1.5]),
      [undefined, [null]],
      { a: { b: [] } },
    ];
    for (const value of values) assert.deepEqual(roundTrip(value), value);
    const error = roundTrip(new TypeError("no")) as Error;
    assert.deepEqual([error instanceof Error, error.name, error.message], [true, "TypeError", "no"]);
  });

  it("keeps shared references shared and cycles closed", () => {
    const shared = { n: 1 };
    const value: Record<string, unknown> = { left: shared, right: shared };
    value["self"] = value;
    const back = roundTrip(value) as Record<string, unknown>;
    assert.equal(back["left"], back["right"]);
    assert.equal(back["self"], back);
  });

  it("keeps __proto__ a key and touches no prototype", () => {
    const back = roundTrip(JSON.parse(`{"__proto__":{"polluted":true}}`)) as object;
    assert.deepEqual(Object.keys(back), ["__proto__"]);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

  it("refuses what can't travel, and says where it is", () => {
    class Socket {}
    for (const [value, path] of [
      [{ a: [() => 1] }, ".a[0]"],
      [{ s: Symbol("x") }, ".s"],
      [new Socket(), ""],
      [{ p: Promise.resolve() }, ".p"],
    ] as const) {
      assert.throws(
        () => serialize(value),
        (error: SerializeError) => error instanceof SerializeError && error.path === path,
      );
    }
  });

  it("any value of JSON and more comes back equal", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: false,
      withSparseArray: false,
      withNullPrototype: false,
    });
    fc.assert(
      fc.property(anything, (value) => assert.deepEqual(roundTrip(value), value)),
      { numRuns: 500 },
    );
  });

  it("knows what plain JSON carries as it is", () => {
    const shared = {};
    for (const value of [null, "x", 0, [1, { a: [] }]]) assert.equal(isPlainJson(value), true);
    for (const value of [undefined, NaN, -0, [undefined], new Date(0), { f: () => 1 }, [shared, shared], 1n])
      assert.equal(isPlainJson(value), false);
  });
});
