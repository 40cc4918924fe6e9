import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { render, serverBody } from "../harness.testkit.ts";

/** Server code of one attribute or child of a `<p>` or `<a>`, between its fixed neighbours. `p` is a name of the module. */
function codeOf(jsx: string): string {
  return serverBody(`const A = () => ${jsx};`)
    .replace(/^const A = \(\) => \$made\(/, "")
    .replace(/\);$/, "");
}

describe("an attribute", () => {
  it("given as a template literal is written as HTML around escaped data", async () => {
    assert.equal(
      codeOf("<p title={`${p.a} & ${p.b}!`}>x</p>"),
      String.raw`"<p title=\"" + $a(p.a) + " &amp; " + $a(p.b) + "!\">x</p>"`,
    );
    const text = "export function A(p) { return <p title={`${p.a} & ${p.b}`} data-l={`${(p.a, p.b)}`}>x</p>; }";
    assert.equal(await render(text, { a: '"<', b: null }), '<p title="&quot;&lt; &amp; null" data-l="null">x</p>');
  });

  it("is written together with the HTML around it, or omitted", async () => {
    assert.equal(
      codeOf("<p><b id={p.a} class='x' title={p.b} lang={p.c}>x</b>{p.d}</p>"),
      String.raw`$at("<p><b id=\"", p.a, "\" class=\"x\"", "<p><b class=\"x\"") + $at(" title=\"", p.b) + $at(" lang=\"", p.c, "\">x</b>", ">x</b>") + $t(p.d) + "</p>"`,
    );
    const text =
      "export function A(p) { return <p><a href={p.v}>x y</a><b id={p.v}>x y</b><i hidden={p.v} draggable={p.v}>z</i></p>; }";
    const none = "<p><a>x y</a><b>x y</b><i>z</i></p>";
    assert.equal(await render(text, { v: undefined }), none);
    assert.equal(await render(text, { v: null }), none);
    assert.equal(await render(text, { v: false }), none.replace("<i>", '<i draggable="false">'));
    assert.equal(
      await render(text, { v: true }),
      '<p><a href>x y</a><b id>x y</b><i hidden draggable="true">z</i></p>',
    );
    assert.equal(
      await render(text, { v: 1 }),
      '<p><a href="1">x y</a><b id="1">x y</b><i hidden="1" draggable="1">z</i></p>',
    );
    assert.equal(
      await render(text, { v: '"<& ' }),
      '<p><a href="&quot;&lt;&amp; ">x y</a><b id="&quot;&lt;&amp; ">x y</b><i hidden="&quot;&lt;&amp; " draggable="&quot;&lt;&amp; ">z</i></p>',
    );
    assert.equal(
      await render("export function A(p) { return <p title={(p.a, p.b)}>x</p>; }", { a: 1, b: 2 }),
      '<p title="2">x</p>',
    );
  });

  it("that is a condition with fixed texts selects one of two fixed strings", () => {
    assert.equal(
      codeOf('<p class={p.on ? "a<b" : ""} id={p.x ? "i" : undefined}>x</p>'),
      String.raw`"<p" + (p.on ? " class=\"a&lt;b\"" : "") + (p.x ? " id=\"i\"" : "") + ">x</p>"`,
    );
    assert.equal(
      codeOf('<p class={p.on ? "on" : p.off ? `is-${p.off}` : p.other}>x</p>'),
      String.raw`"<p" + (p.on ? " class=\"on\"" : (p.off ? " class=\"is-" + $a(p.off) + "\"" : $at(" class=\"", $cls(p.other) || null))) + ">x</p>"`,
    );
  });

  it("with a URL is split only behind a prefix that rules out scripts", async () => {
    assert.equal(codeOf("<a href={`/u/${p.id}`}>x</a>"), String.raw`"<a href=\"/u/" + $a(p.id) + "\">x</a>"`);
    assert.match(codeOf("<a href={`${p.scheme}:x`}>x</a>"), /\$url\("<a href=\\"", `\$\{p\.scheme\}:x`, /);
    const text = 'export function A(p) { return <a href={p.is ? "javascript:x()" : "/"}>x</a>; }';
    assert.equal(await render(text, { is: true }), '<a href="about:blank">x</a>');
    assert.equal(await render(text, {}), '<a href="/">x</a>');
  });

  it("with a class or style is omitted if the value is empty", async () => {
    const text = "export function A(p) { return <p class={`${p.c}`} style={`${p.s}`}>x</p>; }";
    assert.equal(await render(text, { c: "", s: "" }), "<p>x</p>");
  });

  it("that is enumerated writes true and false in a condition", async () => {
    const text =
      'export function A(p) { return <p aria-pressed={p.on ? "mixed" : false} hidden={p.on ? null : true}>x</p>; }';
    assert.equal(await render(text, { on: true }), '<p aria-pressed="mixed">x</p>');
    assert.equal(await render(text, {}), '<p aria-pressed="false" hidden>x</p>');
  });
});

describe("a text", () => {
  it("that is a rounded number is not escaped, but an object that imitates one is", async () => {
    assert.equal(
      codeOf("<p title={`${p.x.toFixed(p.d)}px`}>{(p.x / 2).toFixed(1)}</p>"),
      String.raw`"<p title=\"" + $fixed($a, p.x, p.d) + "px\">" + $fixed($t, (p.x / 2), 1) + "</p>"`,
    );
    for (const other of ["p.x.toFixed()", "p.x?.toFixed(2)", "p.x.toFixed(...p.d)", "p.x.toFixed(2, 3)", "toFixed(2)"])
      assert.equal(codeOf(`<p>{${other}}</p>`), `"<p>" + $t(${other}) + "</p>"`);
    const text = "export function A(p) { return <p title={`${p.x.toFixed(1)}`}>{p.x.toFixed(1)}</p>; }";
    const hostile = { toFixed: (digits: number) => `"<b>&${digits}` };
    assert.equal(await render(text, { x: 0.25 }), '<p title="0.3">0.3</p>');
    assert.equal(await render(text, { x: -1e21 }), '<p title="-1e+21">-1e+21</p>');
    assert.equal(await render(text, { x: hostile }), '<p title="&quot;&lt;b>&amp;1">&quot;&lt;b>&amp;1</p>');
    const none = { toFixed: () => null };
    assert.equal(await render(text, { x: none }), '<p title="null"></p>');
  });

  it("that is a sequence is its last value", async () => {
    assert.equal(await render("export function A(p) { return <p>{(p.a, p.b)}</p>; }", { a: 1, b: 2 }), "<p>2</p>");
  });

  it("that is a condition with fixed texts selects one of two fixed strings", () => {
    assert.equal(codeOf('<p>{p.on ? "<on>" : "off"}</p>'), '"<p>" + (p.on ? "&lt;on>" : "off") + "</p>"');
    assert.equal(codeOf('<p>{p.on ? "on" : p.name}</p>'), '"<p>" + (p.on ? "on" : $t(p.name)) + "</p>"');
    assert.equal(codeOf("<p>{p.on ? 1 : null}</p>"), '"<p>" + (p.on ? "1" : "") + "</p>"');
  });

  it("in a run with others is split too", async () => {
    const text =
      'export function A() { const n = signal(2); return <p>{n.value > 1 ? "many & more" : "one"} of {n.value}</p>; }';
    assert.equal(await render(text), '<p s="1 test-1">many &amp; more of 2</p>');
  });
});
