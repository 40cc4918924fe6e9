import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { browser, browserBody, browserImports, compileTsx, render, signal } from "../harness.testkit.ts";

const lines = (...text: string[]): string => text.join("\n");

describe("the browser module", () => {
  it("contains the bindings and handlers of a scope, and their imports", () => {
    const text =
      "export function A(p) { const n = signal(p.start); return <main><p>Count: {n.value}</p><button onClick={() => n.value++}>+</button></main>; }";
    assert.equal(
      browserBody(text),
      lines(
        "export const b0 = ($, $r) => {",
        "const $n0 = $r.firstElementChild;",
        '$T($n0, () => ["Count: ",$[0].value,]);',
        "};",
        "export const h0 = ($) => $[0].value++;",
      ),
    );
    assert.deepEqual(browserImports(text), ['import { T as $T } from "/_svc/core.js";']);
  });

  it("does not exist for a file without browser code", () => {
    assert.equal(compileTsx("export const A = (p) => <p title={p.t}>{p.x}</p>;").client, undefined);
    assert.equal(
      compileTsx("export const A = () => { const n = signal(1); return <p>x{1 + 1}</p>; };").client,
      undefined,
    );
  });

  it("contains no server code, neither the component nor its helpers", () => {
    const text = `
      import { db } from "./db.server.ts";
      const SECRET = "s3cret";
      export function A() { const rows = db.read(SECRET); const n = signal(rows.length); return <p onClick={() => n.value++}>{n.value}</p>; }`;
    const code = compileTsx(text).client?.code ?? "";
    assert.doesNotMatch(code, /db|SECRET|s3cret|rows/);
  });

  it("sets attributes, properties, classes and styles each by its own binding", async () => {
    const text = `export function A() {
      const n = signal("v");
      return <label class={{ on: n.value }} style={{ top: n.value }} title={n.value}><input value={n.value} checked={n.value === "v"} /><details open={!n.value} /></label>;
    }`;
    const module = await browser(text);
    assert.deepEqual(module.bind("b0", [signal("v")]), [
      'root @class: "on"',
      'root style: "top:v"',
      'root @title: "v"',
      'root.children[0] .value: "v"',
      "root.children[0] .checked: true",
      "root.children[1] .open: false",
    ]);
  });

  it("does not bind fixed values", () => {
    const text =
      'export const A = (p) => { const n = signal(1); return <p title={p.t}><b class="x">{p.x}</b>{n.value}</p>; };';
    assert.equal(browserBody(text), lines("export const b0 = ($, $r) => {", "$X($r, 1, () => $[0].value);", "};"));
  });

  it("writes the same text as the server: runs with text, numbers, nothing and entities", async () => {
    const text =
      'export function A() { const n = signal(1); return <p>a &amp; `${"$"}{n.value}` {n.value > 5 ? null : n.value * 2}{null} {n.value.toFixed(1)}&nbsp;</p>; }';
    const [line] = (await browser(text)).bind("b0", [signal(1)]);
    const html = await render(text);
    assert.equal(line, 'root text: "a & `$$1` 2 1.0\u00a0"');
    assert.equal(html, '<p s="1 test-1">a &amp; `$$1` 2 1.0\u00a0</p>');
  });

  it("counts children from the front before a variable part and from the back after it", async () => {
    const text =
      "export function A(p) { const n = signal(1); return <p><b>{n.value}</b>{p.children}<i>{n.value}</i><u>x</u></p>; }";
    assert.deepEqual((await browser(text)).bind("b0", [signal(1)]), [
      'root.children[0] text: "1"',
      'root.children[-2] text: "1"',
    ]);
  });
});

describe("lists in the browser", () => {
  it("are bound early if constants of a row read more than its item", () => {
    const list = (own: string): string =>
      `export const A = () => { const s = store({ l: [{ t: 1 }] }); return <ul>{s.l.map((x, at) => { const own = ${own}; return <li title={own} />; })}</ul>; };`;
    for (const own of ["x.t + at", "x.t + s.l.length", "[() => at][0]"]) {
      assert.match(browserBody(list(own)), /, \$raw, 1\);/, own);
    }
    assert.match(browserBody(list("x.t + 1")), /, \$raw\);/);
  });

  it("follow a signal from a prop or a hook, also if their rows are components", () => {
    const list = (names: string, row: string): string =>
      `const C = () => <i />; export const A = (p) => { const own = useNames(); const read = () => own.value; const other = load(); return <p><For each={${names}}>{(name) => ${row}}</For></p>; };`;
    for (const names of ["p.names.value", "own.names.value", "own.value", "read()"])
      for (const row of ["<b>{name}</b>", "<C />"]) assert.match(browserBody(list(names, row)), /\$For\(/, names);
    // The value may be no signal, and the components may be ones that only the server can run.
    assert.match(browserBody(list("other.value", "<b>{name}</b>")), /\$For\(/);
    assert.doesNotMatch(browserBody(list("other.value", "<C />")), /\$For\(/);
  });

  it("create rows from a template and bind them to their item and index", async () => {
    const text = `export function A() {
      const s = store({ l: [{ id: 1, t: "a" }] });
      return <ul>{s.l.map((x, i) => <li key={x.id} title={x.t}><b>{i}: {x.t}</b><button onClick={() => (x.t = "z")}>z</button></li>)}</ul>;
    }`;
    const module = await browser(text);
    const item = { id: 7, t: "a" };
    assert.deepEqual(module.bind("b0", [{ l: [item] }]), [
      'rows of root from <li><b> </b><button on:click="h0">z</button></li>',
      'row 7 @title: "a"',
      'row 7.children[0] text: "0: a"',
    ]);
    module.run("h0", { $: [], i: { value: item }, n: { value: 0 } });
    assert.equal(item.t, "z");
  });

  it("reach outer rows, outer slots and indices from nested rows", async () => {
    const text = `export function A() {
      const s = store({ l: [[1, 2]] }); const by = signal(10);
      return <ul>{s.l.map((row, i) => <li><For each={row} by={(c) => c}>{(c, j) => <b onClick={() => console.log(row, c, i, j, by.value)}>{i}{j}{c + by.value}</b>}</For></li>)}</ul>;
    }`;
    const module = await browser(text);
    assert.deepEqual(module.bind("b0", [{ l: [[5]] }, signal(10)]), [
      "rows of root from <li></li>",
      'rows of row 5 from <b on:click="h0"> </b>',
      'row 5 text: "0015"',
    ]);
  });

  it("support destructured row parameters", async () => {
    const text = `export function A() {
      const s = store({ l: [] });
      return <ul><For each={s.l} by={({ id }) => id}>{({ id, at: { x }, tags: [first] }) => <li>{id}{x}{first}</li>}</For></ul>;
    }`;
    const module = await browser(text);
    const item = { id: 1, at: { x: 2 }, tags: [3] };
    assert.deepEqual(module.bind("b0", [{ l: [item] }]), ["rows of root from <li> </li>", 'row 1 text: "123"']);
  });

  it("create constants of a row in the browser, separate from equal names in other rows", async () => {
    const text = `export function A() {
      const s = store({ a: [1], b: [1] });
      return <div>
        <ul>{s.a.map((x) => { const y = x + 1; const say = () => y; return <li onClick={() => say()}>{y}</li>; })}</ul>
        <ol>{s.b.map((x) => { const y = x + 2; const say = () => y; return <li onClick={() => say()}>{y}</li>; })}</ol>
      </div>;
    }`;
    const module = await browser(text);
    assert.deepEqual(
      module.bind("b0", [{ a: [1], b: [1] }]).filter((line) => line.startsWith("row 1")),
      ['row 1 text: "2"', 'row 1 text: "3"'],
    );
    const row = { i: { value: 1 } };
    assert.deepEqual([module.run("h0", { ...row }), module.run("h1", { ...row })], [2, 3]);
  });

  it("end before a keyed comment if the list has siblings", () => {
    const text =
      "export const A = () => { const s = store({ l: [1] }); return <ul>{s.l.map((x) => <li>{x}</li>)}<li>end</li></ul>; };";
    assert.match(browserBody(text), /\$For\(\$r, 1, \(\) => \$\[0\]\.l, \(item\) => item, \$t0, /);
  });

  it("create MathML rows inside <math>, and HTML inside its text elements", () => {
    const text =
      "export const A = () => { const s = store({ l: [1] }); return <math>{s.l.map((x) => <mtext>{x > 1 && <b>{x}</b>}</mtext>)}</math>; };";
    assert.match(browserBody(text), /\$tpl\("<math><mtext><!--1--><\/mtext><\/math>"\)/);
    assert.match(browserBody(text), /\$tpl\("<b> <\/b>"\)/);
  });

  it("keep the keys of elements between lists and conditions, also in created rows", () => {
    const text = `export const A = () => {
      const s = store({ on: true, n: 1 });
      return <p>{s.on && <b>{s.n > 1 && <i />}<u>{s.n}</u>{s.n > 2 && <i />}</b>}</p>;
    };`;
    const key = /\$K\(\$r, (\d+)\)/.exec(browserBody(text))?.[1];
    assert.ok(key !== undefined && browserBody(text).includes(`<u b=\\"${key}\\"> </u>`), browserBody(text));
  });

  it("create SVG rows inside <svg>, in the SVG namespace", () => {
    const text =
      "export const A = () => { const s = store({ l: [1] }); return <svg>{s.l.map((x) => <circle r={x} />)}</svg>; };";
    assert.match(browserBody(text), /\$make\(\)\.firstElementChild\)\(\$tpl\("<svg><circle><\/circle><\/svg>"\)\)/);
  });
});

describe("conditions in the browser", () => {
  it("pick a branch and bind it", async () => {
    const text = `export function A() {
      const n = signal(1);
      return <div>{n.value > 2 ? <b>{n.value}</b> : n.value > 1 ? <i title={n.value} /> : null}</div>;
    }`;
    const module = await browser(text);
    assert.deepEqual(module.bind("b0", [signal(3)]), ["branch 0 of 2 before root#1", 'branch 0 text: "3"']);
    assert.deepEqual(module.bind("b0", [signal(2)]), ["branch 1 of 2 before root#1", "branch 1 @title: 2"]);
    assert.deepEqual(module.bind("b0", [signal(1)]), ["branch -1 of 2 before root#1"]);
  });

  it("treat && and <Show> with fallback alike", async () => {
    const text = `export function A() {
      const on = signal(true);
      return <div>{on.value && <b>x</b>}<Show when={!on.value} fallback={<i>no</i>}><u>yes</u></Show></div>;
    }`;
    const module = await browser(text);
    assert.deepEqual(module.bind("b0", [signal(true)]), ["branch 0 of 1 before root#1", "branch 0 of 2 before root#2"]);
    assert.deepEqual(module.bind("b0", [signal(false)]), [
      "branch -1 of 1 before root#1",
      "branch 1 of 2 before root#2",
    ]);
  });

  it("may be inside rows and read the row and the component", async () => {
    const text = `export function A() {
      const s = store({ l: [] }); const at = signal(0);
      return <ul><For each={s.l} by={(x) => x.id}>{(x) => <li>{at.value === x.id ? <input value={x.t} onBlur={() => (at.value = x.id)} /> : <b>{x.t}</b>}</li>}</For></ul>;
    }`;
    const module = await browser(text);
    assert.deepEqual(
      module.bind("b0", [
        {
          l: [
            { id: 1, t: "a" },
            { id: 2, t: "b" },
          ],
        },
        signal(2),
      ]),
      [
        "rows of root from <li><!--1--></li>",
        "branch 1 of 2 before row 1#1",
        'branch 1 text: "a"',
        "branch 0 of 2 before row 2#1",
        'branch 0 .value: "b"',
      ],
    );
    const at = signal(0);
    module.run("h0", { $: [{}, at], i: { value: { id: 9 } } });
    assert.equal(at.value, 9);
  });

  it("captures nothing that a function of the component declares itself, also where a created component gets it", () => {
    const text = `const Row = (props: { onRemove: (id: number) => void }) => <li><button onClick={() => props.onRemove(1)}>x</button></li>;
      export function A() { const ids = signal([1]); const remove = (id: number) => (ids.value = ids.value.filter((other) => other !== id));
      return <ul>{ids.value.map((id) => <Row key={id} onRemove={(gone) => remove(gone)} />)}</ul>; }`;
    const { code } = compileTsx(text).server;
    assert.match(code, /\$scope\(\$b\d, 1, \[ids\]\)/);
    assert.doesNotMatch(code, /\[[^\]]*\bother\b[^\]]*\]\)/);
  });

  it("imports exports of the same name from two assets under two names", () => {
    const text = `const Row = (props: { text: string }) => <li>{props.text}</li>;
      export function A() { const name = signal("a"); const l = signal(["a"]);
      return <form><input name={name.value} /><ul>{l.value.map((t) => <Row key={t} text={t} />)}</ul></form>; }`;
    const imports = browserImports(text);
    assert.ok(
      imports.some((line) => /\bN as \$N\b.*raw\.js/.test(line)),
      imports.join("\n"),
    );
    assert.ok(
      imports.some((line) => /\bN as \$create_N\b.*create\.js/.test(line)),
      imports.join("\n"),
    );
  });
});
