import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { classText, styleText } from "./class-style.ts";

describe("class and style", () => {
  it("of strings are those strings", () => {
    assert.equal(classText("a b"), "a b");
    assert.equal(styleText("color:red"), "color:red");
  });

  it("of arrays and objects hold what is on", () => {
    assert.equal(classText(["a", false, null, undefined, "", { b: 1, c: 0 }, ["d", { e: true }]]), "a b d e");
    assert.equal(
      styleText([{ color: "red", fontSize: "2em", top: 0, left: null, right: false }, "x:y"]),
      "color:red;font-size:2em;top:0;x:y",
    );
  });

  it("keep custom properties as they are written", () => {
    assert.equal(styleText({ "--myGap": 4, "line-height": 1.5 }), "--myGap:4;line-height:1.5");
  });

  it("of anything else are empty", () => {
    for (const value of [null, undefined, true, 3, {}, []]) {
      assert.equal(classText(value), "");
      assert.equal(styleText(value), "");
    }
  });
});
