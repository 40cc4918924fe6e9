import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { remembered, repeated } from "./memoize.ts";

describe("remembered", () => {
  it("finds the result of a text once, also if it is undefined", () => {
    const asked: string[] = [];
    const find = remembered((text) => {
      asked.push(text);
      return text === "a" ? 1 : undefined;
    });
    assert.deepEqual([find("a"), find("b"), find("a"), find("b")], [1, undefined, 1, undefined]);
    assert.deepEqual(asked, ["a", "b"]);
  });
});

describe("repeated", () => {
  it("creates its text again only if a value has changed", () => {
    let made = 0;
    const list = ["b"];
    const text = repeated((a: string | undefined, b: readonly string[]) => `${a} ${b.join("")} ${++made}`);
    assert.equal(text("a", list), "a b 1");
    assert.equal(text("a", list), "a b 1");
    assert.equal(text(undefined, list), "undefined b 2");
    assert.equal(text(undefined, ["b"]), "undefined b 3");
    assert.equal(text("a", list), "a b 4");
  });
});
