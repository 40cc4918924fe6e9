import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BoundedMap } from "./bounded-map.ts";

describe("a bounded map", () => {
  it("keeps the latest entries, at least one generation", () => {
    const map = new BoundedMap<number>(3);
    for (let at = 0; at < 100; at++) {
      map.set(`k${at}`, at);
      assert.ok(map.size <= 6, `${map.size} after ${at}`);
      for (let back = 0; back <= Math.min(3, at); back++) assert.equal(map.get(`k${at - back}`), at - back);
    }
    assert.equal(map.get("k0"), undefined);
  });

  it("returns the value that was set last, even if an older one is still stored", () => {
    const map = new BoundedMap<string>(2);
    map.set("a", "old");
    map.set("b", "");
    assert.ok(map.isFull);
    map.set("a", "new");
    assert.equal(map.get("a"), "new");
  });

  it("keeps only one generation after a turn", () => {
    const map = new BoundedMap<number>(10);
    map.set("a", 1);
    map.turn();
    map.set("b", 2);
    assert.deepEqual([map.get("a"), map.get("b")], [1, 2]);
    map.turn();
    assert.deepEqual([map.get("a"), map.get("b"), map.size], [undefined, 2, 1]);
  });
});
