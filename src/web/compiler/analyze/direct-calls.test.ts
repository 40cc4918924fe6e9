import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { render, serverBody } from "../harness.testkit.ts";

const isCalledDirectly = (text: string): boolean => /(?<!\$component\(B, |function )\bB\(\{/.test(serverBody(text));

describe("a component of the same file", () => {
  it("that always returns HTML is called directly", async () => {
    for (const b of [
      "const B = (p) => <b>{p.x}</b>;",
      "function B(p) { return <b>{p.x}</b>; }",
      "function B(p) { if (!p.x) return <></>; return (<b>{p.x}</b>); }",
    ]) {
      const text = `${b} export function A() { return <p><B x="<" /></p>; }`;
      assert.ok(isCalledDirectly(text), b);
      assert.equal(await render(text), "<p><b>&lt;</b></p>");
    }
  });

  it("that may return another value is called by the runtime, which escapes the value", async () => {
    for (const b of [
      "function B(p) { return p.x; }",
      "function B(p) { if (p.y) return <b/>; return p.x; }",
      "function B(p) { if (p.y) return <b/>; }",
      "function B(p) { if (p.x) return; return <b/>; }",
      "let B = (p) => <b/>; B = (p) => <i/>;",
    ]) {
      const text = `${b} export function A() { return <p><B x="<" /></p>; }`;
      assert.ok(!isCalledDirectly(text), b);
      assert.match(await render(text), /^<p>(?:&lt;|<i><\/i>)?<\/p>$/);
    }
  });
});
