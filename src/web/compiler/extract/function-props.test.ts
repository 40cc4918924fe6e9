import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { functionNames } from "../emit/passed-props.ts";
import { browserBody, compileError, compileTsx, render, serverBody, serverHead } from "../harness.testkit.ts";

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
    assert.equal(compileError(A("let n = 1; n = 2; return <B onPick={() => n} />;")).code, "SVC101");
  });

  it("stays on the server if it contains JSX", () => {
    assert.doesNotMatch(serverBody(A("return <B onRow={(x) => <i>{x}</i>} />;")), /\$fn/);
  });
});

describe("a function given to a component as a prop of another name", () => {
  const text = `function B(p) { return <b onClick={() => p.by(1)}>{p.text()}</b>; }
    export function A() { const n = signal(1); return <B by={(x) => x} text={() => n.value} />; }`;
  const liveBody = (called: string[], beside: string[] = []): string =>
    compileTsx(text, {
      liveNames: new Set(["text"]),
      calledNames: { anywhere: new Set(called), shown: new Set(), besideLive: new Set(beside) },
    }).live?.output.code ?? "";

  it("is live if it reads what changes", async () => {
    assert.match(await render(text), /^<b s="1 live-1 [^"]*" on:click="h0"><!--\[-->1<!--\]--><!--p0--><\/b>$/);
    assert.doesNotMatch(await render(text.replace("n.value", "1")), /<!--/);
  });

  it("is in the browser's code if the app captures a prop of that name", () => {
    assert.match(liveBody(["by", "text"]), /export const f0 = \(\$\) => \(\(x\) => x\);/);
    assert.doesNotMatch(liveBody(["text"]), /export const f0/);
    assert.deepEqual([...compileTsx(text).captured], ["by"]);
  });

  it("is in the browser's code if the app calls it for a live prop next to it", () => {
    assert.match(liveBody(["text"], ["by"]), /export const f0 = /);
    const still = text.replace("() => n.value", '"a"');
    const options = {
      liveNames: new Set(["text"]),
      calledNames: { anywhere: new Set<string>(), shown: new Set<string>(), besideLive: new Set(["by"]) },
    };
    assert.doesNotMatch(compileTsx(still, options).live?.output.code ?? "", /export const f0/);
  });

  it("is captured if a component passes it on under another name", () => {
    const passed = [[{ name: "run", from: "load" }], [{ name: "other", from: "kept" }]];
    assert.deepEqual([...functionNames([["run"]], passed)], ["run", "load"]);
  });

  it("stays on the server if the browser can't create it", () => {
    const program = "export function A() { let n = 1; n++; return <B by={() => n} />; }";
    assert.doesNotMatch(serverBody(program), /\$fn/);
    assert.throws(
      () =>
        compileTsx(program, {
          liveNames: new Set(),
          calledNames: { anywhere: new Set(["by"]), shown: new Set(), besideLive: new Set() },
        }),
      {
        code: "SVC101",
      },
    );
  });
});
