import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { render } from "../harness.testkit.ts";

const ATTACK = "<img onerror=1>";
const ESCAPED = "&lt;img onerror=1>";

describe("the text of a function that is not a compiled component", () => {
  const WAYS: Record<string, string> = {
    "assigned later": "let B = (p) => <b/>; B = (p) => p.x;",
    "by another name": "const lower = (p) => p.x; const B = lower;",
    "made by a call": "const B = ((f) => f)((p) => p.x);",
    "of an object": "const all = { b: (p) => p.x }; const B = all.b;",
    "with JSX in one branch": "const lower = (p) => (p.x ? p.x : <i/>); const B = lower;",
    "after a compiled one has been called":
      "const C = () => <i/>; const B = (p) => { const made = [<C/>].join(); return p.x; };",
  };
  for (const [way, source] of Object.entries(WAYS)) {
    it(`is escaped when it is used as a tag: ${way}`, async () => {
      const text = `${source} export const A = (p) => <div><B x={p.x} /></div>;`;
      assert.equal(await render(text, { x: ATTACK }), `<div>${ESCAPED}</div>`);
    });
  }

  it("is no script as a value of an SVG animation, which may animate href", async () => {
    const text = `
      export const A = (p) => (
        <svg>
          <a>
            <animate attributeName="href" from={p.x} to={p.x} by={p.x} values={"#;" + p.x} />
            <set attributeName="href" to={p.x} />
          </a>
        </svg>
      );`;
    for (const x of ["javascript:alert(1)", " JAVA\tSCRIPT:alert(1)", "vbscript:x"]) {
      const html = await render(text, { x });
      assert.equal(html.match(/about:blank/g)?.length, 5, html);
      assert.doesNotMatch(html, /script/i);
    }
  });

  it("is escaped when the function is a prop", async () => {
    const text = "export const A = (p) => <div><p.view x={p.x} /></div>;";
    assert.equal(await render(text, { x: ATTACK, view: (p: { x: string }) => p.x }), `<div>${ESCAPED}</div>`);
  });
});

describe("a compiled component", () => {
  it("returns HTML wherever it is defined and however it is referenced", async () => {
    const text = `
      const all = { Card: (p) => <b>{p.x}</b> };
      const Early = (p) => { if (!p.x) return null; return <i>{p.x}</i>; };
      export const A = (p) => {
        const Inner = (q) => <u>{q.x}</u>;
        const own = { Inner };
        return <div><own.Inner x={p.x} /><Early /><Early x="1" /></div>;
      };`;
    assert.equal(await render(text, { x: "<" }), "<div><u>&lt;</u><i>1</i></div>");
  });
});
