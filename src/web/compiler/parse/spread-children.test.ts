import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseWithSpreadChildren } from "./spread-children.ts";

const completed = (text: string): string => parseWithSpreadChildren({ path: "a.tsx", text }).file.text;

describe("an element without content whose component spreads its props", () => {
  it("gets the children of the component", () => {
    const cases: [component: string, result: string][] = [
      ["const B = (p) => <b {...p} />;", "const B = (p) => <b {...p} >{p.children}</b>;"],
      ["const B = (p) => <b {...p}></b>;", "const B = (p) => <b {...p}>{p.children}</b>;"],
      ["function B({ a, ...rest }) { return <b {...rest} id={a}/>; }", "<b {...rest} id={a}>{rest.children}</b>"],
      ["function B(p) { const { a, ...rest } = p; return <my-b {...rest} />; }", ">{rest.children}</my-b>"],
      ["const B = memo((p) => <b {...p} />);", ">{p.children}</b>"],
      ["const wrap = () => function B(p) { return <b {...p} />; };", ">{p.children}</b>"],
      ["export default (p) => <b {...p} {...p.more} />;", ">{p.children}</b>"],
    ];
    for (const [component, result] of cases) assert.ok(completed(component).includes(result), completed(component));
  });

  it("stays as it is if it shows something else, or can't have children", () => {
    const components = [
      "const B = (p) => <b {...p}>own</b>;",
      "const B = (p) => <input {...p} />;",
      "const B = (p) => <textarea {...p} />;",
      "const B = (p) => <b {...p} dangerouslySetInnerHTML={{ __html: p.html }} />;",
      "const B = ({ children, ...rest }) => <b {...rest} />;",
      "const B = (p) => <Inner {...p} />;",
      "const B = (p) => <b {...p.attributes} />;",
      "const row = (item) => <b {...item} />;",
    ];
    for (const component of components) assert.equal(completed(component), component);
  });

  it("keeps the lines of the file", () => {
    const text = "const B = (p) => (\n  <b\n    {...p}\n  />\n);\nconst after = 1;\n";
    assert.equal(completed(text).split("\n").length, text.split("\n").length);
  });
});
