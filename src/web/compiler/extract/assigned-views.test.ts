import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changed, type SourceFile } from "../diagnostics.ts";
import { parse } from "../parse/parse.ts";
import { firstFormEdits } from "./forms.ts";

const HEAD = "function A(p) { ";

/** @param body of a component */
function rewritten(body: string): string {
  let file: SourceFile = { path: "a.tsx", text: `${HEAD}${body} }` };
  for (let edits; (edits = firstFormEdits(file, parse(file)));) file = changed(file, edits);
  return file.text.slice(HEAD.length, -2).replaceAll(/ +/g, " ").trim();
}

describe("a view in a variable", () => {
  it("is a condition where it is shown", () => {
    const cases: [body: string, result: string][] = [
      ["let v; if (p.on) v = <b/>; else v = <i/>; return <p>{v}</p>;", "return <p>{(p.on) ? (<b/>) : (<i/>)}</p>;"],
      ["let v: Child = <i/>; if (p.on) { v = <b/>; } return <p>{v}</p>;", "return <p>{(p.on) ? (<b/>) : (<i/>)}</p>;"],
      [
        "let v = null; if (p.a) v = <b/>; else if (p.b) v = p.b; return v;",
        "return (p.a) ? (<b/>) : ((p.b) ? (p.b) : (null));",
      ],
      [
        "let v; switch (p.on) { case 1: v = <b/>; break; case 2: case 3: { v = <u/>; break; } default: v = <i/>; } return <p>{v}</p>;",
        "return <p>{(p.on) === (1) ? (<b/>) : ((p.on) === (2) || (p.on) === (3) ? (<u/>) : (<i/>))}</p>;",
      ],
      [
        "let v = <i/>; if (p.on) v = <B>{v}</B>; if (p.all) v = null; return <p>{v}</p>;",
        "return <p>{(p.all) ? (null) : ((p.on) ? (<B>{(<i/>)}</B>) : (<i/>))}</p>;",
      ],
      [
        "let v; if (p.on) { const { name } = p.user; v = <b>{name}</b>; } return <p>{v}</p>;",
        "const name = () => (p.user).name; return <p>{(p.on) ? (<b>{name()}</b>) : null}</p>;",
      ],
    ];
    for (const [body, result] of cases) assert.equal(rewritten(body), result);
  });

  it("leaves the assignments of other variables where they are", () => {
    assert.equal(
      rewritten('let v; let title = ""; if (p.on) { v = <b/>; title = "on"; } return <p title={title}>{v}</p>;'),
      'let title = ""; if (p.on) { ; title = "on"; } return <p title={title}>{(p.on) ? (<b/>) : null}</p>;',
    );
  });

  it("is a function if it is shown more than once", () => {
    assert.equal(
      rewritten("let v; if (p.on) v = <b/>; return <p>{v}{v}</p>;"),
      "const v = () => (((p.on) ? (<b/>) : null)); return <p>{v()}{v()}</p>;",
    );
  });

  it("stays a variable if no condition gives its value", () => {
    const bodies = [
      "let v; for (const x of p.list) v = <b>{x}</b>; return <p>{v}</p>;",
      "let v; try { v = <b/>; } catch { v = <i/>; } return <p>{v}</p>;",
      "let v; if (p.on) { v = <b/>; return v; } return <p>{v}</p>;",
      "let v; const f = () => { v = <b/>; }; return <p onClick={f}>{v}</p>;",
      "let v; if (p.on) v = <b/>; const w = [v]; v = <i/>; return <p>{v}{w}</p>;",
      "let n = 1; let v; if (n > 0) v = <b/>; n = 2; return <p>{v}</p>;",
      "let v; switch (p.on) { case 1: v = <b/>; case 2: v = <i/>; } return <p>{v}</p>;",
      "let v; if (p.on) { const f = (x) => x; v = <b onClick={f}/>; } const f = 1; return <p>{v}{f}</p>;",
      "let v = 1; if (p.on) v = 2; return <p>{v}</p>;",
    ];
    for (const body of bodies) assert.equal(rewritten(body), body);
  });
});
