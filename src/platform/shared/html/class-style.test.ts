import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { classText, styleText } from "./class-style.ts";

describe("the text of class and style", () => {
  it("is a given string unchanged", () => {
    assert.equal(classText("a b"), "a b");
    assert.equal(styleText("color:red"), "color:red");
  });

  it("contains the enabled items of arrays and objects", () => {
    assert.equal(classText(["a", false, null, undefined, "", { b: 1, c: 0 }, ["d", { e: true }]]), "a b d e");
    assert.equal(
      styleText([{ color: "red", fontSize: "2em", top: 0, left: null, right: false }, "x:y"]),
      "color:red;font-size:2em;top:0;x:y",
    );
  });

  it("keeps custom properties as they are written", () => {
    assert.equal(styleText({ "--myGap": 4, "line-height": 1.5 }), "--myGap:4;line-height:1.5");
  });

  it("is empty for other values", () => {
    for (const value of [null, undefined, true, 3, {}, []]) {
      assert.equal(classText(value), "");
      assert.equal(styleText(value), "");
    }
  });

  it("has one declaration per property of an object, for any data", () => {
    for (const given of [
      "red;position:fixed",
      "red}body{",
      'url("a',
      "'a\n;top:0'",
      'a\\";top:0;"',
      "/*",
      '/*"*/;top:0;/*"*/',
      "url(a\\);top:0",
      "a-url(/*)",
    ])
      assert.equal(styleText({ left: 0, color: given, right: 1 }), "left:0;right:1", given);
    assert.equal(styleText({ "color:red;top": 0, "a b": 1, "": 2, "*": 3 }), "");
  });

  it("keeps unusual but valid values of an object", () => {
    for (const given of [
      'url("data:image/png;base64,AA==")',
      "url(/a.png)",
      `"'; {"`,
      "calc((1px + 2px) * 3 / var(--x, 2))",
      "#fff !important",
    ])
      assert.equal(styleText({ "--größe": given }), `--größe:${given}`);
  });
});
