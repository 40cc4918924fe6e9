import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { render, serverBody } from "./harness.test.ts";

/** Server code of one attribute or child of a `<p>` or `<a>`, between its fixed neighbours. */
function codeOf(jsx: string): string {
  return serverBody(`const A = (p) => ${jsx};`)
    .replace(/^const A = \(p\) => \$made\(/, "")
    .replace(/\);$/, "");
}

describe("an attribute", () => {
  it("given as a template literal is HTML around its data", async () => {
    assert.equal(
      codeOf("<p title={`${p.a} & ${p.b}!`}>x</p>"),
      String.raw`"<p title=\"" + $a(p.a) + " &amp; " + $a(p.b) + "!\">x</p>"`,
    );
    const text = "export function A(p) { return <p title={`${p.a} & ${p.b}`} data-l={`${(p.a, p.b)}`}>x</p>; }";
    assert.equal(await render(text, { a: '"<', b: null }), '<p title="&quot;&lt; &amp; null" data-l="null">x</p>');
  });

  it("that is a condition of fixed texts is one of two pieces of HTML", () => {
    assert.equal(
      codeOf('<p class={p.on ? "a<b" : ""} id={p.x ? "i" : undefined}>x</p>'),
      String.raw`"<p" + (p.on ? " class=\"a&lt;b\"" : "") + (p.x ? " id=\"i\"" : "") + ">x</p>"`,
    );
    assert.equal(
      codeOf('<p class={p.on ? "on" : p.off ? `is-${p.off}` : p.other}>x</p>'),
      String.raw`"<p" + (p.on ? " class=\"on\"" : (p.off ? " class=\"is-" + $a(p.off) + "\"" : $at(" class=\"", $cls(p.other) || null))) + ">x</p>"`,
    );
  });

  it("that holds a URL is taken apart only behind a beginning that no script can have", async () => {
    assert.equal(codeOf("<a href={`/u/${p.id}`}>x</a>"), String.raw`"<a href=\"/u/" + $a(p.id) + "\">x</a>"`);
    assert.match(codeOf("<a href={`${p.scheme}:x`}>x</a>"), /\$url\(" href=\\"", `\$\{p\.scheme\}:x`\)/);
    const text = 'export function A(p) { return <a href={p.is ? "javascript:x()" : "/"}>x</a>; }';
    assert.equal(await render(text, { is: true }), '<a href="about:blank">x</a>');
    assert.equal(await render(text, {}), '<a href="/">x</a>');
  });

  it("of a class or style that may be empty as a whole is left out then", async () => {
    const text = "export function A(p) { return <p class={`${p.c}`} style={`${p.s}`}>x</p>; }";
    assert.equal(await render(text, { c: "", s: "" }), "<p>x</p>");
  });

  it("of which true and false are values keeps them in a condition", async () => {
    const text =
      'export function A(p) { return <p aria-pressed={p.on ? "mixed" : false} hidden={p.on ? null : true}>x</p>; }';
    assert.equal(await render(text, { on: true }), '<p aria-pressed="mixed">x</p>');
    assert.equal(await render(text, {}), '<p aria-pressed="false" hidden>x</p>');
  });
});

describe("a text", () => {
  it("that is a condition of fixed texts is one of two pieces of HTML", () => {
    assert.equal(codeOf('<p>{p.on ? "<on>" : "off"}</p>'), '"<p>" + (p.on ? "&lt;on>" : "off") + "</p>"');
    assert.equal(codeOf('<p>{p.on ? "on" : p.name}</p>'), '"<p>" + (p.on ? "on" : $t(p.name)) + "</p>"');
    assert.equal(codeOf("<p>{p.on ? 1 : null}</p>"), '"<p>" + (p.on ? "1" : "") + "</p>"');
  });

  it("beside others in a run of the browser's is taken apart too", async () => {
    const text =
      'export function A() { const n = signal(2); return <p>{n.value > 1 ? "many & more" : "one"} of {n.value}</p>; }';
    assert.equal(await render(text), '<p s="1 test-1">many &amp; more of 2</p>');
  });
});
