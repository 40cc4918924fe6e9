import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { atPointer, pointerTo } from "./json-pointer.ts";

describe("JSON pointers", () => {
  it("lead to the value they were created for, whatever characters its key contains", () => {
    const json = { "a/b": [{ "m~n": { "": 7 } }], "~1": "other" };
    const way = ["a/b", "0", "m~n", ""].reduce(pointerTo, "");
    assert.equal(way, "/a~1b/0/m~0n/");
    assert.equal(atPointer(json, way), 7);
    assert.equal(atPointer(json, pointerTo("", "~1")), "other");
    assert.equal(atPointer(json, ""), json);
  });

  it("lead nowhere for missing values and inherited properties", () => {
    for (const pointer of ["/b", "/a/2", "/a/length", "/constructor", "/a/0/b/c", "/t/0"])
      assert.equal(atPointer({ a: [null, 1], t: "text" }, pointer), undefined, pointer);
  });
});
