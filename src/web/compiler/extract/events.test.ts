import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { browserBody, compileError, render, serverBody, serverHead } from "../harness.testkit.ts";

const A = (attributes: string): string => `export const A = () => <p ${attributes}>x</p>;`;
const attributes = async (text: string): Promise<string> =>
  (await render(A(text))).replace('<p s="1 test-1" ', "").replace(">x</p>", "");
const handler = (text: string): string => browserBody(A(text)).replace("export const h0 = ", "").replaceAll("\n", " ");

describe("names of events", () => {
  it("are the DOM's, in camel case", async () => {
    assert.equal(await attributes("onKeyDown={() => 1} onDoubleClick={() => 2}"), 'on:keydown="h0" on:dblclick="h1"');
  });

  it("end in Capture for capture handlers, unless the event's own name does", async () => {
    assert.equal(await attributes("onClickCapture={() => 1}"), 'on:click="^h0"');
    assert.equal(await attributes("onGotPointerCapture={() => 1}"), 'on:gotpointercapture="h0"');
    assert.equal(await attributes("onLostPointerCaptureCapture={() => 1}"), 'on:lostpointercapture="^h0"');
  });

  it("begin with onWindow or onDocument for events anywhere in the page", async () => {
    const text = "onWindowResize={() => 1} onDocumentKeyDown={() => 2}";
    assert.equal(await attributes(text), 'on:window:resize="h0" on:window:keydown="h1"');
    assert.match(serverHead(A(text)), /\["window:keydown","window:resize"\]/);
    assert.equal(
      handler("onWindowResize={(e) => go(e)}"),
      "($, $e, $el) => { if (!$e.bubbles && $e.target.closest) return; return ((e) => go(e))($e, $el); };",
    );
  });

  it("of custom events stay as they are", async () => {
    assert.equal(await attributes("on:cart-changed={() => 1}"), 'on:cart-changed="h0"');
    assert.match(serverHead(A("on:cartChanged={() => 1}")), /\["cartChanged"\]/);
  });
});

describe("options of a listener", () => {
  it("are flags that are applied in advance", async () => {
    assert.equal(await attributes("onClick={{ handler: () => 1, preventDefault: true }}"), 'on:click="!h0"');
    assert.equal(
      await attributes("onClick={{ handler: (e) => e.preventDefault(), stopPropagation: true }}"),
      'on:click="!.h0"',
    );
    assert.equal(
      await attributes("onClick={{ handler: () => 1, capture: true, stopPropagation: true }}"),
      'on:click="^h0"',
    );
    assert.equal(
      await attributes("onClick={{ handler: (e) => e.preventDefault(), preventDefault: false }}"),
      'on:click="h0"',
    );
  });

  it("may follow a handler of the capture phase, which is in the attribute of the window", async () => {
    const both = "onClick={() => 1} onClickCapture={() => 2}";
    assert.equal(await attributes(both), 'on:click="h0" on:window:click="^h1"');
    assert.match(serverHead(A(both)), /\["click","window:click"\]/);
    assert.match(browserBody(A(both)), /h1 = \(\$, \$e, \$el\) => \{\s*if \(!\$el\.contains\(\$e\.target\)\) return;/);
  });

  it("work without a handler", async () => {
    assert.equal(await attributes("onDragOver={{ preventDefault: true }}"), 'on:dragover="!h0"');
    assert.equal(handler("onDragOver={{ preventDefault: true }}"), "($, $e, $el) => { };");
  });

  it("run before the handler: once, stopPropagation", () => {
    assert.equal(
      handler("onClick={{ handler: () => go(), once: true, stopPropagation: true }}"),
      '($, $e, $el) => { if (!$el.hasAttribute("on:click")) return; $el.removeAttribute("on:click"); $e.stopPropagation(); return (() => go())($e, $el); };',
    );
  });

  it("make the browser wait before it scrolls only if a handler may prevent scrolling", () => {
    const listed = (text: string): string | undefined => /, (\["!?wheel"\])/.exec(serverHead(A(text)))?.[1];
    assert.equal(listed("onWheel={() => 1}"), '["wheel"]');
    assert.equal(listed("onWheel={(e) => e.preventDefault()}"), '["!wheel"]');
    assert.equal(listed("onWheel={{ handler: () => 1, passive: false }}"), '["!wheel"]');
    assert.match(serverHead(A("onWindowWheel={{ handler: () => 1, passive: false }}")), /\["!window:wheel"\]/);
    assert.match(serverHead(A("onClick={(e) => e.preventDefault()}")), /\["click"\]/);
  });

  const refused: [name: string, attributes: string][] = [
    ["that aren't known", "onClick={{ handler: () => 1, once: maybe }}"],
    ["of other names", "onClick={{ handler: () => 1, often: true }}"],
    ["that are spread", "onClick={{ ...options }}"],
    ["that contradict each other", "onWheel={{ handler: () => 1, passive: true, preventDefault: true }}"],
    ["that nobody can decide ahead", "onWindowKeyDown={{ handler: () => 1, preventDefault: true }}"],
    ["beside two other handlers", "onClick={() => 1} onClickCapture={() => 2} onWindowClick={() => 3}"],
    ["in the capture phase beside another handler", "onClick={() => 1} onClickCapture={{ preventDefault: true }}"],
    ["whose handler is no function", "onClick={{ handler: make() }}"],
  ];
  for (const [name, text] of refused) {
    it(`are rejected ${name}`, () => assert.equal(compileError(A(text)).code, "SVC103"));
  }

  it("are rejected if a bound field would be read only once", () => {
    const text = "const s = signal(''); return <input bind:value={s} onInput={{ handler: () => 1, once: true }} />;";
    assert.equal(compileError(`export function A() { ${text} }`).code, "SVC103");
  });
});

describe("onIdle and onMedia", () => {
  it("become attributes of the first element, with the query", async () => {
    const text = `export function A() { onIdle(() => 1); onMedia("(width > 40em)", (el) => el.id); return <p>x</p>; }`;
    assert.equal(await render(text), '<p s="1 test-1 effect" on:idle="h0" on:media="h1" m="(width > 40em)">x</p>');
    assert.match(serverHead(text), /\["idle","media"\]/);
    assert.doesNotMatch(serverBody(text), /onMedia|onIdle/);
  });

  it("need one query that is known at build time", () => {
    const error = (body: string): string => compileError(`export function A(p) { ${body} return <p>x</p>; }`).code;
    assert.equal(error("onMedia(p.query, () => 1);"), "SVC103");
    assert.equal(error('onMedia("a", () => 1); onMedia("b", () => 1);'), "SVC103");
    assert.equal(error('onMedia("a");'), "SVC103");
  });
});
