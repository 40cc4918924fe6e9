import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyEdits } from "../edits.ts";
import { parse } from "../parse/parse.ts";
import { firstFormEdits } from "./forms.ts";

function rewritten(text: string): string {
  const edits = firstFormEdits({ path: "a.tsx", text }, parse({ path: "a.tsx", text }));
  return edits ? applyEdits(text, edits) : text;
}

describe("a hook in what a component returns", () => {
  it("gets a name before", () => {
    const cases: [text: string, result: string][] = [
      [
        "const A = () => <p>{useCart().n.value}</p>;",
        "const A = () => { const usedCart0 = useCart(); return (<p>{usedCart0.n.value}</p>); };",
      ],
      [
        "function A(p) { return (<B n={useCart(p.id).n} />); }",
        "function A(p) { const usedCart0 = useCart(p.id); return (<B n={usedCart0.n} />); }",
      ],
      [
        "const A = () => <p title={useT()('a')}>{useCart().n}</p>;",
        "const A = () => { const usedT0 = useT(); const usedCart1 = useCart(); return (<p title={usedT0('a')}>{usedCart1.n}</p>); };",
      ],
    ];
    for (const [text, result] of cases) assert.equal(rewritten(text), result);
  });

  it("stays in functions, in conditions, and in the content of components, which may provide a context", () => {
    for (const text of [
      "const A = () => <p onClick={() => useCart()}>a</p>;",
      "const A = (p) => <p>{p.on ? useCart().n : 1}</p>;",
      "const A = () => <Cart><p>{useCart().n}</p></Cart>;",
      "const A = () => <Cart icon={<p>{useCart().n}</p>} />;",
      "const list = () => <p>{useCart().n}</p>;",
    ])
      assert.equal(rewritten(text), text);
  });
});
