import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { browserBody, compileTsx, render, serverBody } from "../harness.testkit.ts";

const boundary = (fallback: string): string =>
  `export function A(p) { const n = signal(1); return <main><ErrorBoundary fallback={${fallback}}><b onClick={() => n.value++}>{n.value}</b>{p.run?.()}</ErrorBoundary></main>; }`;

describe("a boundary's fallback", () => {
  it("that is a function becomes a browser template with the error and reset", () => {
    const code = browserBody(boundary("(error, reset) => <i onClick={reset}>{error.message} {n.value}</i>"));
    assert.match(code, /\$T\(\$r, \(\) => \[\$\.i\.value\.message," ",\$\.\$\[0\]\.value,\]\);/);
    assert.match(code, /export const h0 = \(\$, \$e, \$el\) => \(\$\.n\.value\)\(\$e, \$el\);/);
    assert.match(code, /export const h1 = \(\$, \$e, \$el\) => \$Caught\(\$e, \$el, \$t0, \$fallback1, \$\);/);
  });

  it("is referenced by the end of the boundary, and the scopes inside name its part", async () => {
    const html = await render(boundary("(error) => <i>{error.message}</i>"));
    assert.equal(
      html,
      '<main><!--eb--><b s="1 test-1 boundary" on:click="h1">1</b><template s="2 test-1 boundary region" on:caught="h0" eb></template></main>',
    );
  });

  it("that the server renders has working handlers", async () => {
    const run = (): never => {
      throw new Error("shown");
    };
    const text = boundary("(error, reset) => <i onClick={() => reset()}>{error.message}</i>");
    assert.equal(await render(text, { run }), '<main><i s="1 test-1 boundary region" on:click="h0">shown</i></main>');
  });

  it("that is markup is written to the page, hidden", async () => {
    const html = await render(`function Oops() { return <i>oops</i>; } ${boundary("<Oops />")}`);
    assert.match(html, /<\/b><template eb><i>oops<\/i><\/template><\/main>$/);
  });

  it("of components that need the error exists only on the server", async () => {
    const text = `function Oops(p) { return <i>oops</i>; } ${boundary("(error) => <Oops error={error} />")}`;
    assert.equal(await render(text), '<main><b s="1 test-1" on:click="h0">1</b></main>');
    assert.doesNotMatch(serverBody(text), /end:/);
    assert.doesNotMatch(compileTsx(text).client?.code ?? "", /Caught/);
  });

  it("adds nothing around content that can't fail in the browser", async () => {
    const text = "export const A = () => <ErrorBoundary fallback={<i>x</i>}><p>static</p></ErrorBoundary>;";
    assert.equal(await render(text), "<p>static</p>");
  });
});
