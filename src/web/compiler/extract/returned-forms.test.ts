import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyEdits } from "../edits.ts";
import { parse } from "../parse/parse.ts";
import { returnedFormEdits } from "./returned-forms.ts";

function rewritten(text: string): string {
  return applyEdits(text, returnedFormEdits(parse({ path: "a.tsx", text })));
}

describe("what a component returns", () => {
  it("is the content of a fragment if it may change", () => {
    const cases: [text: string, result: string][] = [
      ["const A = (p) => p.on ? <b/> : <i/>;", "const A = (p) => <>{p.on ? <b/> : <i/>}</>;"],
      ["function A(p) { return p.on && <b/>; }", "function A(p) { return <>{p.on && <b/>}</>; }"],
      ["function A(p) { return p.list.map((x) => <b>{x}</b>); }", "{ return <>{p.list.map((x) => <b>{x}</b>)}</>; }"],
      ["function A(p) { return p.children; }", "return <>{p.children}</>;"],
      ["function A(p) { const view = () => <b/>; return view(); }", "return <>{view()}</>;"],
      ["function A(p) { if (p.on) return <b/>; return p.text; }", "if (p.on) return <b/>; return <>{p.text}</>;"],
    ];
    for (const [text, result] of cases) assert.ok(rewritten(text).includes(result), rewritten(text));
  });

  it("stays as it is if it is JSX, fixed, or no content", () => {
    const texts = [
      "const A = (p) => <b>{p.on ? 1 : 2}</b>;",
      "function A(p) { if (!p.on) return null; return <b/>; }",
      "const a = (p) => p.on ? <b/> : <i/>;",
      "function Store() { return { a: 1 }; }",
      "function withBox(Inner) { return function Box(p) { return <Inner {...p} />; }; }",
    ];
    for (const text of texts) assert.equal(rewritten(text), text);
  });
});
