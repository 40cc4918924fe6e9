import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changed, type SourceFile } from "../diagnostics.ts";
import { parse } from "../parse/parse.ts";
import { firstFormEdits } from "./forms.ts";

function rewritten(content: string): string {
  let file: SourceFile = { path: "a.tsx", text: `const x = <p>${content}</p>;` };
  for (let edits; (edits = firstFormEdits(file, parse(file)));) file = changed(file, edits);
  return file.text.slice("const x = <p>".length, -"</p>;".length);
}

describe("a list in a condition", () => {
  it("is a list whose source is a condition", () => {
    const cases: [content: string, result: string][] = [
      ["{on && list.map((x) => <b/>)}", "{((on) ? (list) : []).map((x) => <b/>)}"],
      ["{on && (a ?? b)?.map((x) => <b/>)}", "{((on) ? ((a ?? b)) : [])?.map((x) => <b/>)}"],
      ["{on ? list.map((x) => <b/>) : null}", "{((on) ? (list) : []).map((x) => <b/>)}"],
      ["{on ? list.map((x) => <b/>) : <i/>}", "{(on) ? null : (<i/>)}{((on) ? (list) : []).map((x) => <b/>)}"],
      ["{on ? <i/> : (list.map((x) => <b/>))}", "{(on) ? (<i/>) : null}{((on) ? [] : (list)).map((x) => <b/>)}"],
    ];
    for (const [content, result] of cases) assert.equal(rewritten(content), result);
  });

  it("keeps its lines", () => {
    const content = "{on ? (\n  <i/>\n) : (\n  list.map((x) => (\n    <b/>\n  ))\n)}\n<u/>";
    const lines = rewritten(content).split("\n");
    assert.equal(lines.length, content.split("\n").length);
    assert.match(lines[3] ?? "", /list/);
    assert.match(lines[4] ?? "", /<b\/>/);
  });

  it("stays where it is if the condition is no child of an element, or the list has no rows of JSX", () => {
    for (const content of [
      "<B rows={on && list.map((x) => <b/>)}/>",
      "{on && list.map((x) => x + 1)}",
      "{on && <i>{list.map((x) => <b/>)}</i>}",
      "<>{on && list.map((x) => <b/>)}</>",
    ])
      assert.equal(rewritten(content), content);
  });
});
