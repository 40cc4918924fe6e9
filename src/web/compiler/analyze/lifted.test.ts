import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { browser, browserBody, render, serverBody, signal } from "../harness.testkit.ts";

describe("a constant object of functions and computeds", () => {
  const text = `export function A() {
    const n = signal(2); const out = signal(0);
    const api = { get double() { return n.value * 2; }, inc() { n.value++; return this.double; } };
    return <button onClick={() => (out.value = api.inc())}>{out.value}:{api.double}</button>;
  }`;

  it("is created again in the browser, so its getters stay current", async () => {
    assert.match(await render(text), />0:4<\/button>$/);
    const n = signal(2);
    const out = signal(0);
    const module = await browser(text);
    const slots = [out, n];
    assert.deepEqual(module.bind("b0", slots), ['root text: "0:4"']);
    module.run("h0", slots, {}, {});
    assert.equal(out.value, 6);
    assert.deepEqual(module.bind("b0", slots), ['root text: "6:6"']);
  });

  it("may contain signals and computeds by name, and a choice of them", () => {
    const read = (made: string, use: string): string =>
      browserBody(
        `export function A(p) { const n = signal(2); ${made} return <b onClick={() => n.value++}>{${use}}</b>; }`,
      );
    assert.match(read("const all = [n, computed(() => n.value * 2)];", "all[1].value"), /\?\?= \[\$\[\d\], /);
    assert.match(
      read("const o = [n][0] ?? n; const c = o ? computed(() => n.value * 2) : n;", "c.value"),
      /\?\?= .* \? computed/,
    );
  });

  it("is made at each use if making it reads a prop, which may change", () => {
    const text = "export function A(p) { const f = p.many ? () => 1 : () => 2; return <b onClick={() => f()}>x</b>; }";
    assert.match(browserBody(text), /=> \(\$\[\d\] \? \(\) => 1 : \(\) => 2\)/);
  });

  it("is sent as a value if evaluating it again could create or read state", () => {
    for (const made of [
      "{ n: signal(1), f: () => 1 }",
      "{ now: n.value, f: () => 1 }",
      "{ c: 0, f() { this.c++; } }",
    ]) {
      const body = `const n = signal(0); const o = ${made}; return <b onClick={() => o.f()}>{n.value}</b>;`;
      assert.match(serverBody(`export function A() { ${body} }`), /\[n, \$only\(o, "f"\)\]/, made);
    }
  });
});
