import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { toJson } from "./json-value.ts";

const why = (value: unknown): string => {
  try {
    toJson(value, "it", Infinity);
    return "kept";
  } catch (error) {
    return (error as Error).message.replace(/, which.*/, "");
  }
};

describe("a value for JSON", () => {
  it("is stored as it will be read back", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(toJson(value, "it", Infinity), JSON.parse(JSON.stringify(value)));
      }),
    );
    assert.deepEqual(toJson({ a: undefined, b: Object.assign([], { length: 2 }) }, "it", Infinity), {
      b: [null, null],
    });
    assert.ok(Object.is(toJson(-0, "it", Infinity), 0));
  });

  it("is rejected with its path if JSON can't represent it", () => {
    const round: Record<string, unknown> = { a: [] };
    round["a"] = [{}, round];
    const shared = { x: 1 };
    assert.deepEqual(
      [Number.NaN, [1, [undefined]], { a: [{ b: 1n }] }, new Date(0), { m: new Map() }, () => 1, round].map(why),
      [
        "it is NaN",
        "it[1][0] is a undefined",
        "it.a[0].b is a bigint",
        "it is a Date",
        "it.m is a Map",
        "it is a function",
        "it.a[1] refers back to itself",
      ],
    );
    assert.equal(why([shared, shared, Object.create(null)]), "kept");
  });
});
