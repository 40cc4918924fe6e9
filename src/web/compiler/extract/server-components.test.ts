/** Built-in components that run only on the server, in compiled pages. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileTsx, render, serverHead } from "../harness.testkit.ts";

describe("context", () => {
  const text = `
    const Theme = createContext("none");
    function Leaf(p) { const theme = useContext(Theme); return <i>{theme}{p.children}</i>; }
    function Middle(p) { return <b>{p.children}<Leaf /></b>; }
    export function A() {
      return <main><Leaf /><Theme.Provider value="dark"><Middle><Leaf><Theme.Provider value="deep"><Leaf /></Theme.Provider></Leaf></Middle></Theme.Provider><Leaf /></main>;
    }`;

  it("is the value of the nearest provider around a component", async () => {
    assert.equal(await render(text), "<main><i>none</i><b><i>dark<i>deep</i></i><i>dark</i></b><i>none</i></main>");
  });

  it("is restored when a component throws", async () => {
    const failing = `
      const Theme = createContext("none");
      function Leaf(p) { if (p.fail && useContext(Theme) === "dark") throw new Error("x"); return <i>{useContext(Theme)}</i>; }
      export function A(p) { return <p><Leaf /><Theme.Provider value="dark"><Leaf fail={p.fail} /></Theme.Provider></p>; }`;
    assert.equal(await render(failing), "<p><i>none</i><i>dark</i></p>");
    await assert.rejects(render(failing, { fail: true }), /x/);
    assert.equal(await render(failing), "<p><i>none</i><i>dark</i></p>");
  });

  it("may contain signals, which the browser captures like any other", () => {
    const view = `const C = createContext(signal(0)); export function A() { const n = useContext(C); return <b onClick={() => n.value++}>{n.value}</b>; }`;
    assert.match(serverHead(view), /"b0", \["click"\]/);
    assert.doesNotMatch(compileTsx(view).client?.code ?? "", /useContext|createContext/);
  });
});

describe("a scope whose components the browser creates", () => {
  const text = `
    import { Other, useOther } from "./other.tsx";
    import { data } from "./data.ts";
    const Theme = createContext("none");
    const Own = createContext(1);
    const useTheme = () => useContext(Theme) + data;
    function Leaf() { const theme = useTheme(); return <i>{theme}</i>; }
    function Plain() { return <b>{data}</b>; }
    export function A() { const n = signal(0); const own = useContext(Own); return <p onClick={() => n.value++}>{n.value > own && <Leaf />}</p>; }
    export function B() { const n = signal(0); return <p onClick={() => n.value++}>{n.value > 1 && <Plain />}</p>; }
    export function C() { const n = signal(0); useOther(); return <p onClick={() => n.value++}>{n.value > 1 && <Other />}</p>; }`;

  it("lists the contexts that they read, and imports that may read some", () => {
    const head = serverHead(text);
    assert.match(head, /\["A","n","own"\], false, \(\) => \[\[Theme\], \[\]\]\);/);
    assert.match(head, /\["B","n"\]\);/);
    assert.match(head, /\["C","n"\], false, \(\) => \[\[\], \[Other\]\]\);/);
  });

  it("is found by the exports of its module, for scopes of other modules", () => {
    const { code } = compileTsx(text).server;
    assert.match(code, /\$uses\(A, \(\) => \[\[Own, Theme\], \[\]\]\);/);
    assert.match(code, /\$uses\(C, \(\) => \[\[\], \[useOther, Other\]\]\);/);
    assert.doesNotMatch(code, /\$uses\(B/);
  });

  it("finds contexts of a member that the module assigns to a component", () => {
    const assigned = `const Theme = createContext("none"); export function Menu(p) { return <ul>{p.children}</ul>; }
      Menu.Item = function MenuItem() { return <li>{useContext(Theme)}</li>; };`;
    assert.match(compileTsx(assigned).server.code, /\$uses\(Menu, \(\) => \[\[Theme\], \[\]\]\);/);
  });

  it("finds contexts by the names of their declarations", () => {
    assert.match(compileTsx(text).server.code, /createContext\("none", "pages\/test\.tsx#Theme"\)/);
  });
});

describe("<ErrorBoundary>", () => {
  const text = `
    function Bad(p) { const n = signal(1); if (p.bad) throw new Error("secret"); return <b onClick={() => n.value++}>{n.value}</b>; }
    function Good(p) { const n = signal(2); return <u onClick={() => n.value++}>{n.value}</u>; }
    export function A(p) { return <main><ErrorBoundary fallback={<i>sorry</i>}><p>begun</p><Bad /><Bad bad={p.bad} /></ErrorBoundary><Good /></main>; }
    export function B(p) { return <ErrorBoundary fallback={(error) => <i>{error.message}</i>}>{p.run()}</ErrorBoundary>; }`;

  it("renders its children if they don't fail", async () => {
    const html = (await render(text)).replaceAll(/ s="[^"]*"/g, "");
    assert.equal(
      html,
      '<main><!--eb--><p>begun</p><b on:click="h0">1</b><b on:click="h0">1</b><template eb><i>sorry</i></template><u on:click="h1">2</u></main>',
    );
  });

  it("renders its fallback if a child throws, and removes all output of the children", async () => {
    assert.equal(await render(text, { bad: true }), '<main><i>sorry</i><u s="1 test-1" on:click="h1">2</u></main>');
  });

  it("passes the error to a fallback that is a function", async () => {
    const run = (): never => {
      throw new Error("<shown>");
    };
    assert.equal(await render(text, { run }, "B"), "<i>&lt;shown></i>");
  });
});

describe("<Dynamic>", () => {
  const text = `
    const Card = (p) => <section>{p.title}{p.children}</section>;
    export function A(p) { return <main><Dynamic is={p.is} title="t" class={["x"]}>in <b>it</b></Dynamic></main>; }
    export function B() { const n = signal(1); return <Dynamic is="h2"><b onClick={() => n.value++}>{n.value}</b></Dynamic>; }
    export function C() { return <Dynamic is={Card} title="t">c</Dynamic>; }`;

  it("renders the element of that name", async () => {
    assert.equal(await render(text, { is: "h3" }), '<main><h3 title="t" class="x">in <b>it</b></h3></main>');
    assert.equal(
      await render(text, { is: "my-box" }),
      '<main><my-box title="t" class="x">in <b>it</b></my-box></main>',
    );
    assert.equal(await render(text, { is: "br" }), '<main><br title="t" class="x"></main>');
  });

  it("renders the component, which may contain browser code", async () => {
    assert.equal(await render(text, {}, "C"), "<section>tc</section>");
    assert.match(await render(text, {}, "B"), /^<h2><b s="1 test-1" on:click="h0">1<\/b><\/h2>$/);
  });

  it("rejects names that are not elements, and elements that contain code", async () => {
    for (const is of ["script", "STYLE", "a b", "p onclick=x", "", "title"]) {
      await assert.rejects(render(text, { is }), { code: "SVC_DEFINITION" });
    }
  });

  it("may be a tag whose value is the name of an element", async () => {
    const tag =
      "export function T(p) { const Tag = p.as ?? 'section'; return <Tag title={p.title}>{p.children}</Tag>; }";
    assert.equal(await render(tag, { title: "a" }, "T"), '<section title="a"></section>');
    assert.equal(await render(tag, { as: "h2" }, "T"), "<h2></h2>");
    await assert.rejects(render("export function T(p) { const Icon = p.icon; return <Icon />; }", {}, "T"), {
      code: "SVC_DEFINITION",
      message: /^A tag is undefined, and no component\./,
    });
  });

  it("takes handlers, a ref and values that change, which a chunk of the package binds", async () => {
    const element = `
      export function D() { const n = signal(1); return <p><Dynamic is="button" title={n.value} onClick={() => n.value++}>x</Dynamic></p>; }
      export function E(p) { const n = signal(1); const Tag = p.as ?? "button"; return <p><Tag title={n.value} onClick={(e) => { e.preventDefault(); n.value++; }}>{n.value}</Tag></p>; }`;
    const scope =
      /<button s="\d+ element attr create effect prop region spread fn handler\/(?:live-1 handler\/)?test-1/;
    assert.match(await render(element, {}, "D"), scope);
    const html = await render(element, {}, "E");
    assert.match(html, scope);
    assert.match(html, / title="1" on:click="!_c"><!--\[--><!--\[-->1<!--\]--><!--c0--><!--\]--><!--p0--><\/button>/);
  });

  it("may be a field with several lines, whose text is its value", async () => {
    const field = "export function F(p) { return <Dynamic is='textarea' value={p.text}>{p.children}</Dynamic>; }";
    assert.equal(await render(field, { text: "<b>" }, "F"), "<textarea>\n&lt;b></textarea>");
    await assert.rejects(render("export function F() { return <Dynamic is='textarea'><b /></Dynamic>; }", {}, "F"), {
      code: "SVC_DEFINITION",
      message: /no fixed text/,
    });
  });

  it("rejects a missing name", async () => {
    for (const is of [undefined, null, false])
      await assert.rejects(render(text, { is }), {
        code: "SVC_DEFINITION",
        message: /<Dynamic is=\{…\}> got (?:undefined|null|boolean)\./,
      });
  });
});
