import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyEdits } from "../edits.ts";
import { parse } from "../parse/parse.ts";
import { firstFormEdits } from "./forms.ts";

function rewritten(text: string): string {
  const edits = firstFormEdits({ path: "a.tsx", text }, parse({ path: "a.tsx", text }));
  return edits ? applyEdits(text, edits) : text;
}

describe("a condition or list that a component names", () => {
  it("moves to its only use", () => {
    const cases: [text: string, result: string][] = [
      [
        "function A(p) { const v = p.on ? <b/> : <i/>; return <p>{v}</p>; }",
        "function A(p) {  return <p>{p.on ? <b/> : <i/>}</p>; }",
      ],
      [
        "function A(p) { const v = p.on ? <b/> : <i/>; return <B icon={v} />; }",
        "function A(p) {  return <B icon={p.on ? <b/> : <i/>} />; }",
      ],
      ["function A(p) { const v = p.on && <b/>; return v; }", "function A(p) {  return p.on && <b/>; }"],
      [
        "const A = (p) => { const rows = p.list.map((x) => <b>{x}</b>);\nreturn <p>{rows}</p>; };",
        "const A = (p) => { \nreturn <p>{p.list.map((x) => <b>{x}</b>)}</p>; };",
      ],
      [
        "function A(p) { const v = p.view ?? <b/>; return <><i/>{v}</>; }",
        "function A(p) {  return <><i/>{p.view ?? <b/>}</>; }",
      ],
    ];
    for (const [text, result] of cases) assert.equal(rewritten(text), result);
  });

  it("becomes a function if it is shown more than once, or in an inner function or block", () => {
    const cases: [text: string, result: string][] = [
      [
        "function A(p) { const v = p.on ? <b/> : <i/>; return <p>{v}{v}</p>; }",
        "function A(p) { const v = () => (p.on ? <b/> : <i/>); return <p>{v()}{v()}</p>; }",
      ],
      [
        "function A(p) { const v = p.on ? <b/> : <i/>; return <p>{p.list.map((p) => <b>{v}</b>)}</p>; }",
        "function A(p) { const v = () => (p.on ? <b/> : <i/>); return <p>{p.list.map((p) => <b>{v()}</b>)}</p>; }",
      ],
      [
        "function A(p) { const v = p.on ? <b/> : <i/>; { const p = 1; return <p>{v}</p>; } }",
        "function A(p) { const v = () => (p.on ? <b/> : <i/>); { const p = 1; return <p>{v()}</p>; } }",
      ],
    ];
    for (const [text, result] of cases) assert.equal(rewritten(text), result);
  });

  it("stays where it is if it is used otherwise, or reads a variable", () => {
    const texts = [
      "function A(p) { const v = p.on ? <b/> : <i/>; return <p>{v === p.v}{v}</p>; }",
      "function A(p) { const v = p.on ? <b/> : <i/>; return <B icon={v}>{v}</B>; }",
      "function A(p) { let n = 0; const v = n ? <b/> : <i/>; n = p.n; return <p>{v}</p>; }",
      "function A(p) { const v = <b/>; return <p>{v}</p>; }",
      "function A(p) { const v = p.on ? 1 : 2; return <p>{v}</p>; }",
      "function a(p) { const v = p.on ? <b/> : <i/>; return <p>{v}</p>; }",
    ];
    for (const text of texts) assert.equal(rewritten(text), text);
  });
});
