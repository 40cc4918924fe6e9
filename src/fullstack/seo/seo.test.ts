import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { llmsText } from "./llms.ts";
import { robotsText } from "./robots.ts";
import { escapeXml, MAX_ENTRIES, sitemapFiles, type SitemapEntry } from "./sitemap.ts";

const SITE = "https://example.com";

describe("robots.txt", () => {
  it("allows everything by default, and names the sitemap", () => {
    assert.equal(
      robotsText([], "https://example.com/sitemap.xml"),
      "User-agent: *\nDisallow:\n\nSitemap: https://example.com/sitemap.xml\n",
    );
  });

  for (const [rule, message] of [
    [{ disallow: ["private"] }, /"private" as Disallow; it must be a path/],
    [{ disallow: ["/a\nAllow: /"] }, /as Disallow/],
    [{ disallow: ["/a#b"] }, /as Disallow/],
    [{ allow: ["/a\u0000"] }, /as Allow/],
    [{ userAgent: "Bot\nDisallow: /" }, /as User-agent; it must be a crawler's token/],
  ] as const) {
    it(`refuses ${JSON.stringify(rule)}, which would change the meaning of the file`, () =>
      assert.throws(() => robotsText([rule], undefined), { code: "SVC_DEFINITION", message }));
  }
});

describe("sitemap.xml", () => {
  const only = (...entries: SitemapEntry[]): string => sitemapFiles(entries, SITE).join("");

  it("escapes URLs and languages, and makes URLs absolute", () => {
    const xml = only({ path: "/a?b=1&c=<d>", alternates: { "x-default": "/a" } });
    assert.match(xml, /<loc>https:\/\/example\.com\/a\?b=1&amp;c=%3Cd%3E<\/loc>/);
    assert.match(xml, /<xhtml:link rel="alternate" hreflang="x-default" href="https:\/\/example\.com\/a"\/>/);
  });

  it("never contains a URL of another site, whatever a path looks like", () => {
    for (const path of ["//other.example/x", "/\\other.example", "/@other.example", "https://example.com/a"])
      assert.match(only({ path }), /<loc>https:\/\/example\.com\//, path);
    for (const path of ["https://example.com.other.example/", "https://other.example/", "", "books", "javascript:1"])
      assert.throws(() => only({ path }), { code: "SVC_DEFINITION", message: /is not a URL of https/ }, path);
  });

  it("rejects an invalid date", () =>
    assert.throws(() => only({ path: "/", lastModified: new Date(Number.NaN) }), { message: /invalid date/ }));

  it("is split into several files if one would have too many URLs or bytes", () => {
    const entries = Array.from({ length: MAX_ENTRIES + 1 }, (_, at) => ({ path: `/${at}` }));
    const files = sitemapFiles(entries, SITE);
    assert.deepEqual(
      files.map((file) => file.match(/<loc>/g)?.length),
      [50_000, 1],
    );
    const small = sitemapFiles(entries.slice(0, 100), SITE, 1000);
    assert.ok(small.every((file) => Buffer.byteLength(file) < 1300 && file.includes("<loc>")));
    assert.equal(small.join("").match(/<loc>/g)?.length, 100);
  });

  it("encodes any text as valid XML", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const escaped = escapeXml(text);
        assert.doesNotMatch(escaped, /[<>"']|&(?!(?:amp|lt|gt|quot|apos);)/);
      }),
    );
  });
});

describe("llms.txt", () => {
  it("keeps each title and note on its line, and links intact", () => {
    const text = llmsText(
      { title: "A\n# B", sections: { Docs: [{ title: "[x](y)", href: "/a(b)", note: "one\ntwo" }] } },
      "https://example.com",
      [],
    );
    assert.equal(text, "# A # B\n\n## Docs\n\n- [\\[x\\](y)](https://example.com/a%28b%29): one two\n");
  });
});
