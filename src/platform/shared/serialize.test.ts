import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { deserialize } from "./deserialize.ts";
import type { Json } from "./json.ts";
import { isPlainJson, serialize, SerializeError } from "./serialize.ts";

const roundTrip = (value: unknown): unknown => deserialize(JSON.parse(JSON.stringify(serialize(value))) as Json);

describe("serialization", () => {
  it("restores every supported kind of value", () => {
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
      new Float64Array([NaN, -0, -Infinity, 1e300]),
      new Uint8Array(),
      new Map([[{ key: 1 }, [undefined]]]),
      [undefined, [null]],
      { a: { b: [] } },
    ];
    for (const value of values) assert.deepEqual(roundTrip(value), value);
    // Invalid dates equal no date.
    assert.equal(String(roundTrip(new Date(NaN))), "Invalid Date");
    const error = roundTrip(new TypeError("no")) as Error;
    assert.deepEqual([error instanceof Error, error.name, error.message], [true, "TypeError", "no"]);
  });

  it("keeps shared references and cycles", () => {
    const shared = { n: 1 };
    const value: Record<string, unknown> = { left: shared, right: shared };
    value["self"] = value;
    const back = roundTrip(value) as Record<string, unknown>;
    assert.equal(back["left"], back["right"]);
    assert.equal(back["self"], back);
  });

  it("keeps cycles through every container", () => {
    const map = new Map<unknown, unknown>();
    const set = new Set<unknown>([map]);
    const list: unknown[] = [set];
    map.set(list, map);
    const back = roundTrip(map) as typeof map;
    const [[key, value]] = [...back] as [[[Set<unknown>], unknown]];
    assert.equal(value, back);
    assert.equal([...key[0]][0], back);
  });

  it("normalizes sparse arrays and objects without prototype", () => {
    // eslint-disable-next-line no-sparse-arrays -- the test needs one
    assert.deepEqual(roundTrip([1, , 2]), [1, undefined, 2]);
    assert.deepEqual(roundTrip(Object.assign(Object.create(null), { a: undefined })), { a: undefined });
  });

  it("keeps __proto__ as a key and touches no prototype", () => {
    const back = roundTrip(JSON.parse(`{"__proto__":{"polluted":true}}`)) as object;
    assert.deepEqual(Object.keys(back), ["__proto__"]);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

  it("rejects unsupported values, with their path", () => {
    class Socket {}
    for (const [value, path] of [
      [{ a: [() => 1] }, ".a[0]"],
      [{ s: Symbol("x") }, ".s"],
      [new Socket(), ""],
      [{ p: Promise.resolve() }, ".p"],
      [new Map([["k", () => 1]]), ".get(k)"],
      [new Map([[Object.create(null), Symbol("x")]]), ".get(…)"],
      [new Set([Symbol("x")]), ".item"],
      [{ big: new BigInt64Array(1) }, ".big"],
      [{ view: new DataView(new ArrayBuffer(1)) }, ".view"],
      [new ArrayBuffer(1), ""],
      [new WeakMap(), ""],
      [{ boxed: Object("x") }, ".boxed"],
    ] as const) {
      assert.throws(
        () => serialize(value),
        (error: SerializeError) => error instanceof SerializeError && error.path === path,
      );
    }
  });

  it("restores any JSON value and supported type unchanged", () => {
    const simple = [fc.boolean(), fc.integer(), fc.double(), fc.string({ unit: "binary" }), fc.bigInt()];
    // An invalid date equals no date, so none is generated.
    const dates = fc.date({ noInvalidDate: true });
    const values = [...simple, dates, fc.constantFrom(null, undefined, NaN, -0, Infinity)];
    const anything = fc.anything({ values, withMap: true, withSet: true });
    fc.assert(
      fc.property(anything, (value) => assert.deepEqual(roundTrip(value), value)),
      { numRuns: 500 },
    );
  });

  it("restores any typed array unchanged", () => {
    const arrays = fc.oneof(fc.float32Array(), fc.float64Array(), fc.int32Array(), fc.uint8ClampedArray());
    fc.assert(fc.property(arrays, (array) => assert.deepEqual(roundTrip({ array }), { array })));
  });

  it("refers to getters that the caller stores elsewhere", () => {
    const object = {
      get twice() {
        return this.n * 2;
      },
      n: 2,
    };
    function twice(this: typeof object): number {
      return this.n * 2;
    }
    const entries = serialize(
      object,
      (value) => (value === twice ? 0 : undefined),
      (value) => (value === object ? { twice: twice as () => unknown } : undefined),
    );
    const restored = deserialize(entries, (index) => (index === 0 ? twice : undefined)) as typeof object;
    restored.n = 3;
    assert.equal(restored.twice, 6);
    assert.deepEqual(Object.keys(restored), ["twice", "n"]);
  });

  it("restores one part of a list while another is read", () => {
    const store = { names: ["a"] };
    const nested = { add: 1 };
    const entries = serialize([{ names: store.names, nested }, store], (value) => (value === nested ? 7 : undefined));
    const [, first, second] = (entries as [[string, number, number]])[0];
    const made: unknown[] = [];
    let found: unknown;
    const part = deserialize(entries, () => (found = deserialize(entries, undefined, made, second)), made, first);
    assert.equal((part as typeof store).names, (found as typeof store).names);
    assert.deepEqual(found, store);
  });

  it("recognizes values that plain JSON represents exactly", () => {
    const shared = {};
    for (const value of [null, "x", 0, [1, { a: [] }]]) assert.equal(isPlainJson(value), true);
    for (const value of [undefined, NaN, -0, [undefined], new Date(0), { f: () => 1 }, [shared, shared], 1n])
      assert.equal(isPlainJson(value), false);
  });
});
