import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileCreate } from "../compile.ts";
import { browserBody, compileError, MODULE, render, serverHead } from "../harness.testkit.ts";

const A = (attributes: string, before = ""): string => `${before}\nexport const A = () => <p ${attributes}>x</p>;`;
const ENTER = '(event: KeyboardEvent) => event.key === "Enter"';
const WITH = (condition: string): string => `onKeyDown={{ preventDefault: ${condition}, handler: (e) => go(e) }}`;

describe("a condition of preventDefault", () => {
  it("is named by an attribute, and its function goes into the page", async () => {
    assert.match(
      await render(A(WITH(ENTER))),
      /^<p s="1 test-1" on:keydown="h0" prevent:keydown="([0-9a-f]{8})">x<\/p>$/,
    );
    assert.match(
      serverHead(A(WITH(ENTER))),
      /, false, undefined, \{ "[0-9a-f]{8}": \["keydown", \(event: KeyboardEvent\) => event\.key === "Enter"\] \}\);/,
    );
    assert.equal(browserBody(A(WITH(ENTER))), "export const h0 = ($, e) => go(e);");
  });

  it("works for events of window and document, without a handler, and as a named function", async () => {
    const html = await render(A(`onDocumentKeyDown={{ preventDefault: isEnter }}`, `const isEnter = ${ENTER};`));
    assert.match(html, /on:window:keydown="h0" prevent:window:keydown="[0-9a-f]{8}"/);
    assert.match(
      serverHead(A(`onKeyDown={{ preventDefault(event) { return event.repeat; } }}`)),
      /\["keydown", function \(event\) \{ return/,
    );
  });

  it("makes the browser wait before it scrolls", () =>
    assert.match(serverHead(A("onWheel={{ preventDefault: (event) => event.ctrlKey }}")), /\["!wheel"\]/));

  it("is evaluated by the handler of an element that the browser creates", () => {
    const { output } = compileCreate(A(WITH(ENTER)), MODULE);
    assert.match(
      output.code,
      /if \(\(\(event: KeyboardEvent\) => event\.key === "Enter"\)\(\$e, \$el\)\) \$e\.preventDefault\(\);/,
    );
  });

  for (const [what, condition, before] of [
    ["a name of the module", "(event) => KEYS.has(event.key)", "const KEYS = new Set(['a']);"],
    ["this", "function (event) { return this.x; }", ""],
    ["await", "async (event) => await event.key", ""],
    ["no function", "maybe", ""],
  ] as const) {
    it(`is rejected if it uses ${what}`, () => {
      const error = compileError(A(WITH(condition), before));
      assert.equal(error.code, "SVC103");
      assert.match(error.message, /pages\/test\.tsx:\d+:\d+/);
    });
  }
});

describe("preventDefault that can't run before the handler's code has loaded", () => {
  const late: [what: string, attributes: string, before?: string][] = [
    ["under a condition", 'onKeyDown={(event) => { if (event.key === "Enter") event.preventDefault(); }}'],
    ["behind an operator", 'onKeyDown={(e) => e.key === "Enter" && e.preventDefault()}'],
    ["after a return", "onClick={(e) => { if (e.altKey) return; e.preventDefault(); }}"],
    ["after await", "onClick={async (e) => { await go(); e.preventDefault(); }}"],
    ["in a callback", "onClick={(e) => setTimeout(() => e.preventDefault())}"],
    ["in a helper", "onClick={(e) => { stop(e); }}", "const stop = (event) => { event.preventDefault(); };"],
    [
      "in a helper of a helper",
      "onClick={(e) => outer(1, e)}",
      "function inner(x) { x.preventDefault(); } const outer = (n, it) => inner(it);",
    ],
    [
      "in one of several handlers",
      "onClick={go ? stop : undefined}",
      "const stop = (event) => { event.preventDefault(); };",
    ],
    ["in a named handler", "onClick={stop}", "const stop = (event) => { if (event.altKey) event.preventDefault(); };"],
    ["in a handler of the document", "onDocumentKeyDown={(e) => { e.preventDefault(); }}"],
    ["by its destructured name", "onClick={({ altKey, preventDefault }) => { if (altKey) preventDefault(); }}"],
  ];
  for (const [what, attributes, before] of late) {
    it(`is reported ${what}`, () => {
      const error = compileError(A(attributes, before));
      assert.equal(error.code, "SVC125");
      assert.match(error.message, /preventDefault: /);
    });
  }

  it("is reported with its condition as the alternative, if that uses only the event", () => {
    const { message } = compileError(
      A('onKeyDown={(e) => { if (e.key === "Enter" && !e.shiftKey) { go(); e.preventDefault(); } }}'),
    );
    assert.ok(
      message.includes('onKeyDown={{ preventDefault: (e) => e.key === "Enter" && !e.shiftKey, handler: … }}'),
      message,
    );
    const other = compileError(
      A("onKeyDown={(e) => { if (isOpen) e.preventDefault(); }}", "const isOpen = Math.random();"),
    ).message;
    assert.ok(!other.includes("=> isOpen"), other);
  });

  for (const [what, attributes] of [
    ["at the top of the handler", "onClick={(e) => { e.preventDefault(); if (x) e.preventDefault(); }}"],
    [
      "that an option decides",
      "onClick={{ preventDefault: false, handler: (e) => { if (e.altKey) e.preventDefault(); } }}",
    ],
    [
      "that a condition decides",
      "onClick={{ preventDefault: (e) => e.altKey, handler: (e) => { if (e.altKey) e.preventDefault(); } }}",
    ],
    ["of another object", "onClick={(e) => { if (x) other.preventDefault(); }}"],
  ] as const) {
    it(`is not: a call ${what}`, () => assert.doesNotThrow(() => browserBody(A(attributes))));
  }
});
