import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inlineHash, inlineHashes } from "./inline-hashes.ts";

describe("the hashes of an HTML file", () => {
  it("cover each inline script and style once, and no script with a file", () => {
    const html = `<style>a{}</style><script type="module" src="/a.js"></script><SCRIPT>b()</SCRIPT ><script>b()</script>`;
    assert.deepEqual(inlineHashes(html), [inlineHash("a{}"), inlineHash("b()")]);
  });

  it("are those of the text that a browser reads, in which each line ends with a line feed", () => {
    assert.deepEqual(inlineHashes("<script>a()\r\nb()\rc()</script>"), [inlineHash("a()\nb()\nc()")]);
  });

  it("agree with the example of CSP Level 3 for an inline script", () => {
    assert.equal(inlineHash("alert('Hello, world.');"), "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
  });
});
