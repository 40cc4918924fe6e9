import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  browser,
  browserBody,
  compileError,
  render,
  serverBody,
  serverHead,
  signal,
  cleanups,
} from "../harness.testkit.ts";

/** Value of the one handler attribute. */
function attribute(handler: string, before = ""): string | undefined {
  const text = `const save = (e) => { e.preventDefault(); }; export function A(p) { ${before} return <form onSubmit={${handler}}>x</form>; }`;
  return /on:submit=\\"(.*?)\\"/.exec(serverBody(text))?.[1];
}

describe("handler flags", () => {
  it("are ! for preventDefault and . for stopPropagation, if these are always called first", () => {
    assert.equal(attribute("(e) => e.preventDefault()"), "!h0");
    assert.equal(attribute("(e) => e.stopPropagation()"), ".h0");
    assert.equal(attribute("(e) => { const x = 1; e.stopPropagation(); e.preventDefault(); go(x); }"), "!.h0");
    assert.equal(attribute("async (e) => { e.preventDefault(); await go(); }"), "!h0");
    assert.equal(attribute("(event: SubmitEvent) => { (event.preventDefault()); }"), "!h0");
    assert.equal(attribute("(e) => (e.preventDefault(), go())"), "!h0");
    assert.equal(attribute("(e) => { e.stopPropagation(), (e.preventDefault(), go()); }"), "!.h0");
    assert.equal(attribute("(e) => void e.preventDefault()"), "!h0");
  });

  it("are found in a referenced function, local or of the module", () => {
    assert.equal(attribute("save"), "!h0");
    assert.equal(attribute("local", "const local = (e) => { e.stopPropagation(); };"), ".h0");
  });

  it("are omitted if the call is conditional or too late", () => {
    assert.equal(attribute("(e) => { if (go) e.stopPropagation(); }"), "h0");
    assert.equal(attribute("(e) => { if (go) return; e.stopPropagation(); }"), "h0");
    assert.equal(attribute("async (e) => { await go(); e.stopPropagation(); }"), "h0");
    assert.equal(attribute("(e) => { const later = () => e.stopPropagation(); }"), "h0");
    assert.equal(attribute("(e) => other.preventDefault()"), "h0");
    assert.equal(attribute("async (e) => (await go(), e.stopPropagation())"), "h0");
    assert.equal(attribute("(e) => go() && (e.stopPropagation(), go())"), "h0");
  });
});

describe("handlers", () => {
  it("get the slots before their own parameters, in every syntax", () => {
    const handler = (code: string): string =>
      browserBody(`export const A = () => <p onClick={${code}}>x</p>;`).replace("export const h0 = ", "");
    assert.equal(handler("() => go()"), "($) => go();");
    assert.equal(handler("(event, element) => go(event)"), "($, event, element) => go(event);");
    assert.equal(handler("event => go(event)"), "($, event) => go(event);");
    assert.equal(handler("async ({ target: { id } }) => go(id)"), "async ($, { target: { id } }) => go(id);");
    assert.equal(handler("(/* ( */ event) => go(event)"), "(/* ( */ $, event) => go(event);");
    assert.equal(handler("(...args) => go(args)"), "($, ...args) => go(args);");
    assert.equal(handler("<T,>(event: T) => go(event)"), "($, $e, $el) => (<T,>(event: T) => go(event))($e, $el);");
  });

  it("keep a function's own arguments", async () => {
    const text = "export const A = () => <p onClick={function () { return [...arguments]; }}>x</p>;";
    assert.deepEqual((await browser(text)).run("h0", [], "event", "element"), ["event", "element"]);
  });

  it("may be imported, or members of an import", async () => {
    const text =
      'import { save } from "./x.ts"; import * as all from "./x.ts"; export const A = () => <p onClick={save} onFocus={all.save}>x</p>;';
    const module = await browser(text, { "./x.ts": "data:text/javascript,export const save = (e, el) => e + el;" });
    assert.equal(module.run("h0", [], "e", "l"), "el");
    assert.equal(module.run("h1", [], "e", "l"), "el");
  });

  it("are numbered through the file, and name their event types in the block", () => {
    const text = `
      export const A = () => <p onClick={() => 1} onKeyDown={() => 2}><b onDoubleClick={() => 3}>x</b></p>;
      export const B = () => <p onInput={() => 4}>x</p>;`;
    assert.match(serverHead(text), /\["click","dblclick","keydown"\]/);
    assert.match(serverHead(text), /\["input"\]/);
    assert.match(serverBody(text), /on:click=\\"h0\\" on:keydown=\\"h1\\".*on:dblclick=\\"h2\\".*on:input=\\"h3\\"/s);
  });
});

describe("onLoad and onVisible", () => {
  it("become attributes of the first element and get the element", async () => {
    const text = `export function A() {
      const width = signal(0);
      onLoad((el) => { width.value = el.offsetWidth; });
      onVisible(() => { width.value++; });
      return <div>{width.value}</div>;
    }`;
    assert.equal(await render(text), '<div s="1 test-1" on:load="h0" on:visible="h1">0</div>');
    const module = await browser(text);
    const width = signal(0);
    module.run("h0", [width], {}, { offsetWidth: 40 });
    module.run("h1", [width], {}, {});
    assert.equal(width.value, 41);
  });

  it("called twice become one handler, and their cleanups run when the element is removed", async () => {
    const text = `export function A(p) {
      onLoad(() => () => p.ended.push("a")); onLoad(() => () => p.ended.push("b"));
      return <div>x</div>;
    }`;
    assert.equal(await render(text, { ended: [] }), '<div s="1 test-1 effect" on:load="h0">x</div>');
    const ended: string[] = [];
    (await browser(text)).run("h0", [ended], {}, {});
    for (const undo of cleanups.splice(0)) undo();
    assert.deepEqual(ended, ["a", "b"]);
  });

  it("belong to each root that may be returned", async () => {
    const text =
      "export function A(p) { onLoad(() => {}); if (p.a) return <a>x</a>; return p.b ? <b>x</b> : <i>x</i>; }";
    assert.match(await render(text, { a: true }), /^<a s="1 test-1" on:load="h0">/);
    assert.match(await render(text, { b: true }), /^<b s="1 test-1" on:load="h1">/);
    assert.match(await render(text, {}), /^<i s="1 test-1" on:load="h2">/);
  });

  it("do not run on the server", async () => {
    const text =
      "export function A() { onLoad(() => { throw new Error(); }); onIdle(() => { throw new Error(); }); return <p>x</p>; }";
    assert.match(await render(text), /^<p s="1 test-1" on:load="h0" on:idle="h1">x<\/p>$/);
  });
});

describe("a handler in another form", () => {
  const A = (body: string, handler: string): string =>
    `export function A(p) { const n = signal(1); ${body} return <b onClick={${handler}}>{n.value}</b>; }`;
  const clicked = async (body: string, handler: string, slots: (n: unknown) => unknown[] = (n) => [n]) => {
    const n = signal(1);
    (await browser(A(body, handler))).run("h0", slots(n), { by: 2 }, {});
    return n.value;
  };

  it("may be a member of a constant object or array", async () => {
    assert.equal(await clicked("const on = { click: (e) => { n.value += e.by; } };", "on.click"), 3);
    assert.equal(await clicked("const on = { click() { n.value += 4; } };", "on.click"), 5);
    assert.equal(await clicked("const all = [() => n.value++];", "all[0]"), 2);
  });

  it("may be a condition, which may have no function", async () => {
    assert.equal(await clicked("", "p.off ? undefined : () => n.value++", (n) => [n, false]), 2);
    assert.equal(await clicked("", "p.off ? false : () => n.value++", (n) => [n, true]), 1);
    assert.equal(await clicked("", "p.on && (() => n.value++)", (n) => [n, true]), 2);
  });

  it("may be a bound function, or the result of a function that returns one", async () => {
    assert.equal(await clicked("const add = (by) => { n.value += by; };", "add.bind(null, 5)"), 6);
    assert.equal(await clicked("const add = (by) => () => { n.value += by; };", "add(5)"), 6);
  });

  it("keeps the flags of a member's function", () => {
    assert.equal(attribute("on.submit", "const on = { submit: (e) => e.preventDefault() };"), "!h0");
  });

  it("may be spread with an object literal, unless an attribute has the same event", async () => {
    const text = `export function A() { const n = signal(1); const more = { id: "q", onClick: () => n.value++ };
      return <p><b {...more}>{n.value}</b><i {...more} onClick={() => (n.value = 9)}>x</i></p>; }`;
    assert.match(await render(text), /<b id="q" on:click="h0">1<\/b><i id="q" on:click="h1">/);
    const n = signal(1);
    const module = await browser(text);
    module.run("h0", [n], {}, {});
    assert.equal(n.value, 2);
    module.run("h1", [n], {}, {});
    assert.equal(n.value, 9);
  });
});

describe("a handler that is a member of an object", () => {
  it("is called on the object, if the component gets the object", () => {
    const handler = (code: string): string =>
      browserBody(`export const A = ({ c }) => <p onClick={${code}}>x</p>;`).replace("export const h0 = ", "");
    assert.equal(handler("c.run"), "($, $e, $el) => ($[0].run)?.($e, $el);");
    assert.equal(handler("c.a.run"), "($, $e, $el) => ($[0].a.run)?.($e, $el);");
    assert.equal(handler("c?.run"), "($, $e, $el) => ($[0]?.run)?.($e, $el);");
  });

  it("is refused if the object is a store or an item of one, which contain no functions", () => {
    const mistake = (body: string) => compileError(`export function A() { ${body} }`).code;
    assert.equal(mistake("const s = store({ run: 1 }); return <p onClick={s.run}>x</p>;"), "SVC103");
    assert.equal(
      mistake("const s = store([{ run: 1 }]); return <p>{s.map((one) => <b onClick={one.run}>x</b>)}</p>;"),
      "SVC103",
    );
  });
});
