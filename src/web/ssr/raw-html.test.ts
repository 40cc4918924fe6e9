import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { raw } from "./raw-html.ts";

const written = (html: string): string => raw({ __html: html });

describe("Raw HTML of a server page", () => {
  it("keeps the code of its scripts, and nothing that only looks like one", () => {
    const code = 'var s = 1, b = { on: true }; if (a<b) s="x";';
    const trusted = `<p>a</p><script nonce="1">${code}</script><b on:click="h0">`;
    assert.equal(written(trusted), `<p>a</p><script nonce="1">${code}</script><b on&#58;click="h0">`);
    for (const before of [
      '<p title="<script>">',
      "<p title='<script>'>",
      "<p title=<script>",
      "<!-- <script> -->",
      "<!--><!-- <script> -->",
      "<textarea><script></textarea>",
      "<style><script></style>",
      "<svg><style><script></style>",
      "<svg><![CDATA[<script>]]></svg>",
      "<!x <script>",
      "</1 <script>",
      "<?x <script>",
      "<noscript><script></noscript>",
    ])
      for (const [given, wanted] of [
        ["<b on:click=h0>", "<b on&#58;click=h0>"],
        ['<b s="1 x">', '<b s&#61;"1 x">'],
        ["<img name=querySelector>", "<img name&#61;querySelector>"],
      ] as const)
        assert.ok(written(before + given).endsWith(wanted), before + given);
  });

  it("takes time in proportion to its length", () => {
    for (const part of ["<p a=", "<script", '<p a="', "=a", "<!--", "<p =\"'"]) {
      const html = `<script>${part.repeat(20_000)}`;
      assert.ok(written(`${part.repeat(20_000)}<script>`).length >= 20_000, part);
      assert.ok(written(html).length >= html.length, part);
    }
  });

  it("is text for every value", () => {
    assert.equal(written("a s=b"), "a s&#61;b");
    assert.equal(raw({ __html: 5 }), "5");
  });
});
