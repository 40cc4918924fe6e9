import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { browser, browserBody, browserImports, compileError, serverBody, signal } from "../harness.testkit.ts";

/** The slots that the server passes to the first scope. */
function slotsOf(text: string): string | undefined {
  return /\$scope\(\$+b0, (.*?\])\)/.exec(serverBody(text))?.[1];
}

describe("a capture of browser code", () => {
  it("is no instance of a class that a function of the file returns", () => {
    const text = (made: string): string =>
      `class M {} const make = () => ${made}; export function A() { const m = make(); return <p onClick={() => m.x}>x</p>; }`;
    const error = compileError(text("new M()"));
    assert.equal(error.code, "SVC107");
    assert.match(error.message, /"m" is an instance of M/);
    assert.equal(slotsOf(text("new Map()")), '0, [$only(m, "x")]');
  });

  it("is a component that a branch gets as a prop", () => {
    const text = 'export function A(p) { const n = signal(0); return <p>{n.value && <p.as size="1" />}</p>; }';
    assert.equal(slotsOf(text), "2, [p.as, n]");
    assert.match(browserBody(text), /\$New\(\$Dynamic, \{ get is\(\) \{ return \$\[0\]; \}, size: "1" \}/);
  });

  it("is a single prop by its path, not the props object", async () => {
    const text = "export const A = (props) => <p onClick={() => [props.a, props.b.c, props.a]}>x</p>;";
    assert.equal(slotsOf(text), '0, [props.a, $only(props.b, "c")]');
    assert.deepEqual((await browser(text)).run("h0", [1, { c: 2 }]), [1, 2, 1]);
  });

  it("is a destructured prop with its default and its new name", async () => {
    const text =
      "export const A = ({ start, step: by = 2, ...rest }) => <p onClick={() => ({ start, by, n: rest.n })}>x</p>;";
    assert.equal(slotsOf(text), "0, [start, by, rest.n]");
    assert.deepEqual((await browser(text)).run("h0", [1, 2, 3]), { start: 1, by: 2, n: 3 });
  });

  it("is a local value, as the server computed it", () => {
    const text =
      "export function A(p) { const { id } = p.row; const url = `/x/${id}`; return <p onClick={() => open(url + id)}>x</p>; }";
    assert.equal(slotsOf(text), "0, [url, id]");
    assert.equal(browserBody(text), "export const h0 = ($) => open($[0] + $[1]);");
  });

  it("is a plain object, which may be mutated if nothing displays it, or if it is displayed untracked", () => {
    const components = [
      "export function A() { const timer = { id: 0 }; return <p onClick={() => (timer.id = 1)}>x</p>; }",
      "export function A() { const timer = { id: 0 }; return <p onClick={() => (timer.id = 1)}>{untrack(() => timer.id)}</p>; }",
      "const B = (p) => <i>x</i>; export function A() { const timer = { id: 0 }; return <p onClick={() => (timer.id = 1)}><B timer={timer} /></p>; }",
      "export function A() { const totals = { n: 0 }; [1].forEach((n) => { totals.n += n; }); return <p onClick={() => go(totals.n)}>{totals.n}</p>; }",
      "export function A() { const state = { a: { n: 0 }, b: 1 }; return <p onClick={() => state.a.n++}>{state.b}</p>; }",
      "export function A() { const list = [2, 1]; return <p onClick={() => go(list.toSorted())}>{list.length}</p>; }",
    ];
    for (const component of components)
      assert.match(browserBody(`import { untrack } from "svckit"; ${component}`), /h0/);
  });

  it("is a signal, shared between bindings and handlers", async () => {
    const text =
      "export function A() { const n = signal(1), m = signal(2); return <p onClick={() => (m.value = n.value++)}>{n.value}</p>; }";
    assert.equal(slotsOf(text), "1, [n, m]");
    const [n, m] = [signal(1), signal(2)];
    (await browser(text)).run("h0", [n, m]);
    assert.deepEqual([n.value, m.value], [2, 1]);
  });

  it("is the signal of a prop or of a helper's result, however deep", () => {
    const text = `
      export function A(props) { return <p onClick={() => props.model.count.value++}>{props.model.count.value}</p>; }
      export function B() { const c = useCounter(); return <p onClick={() => c.count.value++}>{c.count.value}</p>; }`;
    assert.match(serverBody(text), /\$scope\(\$b0, 1, \[props\.model\.count\]\)/);
    assert.match(serverBody(text), /\$scope\(\$b3, 1, \[c\.count\]\)/);
  });

  it("is a store, which requires the part store", async () => {
    const text = "export function A() { const s = store({ n: 1 }); return <p onClick={() => s.n++}>x</p>; }";
    const store = { n: 1 };
    (await browser(text)).run("h0", [store]);
    assert.equal(store.n, 2);
  });

  it("is a computed, created again from its captures, once per scope", async () => {
    const text = `export function A() {
      const n = signal(2); const double = computed(() => n.value * 2); const four = computed(() => double.value * 2);
      return <p onClick={() => four.value}>{double.value}</p>;
    }`;
    assert.equal(slotsOf(text), "1, [n]");
    const module = await browser(text);
    const slots = [signal(3)];
    assert.deepEqual(module.bind("b0", slots), ['root text: "6"']);
    assert.equal(module.run("h0", slots), 12);
  });

  it("is a local function with what it captures, recursion and mutual calls included", async () => {
    const text = `export function A(p) {
      const log = signal(0);
      function down(n) { log.value++; if (n > 0) up(n - 1); }
      const up = (n) => (n > 0 ? down(n - 1) : p.end);
      return <p onClick={() => down(3)} onKeyDown={down}>x</p>;
    }`;
    const module = await browser(text);
    const log = signal(0);
    module.run("h0", [log, "end"]);
    assert.equal(log.value, 2);
    module.run("h1", [log, "end"], 1);
    assert.equal(log.value, 3);
  });

  it("is a constant, function, class or enum of the module, copied with what it needs", async () => {
    const text = `
      enum Mode { On = 4 }
      const BASE = 10;
      const STEP = { by: BASE };
      function next(n: number): number { return n + STEP.by; }
      class Box { constructor(readonly n: number) {} }
      const unused = Object.keys("server");
      export const A = () => <p onClick={() => new Box(next(Mode.On)).n}>x</p>;`;
    assert.equal((await browser(text)).run("h0", []), 14);
    assert.doesNotMatch(browserBody(text), /unused|server/);
  });

  it("is an import: named, renamed, default, namespace", async () => {
    const text = `
      import def, { one, two as deux } from "./lib.ts";
      import * as all from "./lib.ts";
      import { untouched } from "./server-lib.ts";
      export const A = () => <p onClick={() => [def, one, deux, all.one]} title={untouched()}>x</p>;`;
    assert.deepEqual(browserImports(text), [
      'import def from "./lib.ts";',
      'import { one } from "./lib.ts";',
      'import { two as deux } from "./lib.ts";',
      'import * as all from "./lib.ts";',
    ]);
    const lib = "data:text/javascript,export default 0; export const one = 1, two = 2;";
    assert.deepEqual((await browser(text, { "./lib.ts": lib })).run("h0", []), [0, 1, 2, 1]);
  });

  it("keeps local names of svc's browser exports", () => {
    const text =
      'import { signal as s, batch } from "svckit"; export const A = () => <p onClick={() => batch(() => s(1))}>x</p>;';
    assert.deepEqual(browserImports(text), ['import { batch, signal as s } from "/_svc/core.js";']);
  });

  it("does not touch inner names, even if they shadow", async () => {
    const text = `export function A(p) {
      const n = signal(1);
      return <p onClick={(event) => { const n = event.x; return [1].map((p) => p + n); }}>{n.value}</p>;
    }`;
    assert.deepEqual((await browser(text)).run("h0", [], { x: 4 }), [5]);
  });

  it("expands shorthand properties, also in template literals", async () => {
    const text =
      "export function A({ id }) { const n = signal(1); return <p onClick={() => ({ id, n, t: `${id}!` })}>x</p>; }";
    const n = signal(1);
    assert.deepEqual((await browser(text)).run("h0", ["i", n]), { id: "i", n, t: "i!" });
  });

  it("avoids names in the source that look generated", async () => {
    const text = `
      const $ = 1, b0 = 2, h0 = 3, $text = 4, $_say = 5;
      export function A() { const n = signal(1); const say = () => $ + b0 + h0 + $text + $_say; return <p onClick={() => say()}>{n.value}{$text}</p>; }`;
    const module = await browser(text);
    assert.deepEqual(module.bind("b1", [signal(1)]), ['root text: "14"']);
    assert.equal(module.run("h1", []), 15);
  });
});
