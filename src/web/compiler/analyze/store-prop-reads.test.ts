import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compile } from "../compile.ts";

function stills(component: string, isDevelopment = true): string[] {
  const { code } = compile(`import { computed, untrack, Show, For } from "svckit"; ${component}`, "a.tsx", {
    isDevelopment,
  }).server;
  return [...code.matchAll(/\$still\((.*?), "a\.tsx:1:\d+", "(.*?)"\)/g)].map(([, source]) => source ?? "");
}

describe("a prop in an expression that never updates", () => {
  it("is checked if the browser can't evaluate the expression again", () => {
    const shows = (jsx: string): string[] =>
      stills(`class Model { of(x) { return x; } } const A = (props) => { const model = new Model(); return ${jsx}; };`);
    assert.deepEqual(shows("<p>{model.of(props.list.names)}</p>"), ["props.list"]);
    assert.deepEqual(shows("<p title={model.of(props.list.title)}>{model.of(props.list.a + props.other.b)}</p>"), [
      "props.list",
      "props.list",
      "props.other",
    ]);
    assert.deepEqual(shows("<p>{model.of(props.list.names).map((item) => <b>{item.a.b}</b>)}</p>"), ["props.list"]);
  });

  it("is not checked in texts, attributes, lists and conditions that follow a store", () => {
    const components = [
      "const A = (props) => <p>{props.list.names.join()}</p>;",
      "const A = ({ list }) => <p>{list.names.length}</p>;",
      "const A = (props) => <p title={props.list.title}>{props.list.a + props.other.b}</p>;",
      "const A = (props) => <p>{props.list.map((item) => <b>{item.a.b}</b>)}</p>;",
      "const A = (props) => <p><Show when={props.user.name}><b>x</b></Show></p>;",
      "const A = (props) => <p><For each={props.list.items}>{(item) => <b>{item.a}</b>}</For></p>;",
      "const A = (props) => props.list.title ? <b>x</b> : <i>y</i>;",
      "const A = () => { const s = useSettings(); return <p>{s.name}</p>; };",
    ];
    for (const component of components) assert.deepEqual(stills(component), [], component);
  });

  it("is not checked if it is passed on, read in a computed, or read with untrack", () => {
    const components = [
      "const B = (p) => <i>x</i>; const A = (props) => <p><B list={props.list.names} /></p>;",
      "const A = (props) => <p>{untrack(() => props.list.names.join())}</p>;",
      "const A = (props) => { const names = computed(() => props.list.names.join()); return <p>{names.value}</p>; };",
      "const A = (props) => <p onClick={() => go(props.list.names)}>{props.count.value}</p>;",
      "const A = (props) => <p>{[1].map((item) => <b>{item.a.b}</b>)}</p>;",
      "const help = (options) => options.list.names; const A = () => <p>{help({})}</p>;",
    ];
    for (const component of components) assert.deepEqual(stills(component), [], component);
  });

  it("is checked too if it is the result of a hook, and its reads are tracked", () => {
    const { code } = compile(
      "class Model { of(x) { return x; } } const A = () => { const model = new Model(); const s = useSettings(); return <p title={`a ${model.of(s.total)} b`}>x</p>; };",
      "a.tsx",
      { isDevelopment: true },
    ).server;
    assert.match(code, /\$once\(\(\) => \(model\.of\(\$still\(s, "a\.tsx:1:\d+", "s"\)\.total\)\), "a\.tsx:1:\d+"/);
  });

  it("is not checked in production", () => {
    const component =
      "class Model { of(x) { return x; } } const A = (props) => { const model = new Model(); return <p>{model.of(props.a.b)}</p>; };";
    assert.deepEqual(stills(component, false), []);
  });
});
