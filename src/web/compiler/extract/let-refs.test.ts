import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyEdits } from "../edits.ts";
import { nameFrameworkImports, NO_ALIASES } from "../framework-imports.ts";
import { parse } from "../parse/parse.ts";
import { firstFormEdits } from "./forms.ts";

const HEAD = 'import { createRef, effect } from "svckit";\n';

function rewritten(body: string, head = HEAD): string {
  const text = `${head}function A() {\n${body}\n}`;
  const program = parse({ path: "a.tsx", text });
  nameFrameworkImports(program, NO_ALIASES);
  const edits = firstFormEdits({ path: "a.tsx", text }, program);
  return edits ? applyEdits(text, edits) : text;
}

describe("a variable that functions of a component share", () => {
  it("becomes a ref", () => {
    assert.equal(
      rewritten("  let t: Timer;\n  const go = () => { clear(t); t = start(); };\n  return <p onClick={go}/>;"),
      `${HEAD}function A() {\n  const t = { current: null };\n  const go = () => { clear((t.current ?? undefined)); t.current = start(); };\n  return <p onClick={go}/>;\n}`,
    );
    assert.match(
      rewritten("  let field = null;\n  return <p ref={field} onClick={() => save({ field })}/>;"),
      /ref=\{field\} onClick=\{\(\) => save\(\{ field: field\.current \}\)\}/,
    );
  });

  it("may be on the line of other code", () => {
    assert.match(rewritten("  let t; const go = () => { t = 1; }; return <p onClick={go}/>;"), /t\.current = 1/);
  });

  it("stays if it has a value, if the body or an effect gives it one, or if no function does", () => {
    for (const body of [
      "  let n = 0;\n  return <p onClick={() => (n = 1)}/>;",
      "  let view;\n  if (a) view = <b/>;\n  return <p>{view}</p>;",
      "  let last;\n  effect(() => { last = 1; });\n  return <p onClick={() => last}/>;",
      "  let n;\n  return <p onClick={() => n++}/>;",
      "  let n;\n  const start = () => { n = 1; };\n  start();\n  return <p onClick={() => n}/>;",
      "  let n;\n  return <p onClick={() => n}/>;",
      "  let n;\n  return <p onClick={() => (n = 1)}>{n}</p>;",
    ])
      assert.doesNotMatch(rewritten(body), /\.current/, body);
  });
});
