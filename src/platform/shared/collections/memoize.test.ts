import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { repeated } from "./memoize.ts";

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
