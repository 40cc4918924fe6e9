import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextItem } from "./menu-keys.ts";

const NAMES = ["Copy", " Cut ", "Paste", "Clear all"];

describe("nextItem", () => {
  it("moves up and down and wraps around at the ends", () => {
    assert.equal(nextItem("ArrowDown", NAMES, 0), 1);
    assert.equal(nextItem("ArrowDown", NAMES, 3), 0);
    assert.equal(nextItem("ArrowUp", NAMES, 0), 3);
    assert.equal(nextItem("ArrowDown", NAMES, -1), 0);
    assert.equal(nextItem("ArrowUp", NAMES, -1), 3);
    assert.equal(nextItem("Home", NAMES, 2), 0);
    assert.equal(nextItem("End", NAMES, 1), 3);
  });

  it("finds the next item that begins with a letter, ignoring case", () => {
    assert.equal(nextItem("c", NAMES, 0), 1);
    assert.equal(nextItem("C", NAMES, 1), 3);
    assert.equal(nextItem("c", NAMES, 3), 0);
    assert.equal(nextItem("c", NAMES, -1), 0);
    assert.equal(nextItem("p", NAMES, 2), 2);
    assert.equal(nextItem("x", NAMES, 0), undefined);
  });

  it("returns undefined for keys that do not move the focus and for an empty menu", () => {
    for (const key of [" ", "Enter", "Escape", "F1"]) assert.equal(nextItem(key, NAMES, 0), undefined);
    assert.equal(nextItem("ArrowDown", [], -1), undefined);
  });
});
