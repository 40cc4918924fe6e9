import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { browserBody, compileError, render, serverBody, serverHead } from "../harness.testkit.ts";

const A = (body: string): string =>
  `function B(p) { return <b onClick={() => p.onPick(1)}>x</b>; }\nexport function A(p) { ${body} }`;

describe("a function given to a component as a prop named on…", () => {
  const text = A("const n = signal(1); return <main><B onPick={(by) => (n.value += by * p.step)} /></main>;");

  it("is registered on the server with its slots, and is callable there", () => {
    assert.match(
      serverBody(text),
      /B\(\{ onPick: \$fn\(\$b2, "h1", \[n, \$prop\(p, "step", p\.step\)\], \(by\) => \(n\.value \+= by \* p\.step\)\), \}\)/,
    );
    assert.match(serverHead(text), /\$b2 = \$block\("pages\/test\.tsx", 0, \[\], \[\], \["A","n","p\.step"\]\)/);
  });

  it("is created by the chunk from its slots", () => {
    assert.match(browserBody(text), /export const h1 = \(\$\) => \(\(by\) => \(\$\[0\]\.value \+= by \* \$\[1\]\)\);/);
  });

  it("is sent as a reference, with the part that creates it", async () => {
    assert.equal(await render(text, { step: 2 }), '<main><b s="1 test-1 fn" on:click="h0">x</b></main>');
  });

  it("may be named, passed on, and used as a handler", () => {
    assert.match(
      serverBody(A("const go = () => 1; return <B onPick={go} />;")),
      /onPick: \$fn\(\$b2, "h1", \[\], go\)/,
    );
    assert.match(serverBody(A("return <B onPick={p.onPick} />;")), /onPick: p\.onPick,/);
    assert.match(
      browserBody("export const A = (p) => <b onClick={p.onPick}>x</b>;"),
      /=> \(\$\[0\]\)\?\.\(\$e, \$el\);/,
    );
    assert.match(
      browserBody("export const A = ({ onPick }) => <b onClick={onPick}>x</b>;"),
      /=> \(\$\[0\]\)\?\.\(\$e, \$el\);/,
    );
  });

  it("captures values as handlers do", () => {
    assert.equal(compileError(A("let n = 1; return <B onPick={() => n} />;")).code, "SVC101");
  });

  it("with another name, or with JSX, stays on the server", () => {
    assert.doesNotMatch(serverBody(A("return <B by={(x) => x} />;")), /\$fn/);
    assert.doesNotMatch(serverBody(A("return <B onRow={(x) => <i>{x}</i>} />;")), /\$fn/);
  });
});
