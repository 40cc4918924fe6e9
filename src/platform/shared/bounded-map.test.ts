import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BoundedMap } from "./bounded-map.ts";

describe("a map of what was recent", () => {
  it("holds what came last, and as many before it as a generation has at the least", () => {
    const map = new BoundedMap<number>(3);
    for (let at = 0; at < 100; at++) {
      map.set(`k${at}`, at);
      assert.ok(map.size <= 6, `${map.size} after ${at}`);
      for (let back = 0; back <= Math.min(3, at); back++) assert.equal(map.get(`k${at - back}`), at - back);
    }
    assert.equal(map.get("k0"), undefined);
  });

  it("gives the value that was set last, also where an older one is there still", () => {
    const map = new BoundedMap<string>(2);
    map.set("a", "old");
    map.set("b", "");
    assert.ok(map.isFull);
    map.set("a", "new");
    assert.equal(map.get("a"), "new");
  });

  it("forgets all but one generation when it is turned", () => {
    const map = new BoundedMap<number>(10);
    map.set("a", 1);
    map.turn();
    map.set("b", 2);
    assert.deepEqual([map.get("a"), map.get("b")], [1, 2]);
    map.turn();
    assert.deepEqual([map.get("a"), map.get("b"), map.size], [undefined, 2, 1]);
  });
});
