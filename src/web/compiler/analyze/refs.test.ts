import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { browser, browserBody, compileError, render, serverBody } from "../harness.testkit.ts";

const A = (body: string): string => `export function A(p) { ${body} }`;

describe("a ref", () => {
  it("is assigned when the scope is bound, before effects, and not by the server", async () => {
    const text = A(
      "const field = createRef(); effect(() => p.log.push(field.current !== null)); return <p><input ref={field} /></p>;",
    );
    assert.match(await render(text, { log: [] }), /^<p s="1 test-1 effect ref"><input><\/p>$/);
    const field = { current: null };
    const log: boolean[] = [];
    (await browser(text)).bind("b0", [field, log]);
    assert.notEqual(field.current, null);
    assert.deepEqual(log, [true]);
  });

  it("is captured as a ref, even if only its element's value is read", () => {
    const slots = (text: string): string => /\$scope\(.*?\[(.*?)\]\)/.exec(serverBody(text))?.[1] ?? "";
    assert.equal(
      slots(
        A(
          "const field = createRef(); return <p><input ref={field} /><b onClick={() => go(field.current.value)}>x</b></p>;",
        ),
      ),
      "field",
    );
    assert.equal(
      slots(A("return <p><input ref={p.field} /><b onClick={() => go(p.field.current.value)}>x</b></p>;")),
      "p.field",
    );
    assert.equal(slots(A("return <p onClick={() => go(p.current.value)}>x</p>;")), "p.current");
  });

  it("may be an inline, local or imported function", async () => {
    const text = A("const seen = (el) => p.all.push(el); return <p ref={seen}><b ref={(el) => p.all.push(el)} /></p>;");
    const all: unknown[] = [];
    (await browser(text)).bind("b0", [all]);
    assert.equal(all.length, 2);
    assert.match(browserBody(`import { seen } from "./x.ts"; ${A("return <p ref={seen} />;")}`), /\(seen\)\(\$r\);/);
  });

  it("of an element that the browser may create runs once that is connected, and autofocus focuses it then", () => {
    const text = A("const n = signal(0); return <p>{n.value && <input autofocus ref={(el) => go(el)} />}</p>;");
    assert.match(browserBody(text), /focusCreated\(\$r\);\s+\$whenConnected\(\$r, \(el\) => go\(el\)\);/);
    assert.doesNotMatch(
      browserBody(A("return <input autofocus ref={(el) => go(el)} />;")),
      /whenConnected|focusCreated/,
    );
  });

  it("in rows is assigned when the scope wakes", () => {
    const text = A("const all = store([1]); return <ul>{all.map((n) => <li ref={(el) => go(el, n)} />)}</ul>;");
    assert.match(browserBody(text), /, \$raw, 1\);/);
  });

  it("can't be a signal, a string or another expression", () => {
    for (const ref of ["s", '"x"', "p ? a : b"]) {
      assert.equal(compileError(A(`const s = signal(null); return <p ref={${ref}} />;`)).code, "SVC103");
    }
  });
});
