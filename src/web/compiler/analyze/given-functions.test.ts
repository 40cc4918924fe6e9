import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { functionNames } from "../emit/passed-props.ts";
import { compileHooks } from "../compile.ts";
import { compileTsx, serverBody } from "../harness.testkit.ts";

const CONTEXT = "const Ctx = createContext();";

/** Browser code for live props of an app whose code captures these names. */
const liveBody = (text: string, anywhere: string[], shown: string[] = []): string =>
  compileTsx(text, {
    liveNames: new Set(),
    calledNames: { anywhere: new Set(anywhere), shown: new Set(shown), besideLive: new Set() },
  }).live?.output.code ?? "";

describe("a function in the value of a context", () => {
  const provider = (value: string): string =>
    `${CONTEXT}\nexport function A(p) { const n = signal(1); const inc = () => n.value++; return <Ctx.Provider value={${value}}>{p.children}</Ctx.Provider>; }`;

  it("is recorded with its factory and slots, whatever its form", () => {
    assert.match(serverBody(provider("{ inc }")), /\{ inc: \$lift\(\$b\d, "f0", \(\) => \[n\], inc\) \}/);
    assert.match(serverBody(provider("{ a: [inc] }")), /\[\$lift\(\$b\d, "f0", \(\) => \[n\], inc\)\]/);
    assert.match(serverBody(provider("{ dec() { n.value--; } }")), /dec: \$lift\(\$b\d, "f0", .*function \(\) \{/);
    assert.match(
      serverBody(provider("{ get n() { return n.value; } }")),
      /\$getter\(\$b\d, "f0", \(\) => \[n\], "n", \{ get n\(\)/,
    );
    assert.match(serverBody(provider("p.isOff ? undefined : inc")), /undefined : \$lift\(/);
  });

  it("is in the browser's code if the app captures the context, or this member of it", () => {
    const text = provider("{ inc }");
    assert.match(liveBody(text, ["~useContext/Ctx"]), /export const f0 = \(\$\) => \(\(\) => \$\[0\]\.value\+\+\);/);
    assert.match(liveBody(text, ["~useContext/Ctx#inc"]), /export const f0/);
    assert.doesNotMatch(liveBody(text, ["~useContext/Ctx#dec"]), /export const f0/);
    assert.doesNotMatch(liveBody(text, []), /export const f0/);
  });

  it("is in the browser's code if bindings show it and it reads state", () => {
    assert.match(liveBody(provider("{ inc }"), [], ["~useContext/Ctx#inc"]), /export const f0/);
    assert.doesNotMatch(liveBody(provider("{ half: (x) => x / 2 }"), [], ["~useContext/Ctx#half"]), /export const f0/);
  });
});

describe("a function in an object that is a prop", () => {
  const grid = "const Grid = (p) => <b onClick={() => p.columns[0].format(1)}>x</b>;";

  it("is in the browser's code if the app captures the prop", () => {
    const text = `${grid}\nexport const A = () => <Grid columns={[{ format: (x) => x }]} />;`;
    assert.match(serverBody(text), /format: \$lift\(\$b\d, "f0", \(\) => \[\], \(x\) => x\)/);
    assert.match(liveBody(text, ["columns"]), /export const f0 = \(\$\) => \(\(x\) => x\);/);
    assert.doesNotMatch(liveBody(text, ["rows"]), /export const f0/);
  });

  it("is in the browser's code if the app captures an item of the prop, also in another component", () => {
    const rows =
      "const Rows = (p) => <p>{p.tools.map((tool) => <b onClick={() => tool.run()}>x</b>)}</p>;\nconst Page = (p) => <Rows tools={p.actions} />;";
    const text = `${rows}\nexport const A = () => <Page actions={[{ run: () => 1 }]} />;`;
    const { captured } = compileTsx(text);
    assert.ok(captured.has("~item/tools"));
    const names = functionNames([captured], [[{ name: "tools", from: "actions" }]]);
    assert.match(liveBody(text, [...names]), /export const f0 = /);
  });

  it("is found by its keys if the object is a constant of the module", () => {
    const text = `const COLUMNS = [{ format: (x) => x }];\n${grid}\nexport const A = () => <Grid columns={COLUMNS} />;`;
    assert.match(serverBody(text), /columns: \$moduleValue\(\$b\d, "f0", COLUMNS\)/);
    assert.match(
      liveBody(text, ["columns"]),
      /f0o = \(\$\) => \(COLUMNS\);\nexport const f0 = \(\$\) => \$\.reduce\(\(at, key\) => at\[key\], f0o\(\)\);/,
    );
    const plain = text.replace("(x) => x", "1");
    assert.doesNotMatch(serverBody(plain), /\$moduleValue/);
  });
});

describe("a function in an object that a hook gets", () => {
  it("is in the browser's code if the hook's code captures its parameter", () => {
    const text = `import { useForm } from "./form";\nexport function A() { const f = useForm({ name: (x) => x }); return <p>{f.text}</p>; }`;
    assert.match(liveBody(text, ["~given/useForm"]), /export const f0 = \(\$\) => \(\(x\) => x\);/);
    assert.doesNotMatch(liveBody(text, []), /export const f0/);
  });

  const hooks = (text: string) =>
    compileHooks(`import { signal, computed, useContext } from "svckit";\n${text}`, "hooks.ts");

  it("is captured by the name of the hook's arguments", () => {
    const text =
      "export function useForm({ rules }) { const v = signal(1); return { v, ok: computed(() => rules.a(v.value)) }; }";
    assert.ok(hooks(text)?.captured.has("~given/useForm"));
  });

  it("is captured through hooks and props that pass it on", () => {
    const outer = "export function useOuter(rules) { return useForm(rules); }";
    const component = "export function A(p) { const f = useOuter(p.rules); return <p>{f}</p>; }";
    const links = [hooks(`import { useForm } from "./form";\n${outer}`)?.links ?? [], compileTsx(component).links];
    assert.deepEqual([...functionNames([["~given/useForm"]], links)], ["~given/useForm", "~given/useOuter", "rules"]);
  });

  it("is captured through a hook that returns a context", () => {
    const links = hooks(`const Ctx = {};\nexport function useCart() { return useContext(Ctx); }`)?.links ?? [];
    assert.deepEqual(
      [...functionNames([["~result/useCart#add"]], [links])],
      ["~result/useCart#add", "~useContext/Ctx"],
    );
  });
});
