import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { escapeAttribute, escapeScriptJson, escapeText } from "./escape.ts";

describe("escaping", () => {
  it("returns text without special characters unchanged", () => {
    for (const escape of [escapeText, escapeAttribute]) assert.equal(escape("Čeněk's > ok"), "Čeněk's > ok");
  });

  it("of text can't open or close a tag", () => {
    assert.equal(escapeText("<b>&amp;</b>"), "&lt;b>&amp;amp;&lt;/b>");
  });

  it("of an attribute never ends the value", () => {
    assert.equal(escapeAttribute(`"><script>&`), "&quot;>&lt;script>&amp;");
  });

  it("replaces the same characters at any position in texts of any length", () => {
    const entities: Record<string, string> = { "\r": "&#13;", '"': "&quot;", "&": "&amp;", "<": "&lt;" };
    for (let length = 1; length <= 40; length++) {
      for (const [character, entity] of Object.entries(entities)) {
        const before = "č".repeat(length - 1);
        assert.equal(escapeAttribute(before + character), before + entity);
        assert.equal(escapeAttribute(character + before), entity + before);
        assert.equal(escapeText(before + character), before + (character === '"' ? character : entity));
      }
    }
  });

  it("preserves carriage returns, which the parser would turn into line feeds", () => {
    for (const escape of [escapeText, escapeAttribute]) assert.equal(escape("a\r\nb"), "a&#13;\nb");
  });

  it("of script JSON never ends the script and preserves the JSON", () => {
    const value = { html: "</script><!--", lines: "\u2028\u2029" };
    const text = escapeScriptJson(JSON.stringify(value));
    assert.doesNotMatch(text, /[<\u2028\u2029]/);
    assert.deepEqual(JSON.parse(text), value);
  });
});
