import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileTsx, render, serverBody, serverHead } from "../harness.testkit.ts";

describe("the server module of a template", () => {
  it("is one string if nothing changes", () => {
    const text = 'export function A() { return <main class="x">Hi <b>you</b><br /></main>; }';
    assert.equal(
      serverBody(text),
      String.raw`export function A() { return $made("<main class=\"x\">Hi <b>you</b><br></main>"); }`,
    );
    assert.equal(serverHead(text), 'import { made as $made } from "svckit/jsx-runtime";');
    assert.equal(compileTsx(text).client, undefined);
  });

  it("writes text through t, attributes through at, url, cls and sty", () => {
    assert.equal(
      serverBody("const A = () => <a href={p.to} id={p.id} class={[p.c]} style={{ top: p.y }}>{p.text}</a>;"),
      String.raw`const A = () => $made($url("<a href=\"", p.to, "\"", "<a") + $at(" id=\"", p.id) + $at(" class=\"", $cls([p.c]) || null) + $at(" style=\"", $sty({ top: p.y }) || null, "\">", ">") + $t(p.text) + "</a>");`,
    );
  });

  it("declares the scope of a template with browser code, and lists the slots of bindings first", () => {
    const text =
      "export function A() { const n = signal(1); const by = f(); return <p onClick={() => n.value += by}>{n.value}</p>; }";
    assert.equal(
      serverHead(text),
      [
        'import { block as $block, made as $made, scope as $scope, t as $t } from "svckit/jsx-runtime";',
        'const $b0 = $block("pages/test.tsx", "b0", ["click"], [], ["A","n","by"]);',
      ].join("\n"),
    );
    assert.match(
      serverBody(text),
      /"<p" \+ \$scope\(\$b0, 1, \[n, by\]\) \+ " on:click=\\"h0\\">" \+ \$t\(n\.value\) \+ "<\/p>"/,
    );
  });

  it("declares no bind export for a scope with handlers only", () => {
    const text = "export const A = () => <p onClick={() => alert(1)}>x</p>;";
    assert.match(serverHead(text), /\$block\("pages\/test\.tsx", 0, \["click"\], \[\], \["A"\]\)/);
    assert.match(serverBody(text), /\$scope\(\$b0, 0, \[\]\)/);
  });

  it("ends a text run between other nodes in a keyed comment, and separates it from a piece before it", async () => {
    const text =
      "export function A(p) { const n = signal(2); return <p>n {n.value}<b>x</b>{p.children}{n.value}</p>; }";
    assert.equal(
      await render(text, { children: "c" }),
      '<p s="1 test-1 region">n 2<!--1--><b>x</b>c<!---->2<!--2--></p>',
    );
  });

  it("passes children to a component as HTML", async () => {
    const text = `
      function Shell(p) { return <main data-c={p.current}>{p.children}</main>; }
      export function A() { return <Shell current="/&amp;" wide><h1>T</h1> and <b>x</b></Shell>; }`;
    assert.equal(await render(text), '<main data-c="/&amp;"><h1>T</h1> and <b>x</b></main>');
  });

  it("supports JSX props, spread props and prop names that are not identifiers", async () => {
    const text = `
      function B(p) { return <p id={p["data-x"]} lang={p.lang}>{p.head}{p.foot}</p>; }
      export function A(p) { return <B head=<b>h</b> foot={<i>f</i>} data-x="1" {...p} />; }`;
    assert.equal(await render(text, { lang: "de" }), '<p id="1" lang="de"><b>h</b><i>f</i></p>');
  });

  it("calls a component that takes a function as its child with that function", async () => {
    const text = `
      function Twice(p) { return <p>{p.children(1)}{p.children(2)}</p>; }
      export function A() { return <Twice>{(n) => <b>{n}</b>}</Twice>; }`;
    assert.equal(await render(text), "<p><b>1</b><b>2</b></p>");
  });

  it("writes fragments without an element, each part a template of its own", async () => {
    const text =
      "export function A() { const n = signal(1); return <><i>{n.value}</i><b onClick={() => n.value++}>+</b></>; }";
    assert.equal(await render(text), '<i s="1 test-1">1</i><b s="2 test-1" on:click="h0">+</b>');
  });

  it("keeps JSX in a helper function or variable as a value", async () => {
    const text = `
      const badge = (t) => <b>{t}</b>;
      export function A() { const x = <i>{"<"}</i>; return <p>{badge("<a>")}{x}{[badge(1), badge(2)]}</p>; }`;
    assert.equal(await render(text), "<p><b>&lt;a></b><i>&lt;</i><b>1</b><b>2</b></p>");
  });

  it("does not treat a capitalised function that is called and returns no JSX as a component", async () => {
    const text = "const Money = (n) => ({ n }); export function A() { return <p>{Money(2).n}</p>; }";
    assert.equal(await render(text), "<p>2</p>");
  });

  it("escapes a returned value that is not JSX as text", async () => {
    assert.equal(await render("export function A(p) { return p.text; }", { text: "<b>" }), "&lt;b>");
    assert.equal(await render("export function A() { return null; }"), "");
    assert.equal(await render("export function A() { return 0; }"), "0");
  });

  it("avoids collisions of generated names with names in the source", async () => {
    const text = `
      const $ = "d", $t = "t", $each = "e", $b0 = "b";
      export function A(p) { return <p>{$}{$t}{$each}{$b0}{p.list.map((x) => <b>{x}</b>)}</p>; }`;
    assert.match(serverHead(text), /t as \$\$t/);
    assert.equal(await render(text, { list: [1] }), "<p>dteb<b>1</b></p>");
  });

  it("has a source map to the source line", () => {
    const map = JSON.parse(compileTsx("export const A = (p) =>\n <p>{p.x}</p>;").server.map) as Record<string, unknown>;
    assert.deepEqual(map["sources"], ["pages/test.tsx"]);
    assert.match(String(map["mappings"]), /;/);
  });
});

describe("text and attributes on the server", () => {
  it("escape data for their context", async () => {
    const text = 'export function A(p) { return <a href={p.u} title={p.x} data-k={`${p.x}"`}>{p.x}</a>; }';
    assert.equal(
      await render(text, { x: '<&"', u: "javascript:alert(1)" }),
      '<a href="about:blank" title="&lt;&amp;&quot;" data-k="&lt;&amp;&quot;&quot;">&lt;&amp;&quot;</a>',
    );
  });

  it("reject script URLs in any spelling of the attribute", async () => {
    const text = "export function A(p) { return <button formAction={p.u}>x</button>; }";
    assert.equal(await render(text, { u: "javascript:alert(1)" }), '<button formAction="about:blank">x</button>');
  });

  it("write true, false, null, numbers and ARIA states as HTML defines them", async () => {
    const text =
      'export function A(p) { return <input disabled={true} required={false} value={p.v} aria-hidden={false} draggable={false} tabindex={0} max={null} class="c" />; }';
    assert.equal(
      await render(text, { v: 5 }),
      '<input disabled value="5" aria-hidden="false" draggable="false" tabindex="0" class="c">',
    );
  });

  it("omit an empty class or style, as the browser does", async () => {
    const text = "export function A(p) { return <p class={{ on: p.on }} style={{ top: p.top }}>x</p>; }";
    assert.equal(await render(text, {}), "<p>x</p>");
    assert.equal(await render(text, { on: 1, top: 0 }), '<p class="on" style="top:0">x</p>');
  });

  it("spread known attributes, which attributes behind them override", async () => {
    const text = 'export function A(p) { return <p {...p} id="own">x</p>; }';
    const props = { id: "other", title: "<", onclick: "x()", "bad name": 1, class: { a: true } };
    assert.equal(await render(text, props), '<p title="&lt;" class="a" id="own">x</p>');
  });

  it("let a spread override attributes before it", async () => {
    const text =
      'export function A(p) { return <p id="own" title={p.name} lang="en" {...p.more} onClick={() => 1}>x</p>; }';
    const page = await render(text, { name: "n", more: { id: "other", title: "t" } });
    assert.equal(page, '<p s="1 test-1" lang="en" id="other" title="t" on:click="h0">x</p>');
    assert.equal(await render(text, { name: "n" }), '<p s="1 test-1" id="own" title="n" lang="en" on:click="h0">x</p>');
  });

  it("render literals, and nothing for null, undefined and booleans", async () => {
    const text = 'export function A() { return <p>{1}{"<"}{`t`}{null}{undefined}{true}{false}{10n}{/* note */}</p>; }';
    assert.equal(await render(text), "<p>1&lt;t10</p>");
  });

  it("write the value of a textarea as its content, and preserve its first newline", async () => {
    const text =
      'export function A(p) { return <div><textarea value={p.v} /><textarea value="a &lt; b" /><pre>{p.v}</pre></div>; }';
    assert.equal(
      await render(text, { v: "\n<x" }),
      "<div><textarea>\n\n&lt;x</textarea><textarea>a &lt; b</textarea><pre>\n\n&lt;x</pre></div>",
    );
  });

  it("write a spread value into the content of a textarea, or onto the option of a select", async () => {
    const text = `export function A(p) {
      return <div><textarea id="own" {...p} title={p.name} /><select {...p}><option value="a">A</option><option>b</option></select></div>;
    }`;
    assert.equal(
      await render(text, { name: "n", value: "b" }),
      '<div><textarea id="own" name="n" title="n">\nb</textarea><select name="n"><option value="a">A</option><option selected>b</option></select></div>',
    );
    assert.match(
      await render(text, { name: "n" }),
      /title="n">\n<\/textarea><select name="n"><option value="a">A<\/option><option>b</,
    );
    const beside = 'export function A(p) { return <textarea {...p} value="mine" />; }';
    assert.equal(await render(beside, { value: "theirs" }), "<textarea>mine</textarea>");
  });

  it("write style and script as they are", async () => {
    const text = "export function A() { return <style>{`a > b { & c { top: 0 } }`}</style>; }";
    assert.equal(await render(text), "<style>a > b { & c { top: 0 } }</style>");
  });

  it("write dangerouslySetInnerHTML unescaped", async () => {
    const text = "export function A(p) { return <p dangerouslySetInnerHTML={{ __html: p.h }} />; }";
    assert.equal(await render(text, { h: "<b>x</b>" }), "<p><b>x</b></p>");
  });
});

describe("conditions and lists on the server", () => {
  it("render the matching branch", async () => {
    const text =
      "export function A(p) { return <p>{p.n > 1 ? <b>many</b> : p.n === 1 ? <i>one</i> : null}{p.n && <u>n</u>}</p>; }";
    assert.equal(await render(text, { n: 2 }), "<p><b>many</b><u>n</u></p>");
    assert.equal(await render(text, { n: 1 }), "<p><i>one</i><u>n</u></p>");
    assert.equal(await render(text, { n: 0 }), "<p></p>");
  });

  it("end a live branch in its keyed comment", async () => {
    const text = "export function A() { const on = signal(true); return <div>{on.value && <b>x</b>}<i>y</i></div>; }";
    assert.equal(await render(text), '<div s="1 test-1 region"><b>x</b><!--1--><i>y</i></div>');
  });

  it("render <Show> and its fallback, fixed or live, alone or inside an element", async () => {
    const text = `
      export function A(p) { return <Show when={p.on} fallback={<i>off</i>}>on <b>!</b></Show>; }
      export function B(p) { const on = signal(p.on); return <div><Show when={on.value} fallback={<i>off</i>}><b>on</b></Show></div>; }`;
    assert.equal(await render(text, { on: true }), "on <b>!</b>");
    assert.equal(await render(text, { on: false }), "<i>off</i>");
    assert.equal(await render(text, { on: true }, "B"), '<div s="1 test-1 region"><b>on</b><!--1--></div>');
    assert.equal(await render(text, { on: false }, "B"), '<div s="1 test-1 region"><i>off</i><!--1--></div>');
  });

  it("write rows of .map and <For>, nested ones too", async () => {
    const text = `
      export function A(p) {
        return <table><tbody>{p.rows.map((row, i) => <tr><For each={row}>{(cell, j) => <td>{i}{j}{cell}</td>}</For></tr>)}</tbody></table>;
      }
      export function B(p) { return <For each={p.list}>{(x) => <i>{x}</i>}</For>; }`;
    assert.equal(
      await render(text, { rows: [["a", "b"], ["<"]] }),
      "<table><tbody><tr><td>00a</td><td>01b</td></tr><tr><td>10&lt;</td></tr></tbody></table>",
    );
    assert.equal(await render(text, { list: [1, 2] }, "B"), "<i>1</i><i>2</i>");
  });

  it("mark the end of a live list only if it has siblings", async () => {
    const text = `
      export function A() { const s = store({ l: [1, 2] }); return <ul>{s.l.map((x) => <li key={x}>{x}</li>)}</ul>; }
      export function B() { const s = store({ l: [1] }); return <ul>{s.l.map((x) => <li key={x}>{x}</li>)}<li>end</li></ul>; }`;
    assert.equal(await render(text), '<ul s="1 test-1 region store"><li>1</li><li>2</li></ul>');
    assert.equal(await render(text, {}, "B"), '<ul s="1 test-1 region store"><li>1</li><!--1--><li>end</li></ul>');
  });

  it("allow statements in a row, and a component in a fixed list", async () => {
    const text = `
      function Row(p) { return <li>{p.x}</li>; }
      export function A(p) { return <ul>{p.l.map((x) => { const y = x * 2; if (y > 3) return <li>big</li>; return <Row x={y} />; })}</ul>; }`;
    assert.equal(await render(text, { l: [1, 2] }), "<ul><li>2</li><li>big</li></ul>");
  });

  it("give each row of a fixed list its own scope when it has handlers", async () => {
    const text = "export function A(p) { return <ul>{p.l.map((x) => <li onClick={() => alert(x.id)}>x</li>)}</ul>; }";
    assert.equal(
      await render(text, { l: [{ id: 1 }, { id: 2 }] }),
      '<ul><li s="1 test-1" on:click="h0">x</li><li s="2 test-1" on:click="h0">x</li></ul>',
    );
  });

  it("give a key to an element between two variable parts", async () => {
    const text = `
      export function A(p) { const n = signal(1); return <div>{p.children}<b>{n.value}</b>{p.children}</div>; }`;
    assert.equal(await render(text, { children: "c" }), '<div s="1 test-1 region">c<b b="1">1</b>c</div>');
  });

  it("make the content of a fixed condition or list templates of their own, with components in rows", async () => {
    const text = `
      function Badge() { return <i>!</i>; }
      export function A(p) {
        const n = signal(1);
        return <ul>{p.rows.map((row) => <li onClick={() => (n.value = row.id)}><Badge />{n.value}</li>)}{p.on ? <b>{n.value}</b> : "off"}</ul>;
      }`;
    assert.equal(
      await render(text, { rows: [{ id: 1 }], on: false }),
      '<ul><li s="1 test-1 region" on:click="h0"><i>!</i><!---->1<!--1--></li>off</ul>',
    );
    assert.equal(await render(text, { rows: [], on: true }), '<ul><b s="1 test-1">1</b></ul>');
  });

  it("give JSX of a local function its own browser code", async () => {
    const text = `
      const framed = (inner) => <u>{inner}</u>;
      export function A() {
        const n = signal(1);
        const row = (x) => <li>{x}: {n.value}</li>;
        return <ul>{row("a")}{framed(<b onClick={() => n.value++}>+</b>)}</ul>;
      }`;
    assert.equal(await render(text), '<ul><li s="1 test-1">a: 1</li><u><b s="2 test-1" on:click="h0">+</b></u></ul>');
  });
});
