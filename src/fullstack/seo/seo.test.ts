import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { llmsText } from "./llms.ts";
import { robotsText } from "./robots.ts";
import { escapeXml, MAX_ENTRIES, sitemapIndexXml, sitemapXml } from "./sitemap.ts";

describe("robots.txt", () => {
  it("without rules allows everything, and names the sitemap", () => {
    assert.equal(
      robotsText([], "https://example.com/sitemap.xml"),
      "User-agent: *\nDisallow:\n\nSitemap: https://example.com/sitemap.xml\n",
    );
  });

  for (const [rule, message] of [
    [{ disallow: ["private"] }, /"private" as Disallow; it must be a path/],
    [{ disallow: ["/a\nAllow: /"] }, /as Disallow/],
    [{ userAgent: "Bot\nDisallow: /" }, /as User-agent; it must be a crawler's token/],
  ] as const) {
    it(`refuses ${JSON.stringify(rule)}, which would say something else`, () =>
      assert.throws(() => robotsText([rule], undefined), { code: "SVC_DEFINITION", message }));
  }
});

describe("sitemap.xml", () => {
  it("escapes addresses and languages, and makes them absolute", () => {
    const xml = sitemapXml([{ path: "/a?b=1&c=<d>", alternates: { "x-default": "/a" } }], "https://example.com");
    assert.match(xml, /<loc>https:\/\/example\.com\/a\?b=1&amp;c=%3Cd%3E<\/loc>/);
    assert.match(xml, /<xhtml:link rel="alternate" hreflang="x-default" href="https:\/\/example\.com\/a"\/>/);
  });

  it("is an index of addresses where there are too many", () => {
    assert.equal(MAX_ENTRIES, 50_000);
    assert.match(
      sitemapIndexXml(["https://example.com/sitemap.xml?page=1"]),
      /<sitemap><loc>.*page=1<\/loc><\/sitemap>/,
    );
  });

  it("text is text in XML, whatever it holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const escaped = escapeXml(text);
        assert.doesNotMatch(escaped, /[<>"']|&(?!(?:amp|lt|gt|quot|apos);)/);
      }),
    );
  });
});

describe("llms.txt", () => {
  it("keeps titles and notes to their line, and links whole", () => {
    const text = llmsText(
      { title: "A\n# B", sections: { Docs: [{ title: "[x](y)", href: "/a(b)", note: "one\ntwo" }] } },
      "https://example.com",
      [],
    );
    assert.equal(text, "# A # B\n\n## Docs\n\n- [\\[x\\](y)](https://example.com/a%28b%29): one two\n");
  });
});
