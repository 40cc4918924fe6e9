import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changed, placeIn, type SourceFile } from "../diagnostics.ts";
import { parse } from "../parse/parse.ts";
import { firstFormEdits } from "./forms.ts";

const IMPORTS = 'import { computed, effect, signal, store, untrack } from "svckit"; ';

function rewrittenFile(text: string): SourceFile {
  let file: SourceFile = { path: "a.tsx", text: IMPORTS + text };
  for (let edits; (edits = firstFormEdits(file, parse(file)));) file = changed(file, edits);
  return file;
}

/** @param body of a component with a signal */
function rewritten(body: string): string {
  const head = "function A(props) { const n = signal(0); ";
  const text = rewrittenFile(`${head}${body} }`).text.slice(IMPORTS.length);
  return text.replaceAll(/(?:; )+;|;+/g, ";").slice(head.length, -2);
}

function check(cases: readonly [body: string, result: string][]): void {
  for (const [body, result] of cases) assert.equal(rewritten(body), result);
}

function staysAsItIs(bodies: readonly string[]): void {
  for (const body of bodies) assert.equal(rewritten(body), body);
}

describe("early returns of a component", () => {
  it("are one condition", () => {
    check([
      ["if (n.value > 2) return <b/>; return <i/>;", "return (n.value > 2) ? (<b/>) : (<i/>);"],
      [
        "if (n.value > 2) { return null; } else if (props.on) return <u/>; else return <i/>;",
        "return (n.value > 2) ? (null) : (props.on) ? (<u/>) : (<i/>);",
      ],
      ["if (n.value > 2) return; return <i/>;", "return (n.value > 2) ? null : (<i/>);"],
      ["if (props.on) return <b/>; return props.list.map(row);", "return (props.on) ? (<b/>) : (props.list.map(row));"],
      [
        "switch (n.value) { case 1: return <b/>; case 2: case 3: return <u/>; } return <i/>;",
        "return (n.value) === (1) ? (<b/>) : (n.value) === (2) || (n.value) === (3) ? (<u/>) : (<i/>);",
      ],
      [
        "switch (n.value) { case 1: return <b/>; default: return <i/>; }",
        "return (n.value) === (1) ? (<b/>) : (<i/>);",
      ],
    ]);
  });

  it("stay as they are if they are no condition, or nothing of the component decides", () => {
    staysAsItIs([
      "try { if (n.value > 2) return <b/>; } catch {} return <i/>;",
      "for (const x of list) if (n.value > x) return <b/>; return <i/>;",
      "if (props.on) { if (n.value > 2) return <b/>; } return <i/>;",
      "if (untrack(() => n.value > 2)) return <b/>; return <i/>;",
      "if (isBrowser) return <b/>; return <i/>;",
      "if (n.value > 2) return <b/>; console.log(n.value); return <i/>;",
      "if (n.value > 2) return 1; return 2;",
    ]);
  });
});

describe("what a component declares behind an early return", () => {
  it("runs before the condition if it is a function or new state", () => {
    check([
      [
        "if (n.value > 2) return <b/>; const m = signal(props.m); const add = () => m.value++; return <i onClick={add}/>;",
        "const m = signal(props.m); const add = () => m.value++; return (n.value > 2) ? (<b/>) : (<i onClick={add}/>);",
      ],
      [
        "if (props.off) return <b/>; const { data, save } = useForm(); if (data.isDone) return <u/>; return <i/>;",
        "const { data, save } = useForm(); return (props.off) ? (<b/>) : (data.isDone) ? (<u/>) : (<i/>);",
      ],
    ]);
  });

  it("is a function if it may need the condition", () => {
    check([
      [
        "if (!n.value) return <b/>; const name = n.value.name; return <i title={name} data={{ name }}/>;",
        "const name = () => (n.value.name); return (!n.value) ? (<b/>) : (<i title={name()} data={{ name: name() }}/>);",
      ],
      [
        "if (!n.value) return <b/>; const { a, b: c } = n.value; return <i onClick={() => save(a)}>{c}</i>;",
        "const a = () => (n.value).a, c = () => (n.value).b; return (!n.value) ? (<b/>) : (<i onClick={() => save(a())}>{c()}</i>);",
      ],
      [
        "if (props.on) { const x = n.value * 2; return <b>{x}</b>; } return <i/>;",
        "const x = () => (n.value * 2); return (props.on) ? (<b>{x()}</b>) : (<i/>);",
      ],
    ]);
  });

  it("is an effect only while its content is shown", () => {
    check([
      [
        "if (n.value > 2) return <b/>; effect(() => { f(); }); return <i/>;",
        "effect(() => { if ((n.value > 2)) return;  f(); }); return (n.value > 2) ? (<b/>) : (<i/>);",
      ],
      [
        "if (n.value > 2) return <b/>; if (props.on) return <u/>; effect(() => f()); return <i/>;",
        "effect(() => { if ((n.value > 2) || (props.on)) return; return f(); }); return (n.value > 2) ? (<b/>) : (props.on) ? (<u/>) : (<i/>);",
      ],
    ]);
  });

  it("stays where it is if it can't run before the condition", () => {
    staysAsItIs([
      "if (!n.value) return <b/>; const m = signal(n.value.m); return <i/>;",
      "if (!n.value) return <b/>; const Icon = icons[n.value.kind]; return <Icon/>;",
      "if (!n.value) return <b/>; let m = n.value.m; m = 2; return <i/>;",
      "if (!n.value) return <b/>; const [m] = n.value; return <i>{m}</i>;",
      "if (props.on) { const add = () => 1; return <b onClick={add}/>; } const add = () => n.value; return <i onClick={add}/>;",
    ]);
  });

  it("stays where it is if it is state made from what the returns exclude", () => {
    staysAsItIs([
      "if (props.user === undefined) return <p />;const name = signal(props.user);return <b>{name.value}</b>",
      "if (!props.user) return <p />;const form = useForm(props.user.name);return <b>{form.name}</b>",
    ]);
    assert.match(
      rewritten("if (!props.user) return <p />;const m = signal(props.other);return <b>{m.value}</b>"),
      /^const m/,
    );
    assert.match(
      rewritten("if (n.value > 1) return <p />;const twice = useTwice(n);return <b>{twice}</b>"),
      /^const twice/,
    );
  });

  it("stays where it is if only props decide, and code of the server may give its value", () => {
    staysAsItIs(["if (!props.user) return <b/>; const name = format(props.user); return <i>{name}</i>;"]);
  });
});

describe("a constant that decides", () => {
  it("is a function if it contains what a signal or store contains now", () => {
    check([
      [
        "const isBig = n.value > 9; if (isBig) return <b/>; return <i/>;",
        "const isBig = () => (n.value > 9); return (isBig()) ? (<b/>) : (<i/>);",
      ],
      [
        "const s = store({ a: 1 }); const { a } = s; const isBig = a > 9; if (isBig) return <b/>; return <i/>;",
        "const s = store({ a: 1 }); const a = () => (s).a; const isBig = () => (a() > 9); return (isBig()) ? (<b/>) : (<i/>);",
      ],
    ]);
  });

  it("stays a constant if it is a computed, or made from props", () => {
    check([
      [
        "const isBig = computed(() => n.value > 9); if (isBig.value) return <b/>; return <i/>;",
        "const isBig = computed(() => n.value > 9); return (isBig.value) ? (<b/>) : (<i/>);",
      ],
      [
        "const isBig = props.n > 9; if (isBig) return <b/>; return <i/>;",
        "const isBig = props.n > 9; return (isBig) ? (<b/>) : (<i/>);",
      ],
    ]);
  });
});

it("Code that moves keeps its place in messages.", () => {
  const lines = [
    "function A() {",
    "  if (props.on) return <b/>;",
    "  const f = () => 1;",
    "  return <i onClick={f}/>;",
    "}",
  ];
  const file = rewrittenFile(lines.join("\n").replace("()", "(props)"));
  const place = (code: string) => placeIn(file, file.text.indexOf(code));
  assert.deepEqual(place("f = () => 1"), { line: 3, column: 9 });
  assert.deepEqual(place("<i onClick"), { line: 4, column: 10 });
  assert.deepEqual(place("props.on"), { line: 2, column: 7 });
  assert.equal(file.text.split("\n").length, lines.length);
});
