import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compile, type CompileOptions } from "../compile.ts";
import { compileError, compileTsx } from "../harness.testkit.ts";

const COLLAPSIBLE =
  "export const Collapsible = (p) => { const open = signal(false); return <div>{open.value && <p>{p.children}</p>}</div>; };\n";
const PLAIN =
  "export const Plain = (p) => { const open = signal(false); return <div hidden={open.value}>{p.children}</div>; };\n";
const viewsOf = (text: string, options?: CompileOptions) => compileTsx(text, options).views?.output.code;

describe("children that the browser may have to create", () => {
  it("are an export of a browser module, made from the values that they read", () => {
    const text = `${COLLAPSIBLE}export const A = () => { const n = signal(0); return <Collapsible><b>{n.value}</b></Collapsible>; };`;
    assert.match(viewsOf(text) ?? "", /export const s0 = \(\$\) => \$V\([^]*\$T\(\$r, \(\) => \$\[0\]\.value\)/);
    assert.match(compileTsx(text).server.code, /\$view\(\$b\d, "s0", \(\) => \[n\], \(\) => /);
  });

  it("need no module if the component always shows them", () => {
    assert.equal(viewsOf(`${PLAIN}export const A = () => <Plain><b>x</b></Plain>;`), undefined);
  });

  it("need one if the component passes them on, by their name or in a spread", () => {
    for (const panel of [
      "<Collapsible>{p.children}</Collapsible>",
      "<Collapsible {...p} />",
      "<i><Collapsible><b>{p.children}</b></Collapsible></i>",
    ]) {
      const text = `${COLLAPSIBLE}const Panel = (p) => ${panel};\nexport const A = () => <Panel><em>x</em></Panel>;`;
      assert.match(viewsOf(text) ?? "", /<em>x<\/em>/, panel);
    }
  });

  it("of an imported component need one if that component creates them", () => {
    const text = 'import { Box } from "./box.tsx"; export const A = () => <Box><em>x</em></Box>;';
    const place = { where: "box.tsx:1:1", source: "p.children" };
    assert.equal(viewsOf(text), undefined);
    assert.match(viewsOf(text, { created: new Map([["Box", new Map([["children", place]])]]) }) ?? "", /<em>x<\/em>/);
    assert.deepEqual([...compileTsx(COLLAPSIBLE).created.keys()], ["Collapsible"]);
  });

  it("may use anything of the server if the component always shows them", () => {
    const text = `${PLAIN}class User {}; export const A = () => { const user = new User(); let n = 0; n++; return <Plain>{n}{user.name}<Toasts /></Plain>; };`;
    assert.doesNotThrow(() => compileTsx(text));
  });

  it("are refused if only the server can make them, with the place that shows them", () => {
    const { message } = compileError(`${COLLAPSIBLE}export const A = () => <Collapsible><Toasts /></Collapsible>;`);
    assert.match(message, /^SVC120 pages\/test\.tsx:3:/);
    assert.match(
      message,
      /The browser runs this code because <Collapsible> shows its children in a row or branch that may change, by "p\.children" \(pages\/test\.tsx:2:\d+\)\./,
    );
  });

  it("are read where the server's content was made from parts of them that change", () => {
    const text = `${COLLAPSIBLE}export const A = () => { const n = signal(0); return <Collapsible>{n.value} {n.value > 1 ? <b>x</b> : null}</Collapsible>; };`;
    assert.match(viewsOf(text) ?? "", /, \(\) => \[\$\[0\]\.value, \$\[0\]\.value > 1, null\]\);/);
  });

  it("may be JSX in another prop, in a constant or in an object", () => {
    const card = "const Card = (p) => { const open = signal(false); return <div>{open.value && p.icon}</div>; };\n";
    for (const [before, value] of [
      ["", "<em>x</em>"],
      ["", "wide ? <em>x</em> : <i />"],
      ["const icon = <em>x</em>;", "icon"],
      ["const all = { icon: <em>x</em> };", "all.icon"],
    ]) {
      const text = `${card}const wide = true; export const A = () => { ${before} return <Card icon={${value}} />; };`;
      assert.match(viewsOf(text) ?? "", /<em>x<\/em>/, value);
      assert.equal(viewsOf(text.replaceAll("p.icon", "p.other")), undefined, value);
    }
  });

  it("are refused in another prop too, with its name", () => {
    const card =
      "const Card = (p) => { const open = signal(false); return <div>{open.value && <i>{p.icon}</i>}</div>; };\n";
    const { message } = compileError(`${card}export const A = () => <Card icon={<b><Toasts /></b>} />;`);
    assert.match(message, /^SVC120 pages\/test\.tsx:3:/);
    assert.match(message, /because <Card> shows its prop "icon" in a row or branch that may change, by "p\.icon"/);
  });

  it("are refused in a constant that a branch of its own component shows", () => {
    const text =
      "export const A = () => { const open = signal(false); const note = <b><Toasts /></b>; return <p>{open.value && note}</p>; };";
    assert.match(compileError(text).message, /^SVC120 pages\/test\.tsx:2:/);
  });

  it("may use anything of the server in props that only live props show", () => {
    const card = "const Card = (p) => <div>{p.title && <h1>{p.title}</h1>}</div>;\n";
    assert.doesNotThrow(() => compileTsx(`${card}export const A = () => <Card title={<b><Toasts /></b>} />;`));
  });

  it("are created in every instance if state of a context or hook decides whether they are shown", () => {
    const feature = (test: string): string =>
      `const Flags = createContext({}); function Feature(p) { const { flags } = useContext(Flags); return <p>{${test} ? null : p.fallback}</p>; }
       export const A = () => { const flags = store({}); return <Flags.Provider value={{ flags }}><Feature fallback={<em>x</em>} /></Flags.Provider>; };`;
    assert.match(viewsOf(feature("flags[p.name]")) ?? "", /<em>x<\/em>/);
    assert.equal(viewsOf(feature("p.name")), undefined);
  });

  it("may be what a function returns: a render prop, or children", () => {
    for (const shown of [
      "p.items.map((x) => p.show(x))",
      "p.items.map(p.show)",
      "p.items.map((x) => <li>{p.show(x)}</li>)",
    ]) {
      const list = `const List = (p) => <ul>{${shown}}</ul>;\n`;
      const text = `${list}export const A = () => { const all = signal([1]); return <List items={all.value} show={(x) => <em>{x}</em>} />; };`;
      assert.match(viewsOf(text) ?? "", /export const s0 = \(\$\) => \(x\) => \$V\(/, shown);
      assert.match(compileTsx(text).server.code, /show: \$lift\(\$b\d, "s0", \(\) => \[\], /);
      const asChildren = text.replaceAll("p.show", "p.children").replace(/show=\{(.*)\} \/>/, ">{$1}</List>");
      assert.match(viewsOf(asChildren) ?? "", /export const s0 = \(\$\) => \(x\) => \$V\(/, asChildren);
    }
  });

  it("are no text that a prop returns, by its type", () => {
    const text = (type: string) =>
      `export const List = (p: { show: ${type} }) => { const n = signal(0); return <ul>{n.value > 0 && <b>{p.show(n.value)}</b>}</ul>; };`;
    assert.match(compileTsx(text("(n: number) => Child")).client?.code ?? "", /\$I\(/);
    assert.doesNotMatch(compileTsx(text("(n: number) => string")).client?.code ?? "", /\$I\(/);
  });

  it("stay in the other module of a file in which nothing changes", () => {
    const { server, client } = compile(
      "const B = (p) => <b>{p.children}</b>; export const A = () => <B>x</B>;",
      "a.tsx",
    );
    assert.equal(client, undefined);
    assert.match(server.code, /\$view\(/);
  });
});
