import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextItem } from "./menu-keys.ts";

const NAMES = ["Copy", " Cut ", "Paste", "Clear all"];

describe("keys of a menu", () => {
  it("go up and down, and around the ends", () => {
    assert.equal(nextItem("ArrowDown", NAMES, 0), 1);
    assert.equal(nextItem("ArrowDown", NAMES, 3), 0);
    assert.equal(nextItem("ArrowUp", NAMES, 0), 3);
    assert.equal(nextItem("ArrowDown", NAMES, -1), 0);
    assert.equal(nextItem("ArrowUp", NAMES, -1), 3);
    assert.equal(nextItem("Home", NAMES, 2), 0);
    assert.equal(nextItem("End", NAMES, 1), 3);
  });

  it("find the next item that begins with a letter, in any case", () => {
    assert.equal(nextItem("c", NAMES, 0), 1);
    assert.equal(nextItem("C", NAMES, 1), 3);
    assert.equal(nextItem("c", NAMES, 3), 0);
    assert.equal(nextItem("c", NAMES, -1), 0);
    assert.equal(nextItem("p", NAMES, 2), 2);
    assert.equal(nextItem("x", NAMES, 0), undefined);
  });

  it("mean nothing where they press, or where there is nothing", () => {
    for (const key of [" ", "Enter", "Escape", "F1"]) assert.equal(nextItem(key, NAMES, 0), undefined);
    assert.equal(nextItem("ArrowDown", [], -1), undefined);
  });
});
