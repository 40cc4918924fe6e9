import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileHooks } from "../compile.ts";
import { browserBody, compileError, serverBody } from "../harness.testkit.ts";

const hooks = (text: string) =>
  compileHooks(`import { signal, computed, effect } from "svckit";\n${text}`, "hooks/use.ts");
const serverOf = (text: string): string => hooks(text)?.server.code ?? "";
const browserOf = (text: string): string => hooks(text)?.client?.code ?? "";

describe("a value that leaves a hook", () => {
  const text = `export function useCounter() {
  const count = signal(0);
  const add = (by: number) => (count.value += by);
  function reset() { count.value = 0; }
  return { count, add, reset, double: computed(() => count.value * 2), log() { return count.value; } };
}`;

  it("is recorded with its factory and slots, whatever its form", () => {
    const server = serverOf(text);
    assert.match(
      server,
      /const add = \$lift\(\$b\d, "h\d", \(\) => \[count\], \(by: number\) => \(count\.value \+= by\)\);/,
    );
    assert.match(server, /useCounter\(\) \{ \$lift\(\$b\d, "h\d", \(\) => \[count\], reset\);/);
    assert.match(server, /double: \$lift\(\$b\d, "h\d", \(\) => \[count\], computed\(\(\) => count\.value \* 2\)\)/);
    assert.match(server, /log: \$lift\(\$b\d, "h\d", \(\) => \[count\], function \(\) \{ return count\.value; \}\)/);
  });

  it("is created in the browser from its slots", () => {
    assert.match(browserOf(text), /export const h\d = \(\$\) => \(computed\(\(\) => \$\[0\]\.value \* 2\)\);/);
    assert.match(browserOf(text), /export const h\d = \(\$\) => \(function \(\) \{ return \$\[0\]\.value; \}\);/);
  });

  it("stays on the server if it captures no state or changes a variable", () => {
    assert.equal(hooks("export const find = (db: Db) => ({ all: () => db.query() });"), undefined);
    assert.equal(
      hooks("export function useTicks() { const n = signal(0); let at = 0; return () => (at += n.value); }"),
      undefined,
    );
  });

  it("is a computed in a component if it is part of another value", () => {
    const body = "const [double] = [1].map((by) => computed(() => by)); return <p>{double.value}</p>;";
    assert.match(
      serverBody(`export function A() { ${body} }`),
      /\$lift\(\$b1, "h0", \(\) => \[by\], computed\(\(\) => by\)\)/,
    );
    assert.doesNotMatch(
      serverBody("export function A() { const n = computed(() => 1); return <p>{n.value}</p>; }"),
      /\$lift/,
    );
  });
});

describe("a value that a component gives to another", () => {
  it("is a computed, or a function of an object, with its factory", () => {
    const child = "function B(p) { return <b onClick={() => p.api.inc()}>{p.sum.value}</b>; }";
    const body =
      "const n = signal(1); const api = { inc: () => n.value++ }; const sum = computed(() => n.value); return <B api={api} sum={sum} />;";
    const server = serverBody(`${child}\nexport function A() { ${body} }`);
    assert.match(server, /\{ inc: \$lift\(\$b\d, "h\d", \(\) => \[n\], \(\) => n\.value\+\+\) \}/);
    assert.match(server, /const sum = \$lift\(\$b\d, "h\d", \(\) => \[n\], computed\(\(\) => n\.value\)\)/);
  });

  it("is made once for the page if a function of the app wraps another one", () => {
    const wrap =
      "const debounce = (run, ms) => { let id; return () => { clearTimeout(id); id = setTimeout(run, ms); }; };";
    const made = (body: string): string =>
      serverBody(`${wrap}\nexport function A() { const n = signal(1); const save = ${body} }`);
    const called = "debounce(() => n.value++, 5);";
    const marked = /const save = \$wrapped\(\$b\d, "[hf]\d", \(\) => \[n\], debounce\(\(\) => n\.value\+\+, 5\)\)/;
    assert.match(made(`${called} return <p onClick={() => save()}>{n.value}</p>;`), marked);
    assert.match(made(`${called} return <B save={save} />;`), marked);
    assert.doesNotMatch(made(`${called} return <p>{save}</p>;`), /wrapped/, "shown on the server");
    assert.match(
      browserBody(
        `${wrap}\nexport function A() { const n = signal(1); const save = ${called} return <p onClick={save}>x</p>; }`,
      ),
      /h1 = \(\$\) => \(debounce\(\(\) => \$\[0\]\.value\+\+, 5\)\)/,
    );
  });

  it("is shown by its own name", () => {
    const body = "const n = signal(1); return <p title={n}>{n} and {n}</p>;";
    assert.match(browserBody(`export function A() { ${body} }`), /"title", \(\) => \$\[0\]\.value\)/);
    assert.match(browserBody(`export function A() { ${body} }`), /\[\$\[0\]\.value," and ",\$\[0\]\.value,\]/);
  });
});

describe("a getter of an object that a hook returns", () => {
  it("is recorded with the object, and created from its captures", () => {
    const text = "export function useCart() { const n = signal(1); return { get n() { return n.value; } }; }";
    assert.match(serverOf(text), /\$getter\(\$b0, "h0", \(\) => \[n\], "n", \{ get n\(\)/);
    assert.match(browserOf(text), /h0 = \(\$\) => \(function ?\(\) \{ return \$\[0\]\.value; \}\)/);
  });
});

describe("a resource of a hook", () => {
  it("is connected with its source in the browser", () => {
    const text =
      'import { resource } from "svckit"; export function useItem(id) { return resource(() => id.value, load); }';
    assert.match(
      serverOf(text),
      /return \$hookResource\("[\w./-]+:\d+:\d+", \$b0, "h0", \(\) => \[id\]\)\(\(\) => id\.value, load\)/,
    );
    assert.match(browserOf(text), /h0 = \(\$\) => \{\n\$R\(\$\[0\], \(\) => \$\[1\]\.value, load\);/);
  });

  it("stays on the server if its source never changes, because its fetcher may use what only the server has", () => {
    const item = (rest: string): string =>
      `import { resource } from "svckit"; export function useItem(id) { const item = resource(() => id, load); return ${rest}; }`;
    assert.match(serverOf(item("item")), /= \$hookResource\("[\w./-]+:\d+:\d+"\)\(/);
    assert.match(serverOf(item("() => item.refetch()")), /= \$hookResource\("[\w./-]+:\d+:\d+", \$b/);
  });

  it("is an error if its source is a signal and the browser can't fetch it", () => {
    const text =
      'import { resource, signal } from "svckit"; let n = 0; export function useItem() { const id = signal(1); return resource(() => id.value, () => n++); }';
    assert.throws(() => serverOf(text), { code: "SVC105" });
  });
});

describe("an effect of a hook", () => {
  it("runs on the server, and is recorded for the next scope", () => {
    const text = "export function useLog(n) { effect(() => console.log(n.value)); }";
    assert.match(serverOf(text), /\$hookEffect\(\$b0, "h0", \(\) => \[n\], \(\) => console\.log\(n\.value\)\)/);
    assert.match(browserOf(text), /\$E\(\(\) => console\.log\(\$\[0\]\.value\), \[\(\) => void \$\[0\]\.value, \]\);/);
  });

  it("is an error if the browser can't run it", () => {
    const text =
      "function useLog(n) { let at = 0; effect(() => void (at += n.value)); }\nexport const A = () => <p>1</p>;";
    assert.equal(compileError(text).code, "SVC101");
  });
});
