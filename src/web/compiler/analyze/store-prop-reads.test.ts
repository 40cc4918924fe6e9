import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compile } from "../compile.ts";

function stills(component: string, isDevelopment = true): string[] {
  const { code } = compile(`import { computed, untrack, Show, For } from "svckit"; ${component}`, "a.tsx", {
    isDevelopment,
  }).server;
  const found: string[] = [];
  // Innermost first.
  const call = /\$still\(((?:(?!\$still\().)*?), "a\.tsx:1:\d+", "([^"]*)"(?:, [^()]*)?\)/;
  const plain = code.replace(/\$withMembers\((\$?\w+)[^()]*\)/g, "$1");
  for (let rest = plain, match = call.exec(rest); match; match = call.exec(rest)) {
    found.push(match[2] ?? "");
    rest = rest.replace(match[0], () => match?.[1] ?? "");
  }
  return found;
}

describe("a prop in an expression that never updates", () => {
  it("is checked in texts, attributes, lists and conditions, whether destructured or not", () => {
    assert.deepEqual(stills("const A = (props) => <p>{props.list.first + 1}</p>;"), ["props.list"]);
    assert.deepEqual(stills("const A = ({ list }) => <p>{list.size}</p>;"), ["list"]);
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

  it("keeps its key in an object that names it once", () => {
    const text = "export const A = ({ done, text }) => <li class={{ done }} style={{ color: text }}>x</li>;";
    const { code } = compile(text, "a.tsx", { isDevelopment: true }).server;
    assert.match(code, /\{ done: \$(?:once|still)\(/);
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
    assert.match(
      code,
      /\$once\(\(\) => \(\$still\(\$still\(form, .*?"form\.data", \$state0, "~useForm:form24"\)\.items\)/,
    );
  });

  it("is checked too if it is in an object that is a prop", () => {
    assert.deepEqual(stills("const A = (props) => <p>{props.form.data.name}</p>;"), ["props.form", "props.form.data"]);
    assert.deepEqual(stills("const A = ({ form }) => <p>{form.data.name}</p>;"), ["form", "form.data"]);
  });

  it("is checked if it is passed to a function, which may read any member", () => {
    for (const component of [
      "const A = (props) => <p>{show(props.form)}</p>;",
      "const A = () => { const form = useForm(); return <p>{show(form)}</p>; };",
    ])
      assert.match(compile(component, "a.tsx", { isDevelopment: true }).server.code, /\$stillWhole\((props\.)?form,/);
  });

  it("is checked where the result of a hook chooses once what a component returns", () => {
    const once =
      "const A = () => { const form = useForm(); if (form.isDone) { if (now()) return <i>x</i>; } return <b>y</b>; };";
    assert.deepEqual(stills(once), ["form"]);
  });

  it("is not checked in production", () => {
    assert.deepEqual(stills("const A = (props) => <p>{props.list.names.join()}</p>;", false), []);
  });
});
