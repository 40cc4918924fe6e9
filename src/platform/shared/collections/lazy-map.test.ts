import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LazyMap } from "./lazy-map.ts";
import { LazySet } from "./lazy-set.ts";

describe("a lazy map", () => {
  it("behaves like a map, also after it was empty", () => {
    const map = new LazyMap<string, number>();
    assert.deepEqual([map.size, map.get("a"), map.has("a"), [...map.values()]], [0, undefined, false, []]);
    map.set("a", 1);
    map.set("b", 2);
    map.delete("a");
    assert.deepEqual([map.size, map.get("b"), map.has("a"), [...map.values()]], [1, 2, false, [2]]);
    map.delete("b");
    map.set("c", 3);
    assert.deepEqual([...map.values()], [3]);
    map.clear();
    assert.equal(map.size, 0);
  });

  it("can lose all entries while its values are read", () => {
    const map = new LazyMap<number, number>();
    for (const key of [1, 2]) map.set(key, key);
    for (const value of map.values()) map.delete(value);
    assert.equal(map.size, 0);
  });
});

describe("a lazy set", () => {
  it("behaves like a set, also after it was empty", () => {
    const set = new LazySet<string>();
    assert.deepEqual([set.has("a"), [...set]], [false, []]);
    set.add("a");
    set.add("b");
    for (const value of set) set.delete(value);
    assert.deepEqual([set.has("b"), [...set]], [false, []]);
    set.add("c");
    assert.deepEqual([...set], ["c"]);
    set.clear();
    assert.deepEqual([...set], []);
  });
});
