import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyEdits } from "../edits.ts";
import { parse } from "../parse/parse.ts";
import { firstFormEdits } from "./forms.ts";

function rewritten(inner: string): string {
  const text = `function A() {\n  ${inner}\n  return <p><B/></p>;\n}`;
  const edits = firstFormEdits({ path: "a.tsx", text }, parse({ path: "a.tsx", text }));
  return edits ? applyEdits(text, edits) : text;
}

describe("a component inside of a component", () => {
  it("reads the names of its props from a props object", () => {
    assert.match(
      rewritten('const B = ({ a, b: c = "x" }: Props) => <b title={c} onClick={() => f({ a })}>{a}</b>;'),
      /const B = \(own: Props\) => <b title=\{\(own\.b === undefined \? "x" : own\.b\)\} onClick=\{\(\) => f\(\{ a: own\.a \}\)\}>\{own\.a\}<\/b>;/,
    );
    assert.match(
      rewritten("function B({ a }) { return <b>{a}</b>; }"),
      /function B\(own\) \{ return <b>\{own\.a\}<\/b>; \}/,
    );
  });

  it("keeps its pattern if a name is more than a prop with a fixed default", () => {
    for (const pattern of ["{ a, ...rest }", "{ a: { b } }", "{ a = make() }", "{ [k]: a }"]) {
      const inner = `const B = (${pattern}) => <b>{a}</b>;`;
      assert.ok(rewritten(inner).includes(inner), pattern);
    }
    const assigned = "function B({ a }) { a = 1; return <b>{a}</b>; }";
    assert.ok(rewritten(assigned).includes(assigned));
  });
});
