import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changed } from "../diagnostics.ts";
import { parse } from "../parse/parse.ts";
import { firstFormEdits } from "./forms.ts";

const IMPORTS = 'import { Case, For, Match, Show } from "svckit";';

function rewritten(jsx: string): string {
  let file = { path: "a.tsx", text: `${IMPORTS}\nconst x = ${jsx};` };
  for (let edits; (edits = firstFormEdits(file, parse(file)));) file = changed(file, edits);
  return file.text.slice(`${IMPORTS}\nconst x = `.length, -1);
}

function check(cases: readonly [jsx: string, result: string][]): void {
  for (const [jsx, result] of cases) assert.equal(rewritten(jsx), result);
}

describe("a list with a fallback", () => {
  it("is a condition before the list", () => {
    check([
      [
        "<ul><For each={a.items} by={key} fallback={<i/>}>{row}</For></ul>",
        "<ul>{a.items?.length ? null : (<i/>)}<For each={a.items} by={key}>{row}</For></ul>",
      ],
      [
        '<For each={f() ?? []} fallback="none">{row}</For>',
        '<>{(f() ?? [])?.length ? null : ("none")}<For each={f() ?? []}>{row}</For></>',
      ],
      ["<For fallback=<i/> each={a}>{row}</For>", "<>{a?.length ? null : (<i/>)}<For each={a}>{row}</For></>"],
    ]);
  });

  it("keeps the lines of comments and texts in its attributes", () => {
    const attributes = "each={f(`a\n  b`)}\n  by={(x) => x.id // unique\n  }";
    const result = rewritten(`<ul><For ${attributes} fallback={<i/>}>{row}</For></ul>`);
    assert.match(result, /f\(`a\n {2}b`\)\)\?\.length/);
    assert.match(result, /unique\n/);
  });

  it("keeps the lines of its fallback and its rows", () => {
    const text = "<For\n  each={a}\n  fallback={\n    <i/>\n  }\n  virtual\n>\n  {row}\n</For>";
    const lines = rewritten(text).split("\n");
    assert.equal(lines.length, text.split("\n").length);
    assert.match(lines[3] ?? "", /<i\/>/);
    assert.match(lines[7] ?? "", /\{row\}/);
  });
});

describe("a fallback without braces", () => {
  it("is a text or an element", () => {
    check([
      ['<Show when={a} fallback="a &amp; b"><b/></Show>', '<Show when={a} fallback={"a & b"}><b/></Show>'],
      ["<Show when={a} fallback=<i/>><b/></Show>", "<Show when={a} fallback={<i/>}><b/></Show>"],
    ]);
  });
});

describe("a function in a condition", () => {
  it("is its content, with the value in place of the parameter", () => {
    check([
      [
        "<Show when={user.value}>{(u) => <b>{u.name}</b>}</Show>",
        "<Show when={user.value}>{<b>{user.value.name}</b>}</Show>",
      ],
      [
        "<Show when={f(1)}>{(u: User) => { return <b title={u}>{g({ u })}</b>; }}</Show>",
        "<Show when={f(1)}>{<b title={(f(1))}>{g({ u: (f(1)) })}</b>}</Show>",
      ],
      [
        "<Match><Case when={a.b}>{function (v) { return v; }}</Case><Case>{() => <i/>}</Case></Match>",
        "<Match><Case when={a.b}>{a.b}</Case><Case>{<i/>}</Case></Match>",
      ],
      [
        "<Show when={a}>{(u) => <Show when={u.b}>{(v) => [u, v, (u) => u]}</Show>}</Show>",
        "<Show when={a}>{<Show when={a.b}>{[a, a.b, (u) => u]}</Show>}</Show>",
      ],
    ]);
  });

  it("stays as it is if it has another form", () => {
    const forms = [
      "<Show when={a}>{({ b }) => b}</Show>",
      "<Show when={a}>{(u) => { log(); return u; }}</Show>",
      "<Show when={a}>{(u) => { if (u) return u; }}</Show>",
      "<Show when={a}>{async (u) => u}</Show>",
      "<Show when={a}>{(u) => <u.Icon />}</Show>",
      "<Show when={a}>{(u) => (u = 1)}</Show>",
      "<Other when={a}>{(u) => u}</Other>",
    ];
    for (const form of forms) assert.equal(rewritten(form), form);
  });
});
