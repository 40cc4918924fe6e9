import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { codeFrame, positionOf } from "./diagnostics.ts";
import { browserBody, compileError } from "./harness.testkit.ts";

describe("a diagnostic", () => {
  it("shows code, position, fix and the source line", () => {
    const error = compileError("export function A() {\n  let n = 0;\n  return <p onClick={() => n++}>x</p>;\n}");
    assert.equal(error.code, "SVC101");
    assert.equal(
      error.message,
      [
        "SVC101 pages/test.tsx:4:28",
        '"n" is a let variable, captured by code that runs in the browser: its value would be copied, not shared. Write const n = signal(…) and n.value, or make it a const.',
        "",
        "  2 | export function A() {",
        "  3 |   let n = 0;",
        "> 4 |   return <p onClick={() => n++}>x</p>;",
        "    |                            ^",
        "  5 | }",
        "",
        "See SVC101 captured-let in docs/errors.md.",
      ].join("\n"),
    );
  });

  it("counts lines and columns from 1", () => {
    assert.deepEqual(positionOf("ab\ncd", 0), { line: 1, column: 1 });
    assert.deepEqual(positionOf("ab\ncd", 4), { line: 2, column: 2 });
  });

  it("underlines within one line", () => {
    assert.equal(codeFrame("ab\ncd", { start: 1, end: 5 }), "> 1 | ab\n    |  ^\n  2 | cd");
  });
});

/** Each case: its name, a program with the fault marked by «», the code, and the fix that the message must name. */
const CASES: [name: string, text: string, code: string, wayOut: RegExp][] = [
  ["text that is no TSX", "export const A = () => <p></«b»>;", "SVC_INVALID", /./],
  [
    "a field that hides a property of its form",
    'export const A = () => <form><input «name="parentNode"» /></form>;',
    "SVC115",
    /another name/,
  ],
  ["a class by the name of its property", 'export const A = () => <p «className="a"» />;', "SVC118", /Write class=…/],
  [
    "the same of a label, and from data",
    "export const A = ({ id }) => <label «htmlFor={id}»>x</label>;",
    "SVC118",
    /Write for=…/,
  ],
  ["a field bound to text", 'export const A = () => <input bind:value={«"x"»} />;', "SVC110", /a signal by its name/],
  [
    "a captured let",
    "export function A() { let n = 0; return <p onClick={() => «n»}>x</p>; }",
    "SVC101",
    /const n = signal/,
  ],
  ["a let as handler", "export function A() { let f = () => 1; return <p onClick={«f»}>x</p>; }", "SVC101", /signal/],
  [
    "a captured const that is assigned",
    "export function A({ n }) { return <p onClick={() => { «n» = 1; }}>x</p>; }",
    "SVC102",
    /n\.value/,
  ],
  [
    "props that are assigned",
    "export function A(props) { return <p onClick={() => { «props» = 1; }}>x</p>; }",
    "SVC102",
    /signal/,
  ],
  [
    "a handler that is a call",
    "export const A = () => <p onClick={«make()»}>x</p>;",
    "SVC103",
    /\(event, element\) =>/,
  ],
  ["a handler without a value", "export const A = () => <p «onClick»>x</p>;", "SVC103", /\(event, element\) =>/],
  ["a handler given as text", 'export const A = () => <p «onClick="x()"»>x</p>;', "SVC103", /\(event, element\) =>/],
  ["a handler in lower case", 'export const A = () => <p «onclick="x()"»>x</p>;', "SVC103", /onClick=/],
  ["onLoad without a function", "export function A() { «onLoad(1)»; return <p>x</p>; }", "SVC103", /\(\) =>/],
  [
    "a server-only export of svc in a handler",
    'import { page } from "svckit"; export const A = () => <p onClick={() => «page»()}>x</p>;',
    "SVC104",
    /server action/,
  ],
  [
    "a module-level let in a handler",
    "let n = 0; export const A = () => <p onClick={() => «n»++}>x</p>;",
    "SVC105",
    /into the component/,
  ],
  [
    "a module-level signal in a binding",
    "const n = signal(0); export const A = () => <p>{«n».value}</p>;",
    "SVC105",
    /into the component/,
  ],
  [
    "this in a handler",
    "export function A() { return <p onClick={() => «this».x}>x</p>; }",
    "SVC106",
    /const in the component/,
  ],
  [
    "arguments in a handler",
    "export function A() { return <p onClick={() => «arguments»[0]}>x</p>; }",
    "SVC106",
    /const in the component/,
  ],
  ["an async component", "export «async function A(p) »{ return <p>{await p.x}</p>; }", "SVC106", /load of page/],
  ["await in children", "const a = async () => <B>{«await load()»}</B>;", "SVC106", /const value = await/],
  [
    "a class instance",
    "export function A() { const s = new Socket(); return <p onClick={() => «s».send()}>x</p>; }",
    "SVC107",
    /inside the handler/,
  ],
  [
    "a local class",
    "export function A() { class X {} return <p onClick={() => new «X»()}>x</p>; }",
    "SVC107",
    /inside the handler/,
  ],
  [
    "a function prop as handler",
    "export const A = (props) => <p onClick={«props.save»}>x</p>;",
    "SVC107",
    /Rename it to onSelect/,
  ],
  [
    "a destructured function prop as handler",
    "export const A = ({ save }) => <p onClick={«save»}>x</p>;",
    "SVC107",
    /Rename it to onSelect/,
  ],
  [
    "a function prop that is called",
    "export const A = (props) => <p onClick={() => «props.save»(1)}>x</p>;",
    "SVC107",
    /action/,
  ],
  ["a div in a p", "export const A = () => <p>«<div>»x</div></p>;", "SVC108", /Use <div>/],
  ["a tr in a table", "export const A = () => <table>«<tr>»x</tr></table>;", "SVC108", /tbody/],
  ["an a in an a, a span between", "export const A = () => <a><span>«<a>»x</a></span></a>;", "SVC108", /another <a>/],
  [
    "live text in no element",
    "export function A() { const n = signal(1); return <>{«n.value»}</>; }",
    "SVC109",
    /<div> or <span>/,
  ],
  [
    "a live condition in no element",
    "export function A() { const n = signal(1); return <>{«n.value && <b>x</b>»}</>; }",
    "SVC109",
    /<div> or <span>/,
  ],
  [
    "a component that returns a live condition",
    "export function A() { const n = signal(1); return «n.value» ? <b>x</b> : <i>y</i>; }",
    "SVC109",
    /<div> or <span>/,
  ],
  [
    "a component that returns live text",
    "export function A() { const n = signal(1); return «n.value»; }",
    "SVC109",
    /<div> or <span>/,
  ],
  [
    "a live value of a context",
    "const C = createContext(0); export function A() { const n = signal(1); return <C.Provider value={«n.value»}>x</C.Provider>; }",
    "SVC121",
    /Pass the signal/,
  ],
  ["a second page around the page", "export const A = () => «<html>»x</html>;", "SVC108", /options of page/],
  [
    "a component that is called",
    "const Box = (x) => <b>{x}</b>; export const A = () => <p>{«Box(1)»}</p>;",
    "SVC109",
    /<Box … \/>, or call it box/,
  ],
  [
    "a key made of a name created in the row",
    "export function A() { const s = store({ l: [1] }); return <ul>{s.l.map((x) => { const k = x + 1; return <li key={«k»}>x</li>; })}</ul>; }",
    "SVC109",
    /item\.id/,
  ],
  [
    "a live row taken apart by a default",
    "export function A() { const s = store({ l: [1] }); return <ul>{s.l.map(({ «a = 1» }) => <li>{a}</li>)}</ul>; }",
    "SVC109",
    /item\.a/,
  ],
  [
    "<For> without each",
    "export const A = () => <ul>«<For>{(x) => <li>x</li>}</For>»</ul>;",
    "SVC109",
    /each=\{list\}/,
  ],
  ["<Show> without when", "export const A = () => <ul>«<Show>»x</Show></ul>;", "SVC109", /when=/],
  [
    "<Show> with fallback before when",
    "export function A() { const n = signal(1); return <p><Show fallback={«<i>x</i>»} when={n.value}><b>y</b></Show></p>; }",
    "SVC109",
    /when=\{…\} before/,
  ],
  ["spread children", "export const A = (p) => <ul>«{...p.l}»</ul>;", "SVC109", /\{list\}/],
  ["a value in a script", "export const A = (p) => <script>«{p.x}»</script>;", "SVC109", /data-…/],
  ["a style that ends itself", 'export const A = () => «<style>{"</style>"}</style>»;', "SVC109", /<\\\/style/],
  [
    "a list of values on a select",
    "export const A = (p) => <select multiple «value={p.x}»>x</select>;",
    "SVC109",
    /selected=/,
  ],
  ["hooks without an element", "export function A() { «onLoad(() => 1);» return <B />; }", "SVC109", /<div>/],
  [
    "a name of the browser in an effect",
    "export function A(p) { effect(() => { «localStorage».x = p.x; }); return <p>x</p>; }",
    "SVC111",
    /onLoad/,
  ],
  [
    "an effect in a condition",
    "export function A(p) { if (p.x) { «effect(() => sync(p.x))»; } return <p>x</p>; }",
    "SVC111",
    /inside its function/,
  ],
  [
    "a signal read into a const and shown",
    "export function A() { const c = signal(1); const n = c.value * 2; return <p>{«n»}</p>; }",
    "SVC112",
    /\{c\.value\} here/,
  ],
  [
    "a field taken out of a store and shown as an attribute",
    "export function A() { const s = store({ t: 1 }); const { t } = s; return <p title={«t»}>x</p>; }",
    "SVC112",
    /computed/,
  ],
  [
    "a branch chosen once by a signal",
    "export function A() { const c = signal(1); if («c.value > 9») return <b>x</b>; return <i>y</i>; }",
    "SVC112",
    /<Show>/,
  ],
  [
    "a plain object that is shown and changed",
    "export function A() { const state = { n: 0 }; return <p onClick={() => «state.n++»}>{state.n}</p>; }",
    "SVC116",
    /const state = store\(\{ n: 0 \}\)/,
  ],
  [
    "a plain array that is shown and changed by a function of the component",
    "export function A() { const list: string[] = []; const add = () => «list.push('a')»; return <p onClick={add} title={list.join()}>x</p>; }",
    "SVC116",
    /const list = store\(\[\]\)/,
  ],
  [
    "a field deep inside a plain object that is shown and changed",
    "export function A(p) { const state = { a: { b: [1] } }; return <p onClick={() => { «state.a.b[0] = 2»; }}>{state.a.b.length > 1 ? <b>x</b> : null}</p>; }",
    "SVC116",
    /"state" is a plain object/,
  ],
  [
    "a prop that is set",
    "export function A(props) { «props.n = 1»; return <p>{props.n}</p>; }",
    "SVC113",
    /const n = signal\(props\.n\)/,
  ],
  [
    "a prop that is counted up in a handler",
    "export function A(props) { return <p onClick={() => «props.n++»}>x</p>; }",
    "SVC113",
    /props\.n\.value/,
  ],
  [
    "a key that is the same for each row",
    'export const A = (p) => <ul>{p.list.map((x) => <li «key="row"»>{x}</li>)}</ul>;',
    "SVC114",
    /key=\{item\.id\}/,
  ],
  [
    "a by that is the same for each row",
    "export const A = (p) => <ul><For each={p.list} by={«() => p.id»}>{(x) => <li>{x}</li>}</For></ul>;",
    "SVC114",
    /key=\{item\.id\}/,
  ],
  [
    "two siblings with one key",
    'export const A = () => <ul><li key="a">x</li><li «key="a"»>y</li></ul>;',
    "SVC114",
    /Another <li>/,
  ],
  ["text in a table", "export const A = () => <table>«text»<tbody /></table>;", "SVC108", /<td>/],
  [
    "a component of the framework in a live branch",
    "export function A() { const n = signal(1); return <p>{n.value && «<Toasts />»}</p>; }",
    "SVC120",
    /runs only on the server/,
  ],
  [
    "a component in a row of a virtual list",
    "const B = () => <i />; export function A(props) { return <ul><For each={props.rows} virtual>{«(row) => <li><B /></li>»}</For></ul>; }",
    "SVC120",
    /virtual list/,
  ],
  [
    "a component that is a value of the server in a live branch",
    "export function A(props) { const n = signal(1); return <p>{n.value && <«props.as» />}</p>; }",
    "SVC120",
    /imported or declared/,
  ],
  [
    "children of the server in a component in a live branch",
    "export function A(props) { const n = signal(1); return <p>{n.value && <B>{«props.children»}</B>}</p>; }",
    "SVC120",
    /Move it outside/,
  ],
  [
    "a binding of a component in a live branch",
    "export function A() { const n = signal(1); return <p>{n.value && <B «bind:value={n}» />}</p>; }",
    "SVC110",
    /Pass the signal as a prop/,
  ],
  [
    "children in a live branch",
    "export function A(props) { const n = signal(1); return <p>{n.value && <b>{«props.children»}</b>}</p>; }",
    "SVC120",
    /Move it outside/,
  ],
  [
    "a spread in a live branch",
    "export function A(props) { const n = signal(1); return <p>{n.value && <b «{...props}»>x</b>}</p>; }",
    "SVC120",
    /Write each attribute/,
  ],
  [
    "a signal made in a live row",
    "export function A() { const s = store({ l: [1] }); return <ul>{s.l.map((x) => { const n = signal(x); return <li>{«n».value}</li>; })}</ul>; }",
    "SVC120",
    /in the component/,
  ],
  ["JSX in a handler", "export const A = () => <p onClick={«() => <b>x</b>»}>x</p>;", "SVC120", /<Show> or <For>/],
  [
    "a module function with JSX in a handler",
    "const «row» = () => <b>x</b>; export const A = () => <p onClick={() => row()}>x</p>;",
    "SVC120",
    /server/,
  ],
  [
    "a live prop that reads a variable of the server",
    "export function A() { const n = signal(1); let by = 2; return <B count={«n.value * by»} />; }",
    "SVC121",
    /only the server can make/,
  ],
  [
    "an import of React",
    '«import { useState } from "react";» export function A() { return <p>x</p>; }',
    "SVC123",
    /Instead of useState, write const count = signal\(0\)/,
  ],
  [
    "a decorator",
    "export function A() { return <p onClick={() => { class B { «@log» run() {} } new B().run(); }}>x</p>; }",
    "SVC124",
    /Call a function instead/,
  ],
  [
    "an accessor field",
    "class B { «accessor n = 1;» } export function A() { return <p onClick={() => new B().n}>x</p>; }",
    "SVC124",
    /private field with get and set/,
  ],
  [
    "a call of preventDefault that comes too late",
    "export const A = () => <p onClick={(e) => { if (e.altKey) «e.preventDefault()»; }}>x</p>;",
    "SVC125",
    /onClick=\{\{ preventDefault: \(e\) => e\.altKey, handler: … \}\}/,
  ],
  [
    "a spread that changes",
    'export function A() { const o = signal({ id: "a" }); return <p «{...o.value}»>x</p>; }',
    "SVC109",
    /Write each attribute/,
  ],
];

describe("compile errors", () => {
  for (const [name, marked, code, wayOut] of CASES) {
    it(`reject ${name} with ${code}, with position and fix`, () => {
      const start = marked.indexOf("«");
      const error = compileError(marked.replaceAll(/[«»]/g, ""));
      assert.equal(error.code, code, error.message);
      assert.equal(error.message.split("\n")[0], `${code} pages/test.tsx:2:${start + 1}`, error.message);
      assert.match(error.message.split("\n")[1] ?? "", wayOut);
    });
  }

  it("cover every code of the compiler that docs/errors.md explains", () => {
    const page = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
    const documented = [...page.matchAll(/^### (SVC1\d\d) [\w-]+$/gm)].map((match) => match[1]);
    assert.deepEqual(
      // SVC117 concerns files of actions, SVC122 the whole app (build.test.ts), SVC127 and SVC128 files of assets (their own tests).
      [...new Set([...CASES.map(([, , code]) => code), "SVC117", "SVC122", "SVC127", "SVC128"])]
        .filter((code) => code !== "SVC_INVALID")
        .sort(),
      documented,
    );
  });
});

/** Valid programs that look similar to a mistake above. */
const FINE: [name: string, text: string][] = [
  [
    "a value read once that only a handler uses",
    "const c = signal(1); const n = c.value; return <p onClick={() => go(n)}>x</p>;",
  ],
  [
    "a value that is meant to be read once",
    "const c = signal(1); const n = untrack(() => c.value); return <p>{n}</p>;",
  ],
  ["a value that begins a signal", "const c = signal(1); const d = signal(c.value); return <p>{d.value}</p>;"],
  ["a computed", "const c = signal(1); const d = computed(() => c.value); return <p>{d.value}</p>;"],
  ["a signal taken out of the props", "const { count } = p; return <p>{count.value}</p>;"],
  [
    "a list of a store that rows come from",
    "const s = store({ l: [] }); return <ul>{s.l.map((x) => <li>{x}</li>)}</ul>;",
  ],
  ["a value read in a callback", "const c = signal(1); const later = wait(() => c.value); return <p>{later}</p>;"],
  ["a prop of a prop that is set", "return <p onClick={() => { p.count.value++; p.user.name = 1; }}>x</p>;"],
  ["a key made of the item in parts", "return <ul>{p.list.map(({ a, b }) => <li key={`${a} ${b}`}>x</li>)}</ul>;"],
];

describe("a program that looks like a mistake", () => {
  for (const [name, body] of FINE) it(`compiles: ${name}`, () => void browserBody(`export function A(p) { ${body} }`));
});
