import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { render } from "../harness.testkit.ts";
import { attributeToHtml, decodeEntities, normaliseText, textToHtml } from "./jsx-text.ts";

describe("JSX text", () => {
  it("drops newlines with the spaces around them, and keeps spaces within a line", () => {
    assert.equal(normaliseText("\n  one  two\n\n  three \n"), "one  two three");
    assert.equal(normaliseText(" a "), " a ");
    assert.equal(normaliseText("\r\n\t\r\n"), "");
    assert.equal(normaliseText("a\tb"), "a b");
  });

  it("keeps entities in HTML as written, and escapes an & that does not begin one", () => {
    assert.equal(textToHtml("a &amp; b & c &#39; &#x3C; &nope"), "a &amp; b &amp; c &#39; &#x3C; &amp;nope");
    assert.equal(attributeToHtml('say "&hi;"'), "say &quot;&hi;&quot;");
  });

  it("is decoded if the browser sets it: named, decimal, hexadecimal; unknown names stay", () => {
    assert.equal(decodeEntities("&lt;&#65;&#x42;&nope;&alpha;&Omega;&thetasym;&yuml;&infin;&rang;"), "<AB&nope;αΩϑÿ∞⟩");
    assert.equal(decodeEntities("&#x110000;"), "&#x110000;");
  });

  it("contains characters instead of entities in a JavaScript string", async () => {
    const text = `export function A() { const n = signal(1); return <p><b>{"&amp;"}</b><i>{"&amp;"}{n.value}</i></p>; }`;
    assert.equal(await render(text), '<p s="1 test-1"><b>&amp;amp;</b><i>&amp;amp;1</i></p>');
  });

  it("means the same in fixed text, in a run that changes and in a component's prop", async () => {
    const text = `
      function B(p) { return <i>{p.t}</i>; }
      export function A() { const n = signal(1); return <p><b>&Sigma; &amp; &lt;</b><u>&Sigma; &amp; &lt; {n.value}</u><B t="&Sigma; &amp; &lt;" /></p>; }`;
    assert.equal(
      await render(text),
      '<p s="1 test-1"><b>&Sigma; &amp; &lt;</b><u>Σ &amp; &lt; 1</u><i>Σ &amp; &lt;</i></p>',
    );
  });
});
