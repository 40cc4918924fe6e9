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
  it("is checked in texts, attributes, lists and conditions, whether destructured or not", () => {
    assert.deepEqual(stills("const A = (props) => <p>{props.list.names.join()}</p>;"), ["props.list"]);
    assert.deepEqual(stills("const A = ({ list }) => <p>{list.names.length}</p>;"), ["list"]);
    assert.deepEqual(stills("const A = (props) => <p title={props.list.title}>{props.list.a + props.other.b}</p>;"), [
      "props.list",
      "props.list",
      "props.other",
    ]);
    assert.deepEqual(stills("const A = (props) => <p>{props.list.map((item) => <b>{item.a.b}</b>)}</p>;"), [
      "props.list",
    ]);
    assert.deepEqual(stills("const A = (props) => <Show when={props.user.name}><b>x</b></Show>;"), ["props.user"]);
    assert.deepEqual(stills("const A = (props) => <For each={props.list.items}>{(item) => <b>{item.a}</b>}</For>;"), [
      "props.list",
    ]);
    assert.deepEqual(stills("const A = (props) => props.list.title ? <b>x</b> : <i>y</i>;"), ["props.list"]);
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
    assert.deepEqual(stills("const A = () => { const s = useSettings(); return <p>{s.name}</p>; };"), ["s"]);
    const { code } = compile(
      "const A = () => { const s = useSettings(); return <p title={`a ${s.total} b`}>x</p>; };",
      "a.tsx",
      {
        isDevelopment: true,
      },
    ).server;
    assert.match(
      code,
      /\$once\(\(\) => \(\$still\(s, "a\.tsx:1:\d+", "s", \$state0, "~useSettings:s24"\)\.total\), "a\.tsx:1:\d+", "s\.total", \$state0, "~useSettings:s24"\)/,
    );
  });

  it("is checked too if it is a member of the result of a hook, whose rows show it", () => {
    const list =
      "const A = () => { const form = useForm(); return <ul>{form.data.items.map((i) => <li>{i}</li>)}</ul>; };";
    const { code } = compile(list, "a.tsx", { isDevelopment: true }).server;
    assert.match(code, /\$once\(\(\) => \(\$still\(\$still\(form, .*?"form\.data"\)\.items\)/);
  });

  it("is not checked in production", () => {
    assert.deepEqual(stills("const A = (props) => <p>{props.list.names.join()}</p>;", false), []);
  });
});
