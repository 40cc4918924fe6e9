import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isMadeOf } from "./flatten-string.ts";

describe("a concatenated text", () => {
  it("matches a pattern if all of its pieces do", () => {
    const put = (...parts: string[]): string => parts.reduce((text, part) => text + part);
    const plain = /^[\w-]*$/;
    assert.equal(isMadeOf(plain, put("a-long-first-piece", "and-a-second-one")), true);
    assert.equal(isMadeOf(plain, put("a-long-first-piece", "and a second one")), false);
    assert.equal(isMadeOf(plain, put("a-long-first-piece", "and-a-second\0one")), false);
    assert.equal(isMadeOf(plain, ""), true);
  });
});
