/**
 * The output of a full-stack app for search engines, checked with third-party parsers: robots-parser (RFC 9309),
 * fast-xml-parser with the rules of sitemaps.org 0.9, parse5 (HTML standard). Hostile text is in every place that accepts text.
 */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { parse, type DefaultTreeAdapterTypes } from "parse5";
import robotsParserModule from "robots-parser";
import { notFound, type App } from "svckit";
import { createFullStackApp, type ErrorProps, type FullStackOptions, type Head } from "svckit/fullstack";
import { html, t } from "svckit/jsx-runtime";
import { createTestClient, recordLog } from "svckit/testing";

// Its types claim an ES module, but node loads CommonJS.
const robotsParser = robotsParserModule as unknown as typeof robotsParserModule.default;

const SITE = "https://example.com";
const ENV = { NODE_ENV: "test", SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32), SVC_SITE_URL: SITE };
const apps: App[] = [];
after(() => Promise.all(apps.map((app) => app.close())));

function appOf(pages: Record<string, object>, options: FullStackOptions = {}): App {
  const given = Object.fromEntries(Object.entries(pages).map(([file, module]) => [`./pages/${file}`, module]));
  const app = createFullStackApp({ env: ENV, log: recordLog(), ...options }, given);
  apps.push(app);
  return app;
}

async function textOf(app: App, path: string): Promise<string> {
  const response = await createTestClient(app).get(path, { accept: "text/html" });
  return response.text();
}

const home = { default: () => "Home", head: { title: "Home" } };

/** Text with a meaning in HTML, scripts, XML, Markdown or headers. */
const HOSTILE = [
  `<>&"'`,
  "</script><script>alert(1)</script>",
  "</title><img src=x onerror=alert(1)>",
  "<!--<script>",
  "]]>",
  "<![CDATA[x]]>",
  "&lt;b&gt; &amp;amp; &#x3c;",
  "line\u2028separator\u2029paragraph",
  "null\u0000bell\u0007\uffff",
  "lone \ud800 surrogate",
  "[x](javascript:alert(1))\n# heading",
  "a\r\nX-Injected: yes",
  "{{x}} ${x} <%= x %>",
  "\u202egnp.exe",
];

describe("a page behind a _middleware.ts", () => {
  const pass = { default: (_ctx: unknown, next: () => unknown) => next() };
  const pages = {
    "index.tsx": home,
    "_middleware.ts": pass,
    "members/_middleware.ts": pass,
    "members/index.tsx": { ...home, head: { title: "Members" } },
    "members/join.tsx": { ...home, head: { title: "Join" } },
  };
  const llms = { title: "Site" };

  it("of a subfolder is in neither sitemap.xml nor llms.txt", async () => {
    const app = appOf(pages, { seo: { llms } });
    const sitemap = await textOf(app, "/sitemap.xml");
    assert.deepEqual(sitemap.match(/<loc>[^<]*/g), [`<loc>${SITE}/`]);
    assert.doesNotMatch(await textOf(app, "/llms.txt"), /Members|Join/);
  });

  it("is in the sitemap if the app includes it", async () => {
    const app = appOf(pages, { seo: { sitemap: { include: ["/members/join"] } } });
    const sitemap = await textOf(app, "/sitemap.xml");
    assert.deepEqual(sitemap.match(/<loc>[^<]*/g), [`<loc>${SITE}/`, `<loc>${SITE}/members/join`]);
  });
});

describe("robots.txt, read by robots-parser", () => {
  const app = appOf(
    { "index.tsx": home },
    {
      seo: {
        robots: [
          { disallow: ["/private/", "/*.pdf$", "/search?"], allow: ["/private/open/"] },
          { userAgent: ["GPTBot", "CCBot"], disallow: ["/"] },
          { userAgent: "Friend" },
        ],
      },
    },
  );

  it("applies the rules per path and crawler, and names the sitemap", async () => {
    const robots = robotsParser(`${SITE}/robots.txt`, await textOf(app, "/robots.txt"));
    const cases: [string, string, boolean][] = [
      ["/", "Googlebot", true],
      ["/private/a", "Googlebot", false],
      ["/private", "Googlebot", true],
      ["/private/open/a", "Googlebot", true],
      ["/a/b.pdf", "Googlebot", false],
      ["/a/b.pdf.html", "Googlebot", true],
      ["/search?q=1", "Googlebot", false],
      ["/search", "Googlebot", true],
      ["/", "GPTBot", false],
      ["/a", "ccbot", false],
      ["/private/a", "Friend", true],
    ];
    for (const [path, agent, isAllowed] of cases)
      assert.equal(robots.isAllowed(SITE + path, agent), isAllowed, `${agent} ${path}`);
    assert.deepEqual(robots.getSitemaps(), [`${SITE}/sitemap.xml`]);
  });

  it("disallows any path that the options accept, and not its siblings", async () => {
    const segment = fc.stringMatching(/^[a-z0-9%&=;,:@!~'()+._-]{1,12}$/).filter((text) => !text.includes("%"));
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 4 }), async (segments) => {
        const path = `/x${segments.join("/")}/`;
        const one = appOf({ "index.tsx": home }, { seo: { robots: [{ disallow: [path] }] } });
        const robots = robotsParser(`${SITE}/robots.txt`, await textOf(one, "/robots.txt"));
        assert.equal(robots.isAllowed(`${SITE + path}below`), false, path);
        assert.equal(robots.isAllowed(`${SITE}/y${path}`), true, path);
      }),
      { numRuns: 15 },
    );
  });
});

const LOCATION_BYTES = 2048;
/** W3C date and time as sitemaps allow it: a day, or a second with a time zone. */
const W3C_DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/;

interface Link {
  "@_rel": string;
  "@_hreflang": string;
  "@_href": string;
}
interface Url {
  loc: string;
  lastmod?: string;
  "xhtml:link"?: Link[];
}

const reader = new XMLParser({
  ignoreAttributes: false,
  parseTagValue: false,
  isArray: (name) => ["url", "sitemap", "xhtml:link"].includes(name),
});

/** The addresses of a sitemap. @throws AssertionError if it breaks a rule of the protocol */
function readSitemap(xml: string): Url[] {
  assert.equal(XMLValidator.validate(xml), true);
  assert.ok(Buffer.byteLength(xml) <= 50 * 1024 * 1024);
  const parsed = reader.parse(xml) as { urlset: { "@_xmlns": string; "@_xmlns:xhtml": string; url?: Url[] } };
  assert.deepEqual(Object.keys(parsed), ["?xml", "urlset"]);
  assert.equal(parsed.urlset["@_xmlns"], "http://www.sitemaps.org/schemas/sitemap/0.9");
  assert.equal(parsed.urlset["@_xmlns:xhtml"], "http://www.w3.org/1999/xhtml");
  const urls = parsed.urlset.url ?? [];
  assert.ok(urls.length <= 50_000);
  for (const { loc, lastmod, "xhtml:link": links = [], ...rest } of urls) {
    assert.deepEqual(rest, {});
    assert.ok(loc.startsWith(`${SITE}/`) && URL.canParse(loc) && loc.length < LOCATION_BYTES, loc);
    // RFC 3986: other characters than these are encoded.
    assert.match(loc, /^[\w\-.~:/?#[\]@!$&'()*+,;=%|^`{}]+$/);
    if (lastmod !== undefined) assert.match(lastmod, W3C_DATE);
    for (const link of links) {
      assert.equal(link["@_rel"], "alternate");
      assert.ok(URL.canParse(link["@_href"]) && link["@_hreflang"] !== "");
    }
  }
  return urls;
}

describe("sitemap.xml, read by fast-xml-parser", () => {
  it("follows the rules of the protocol, with hostile text in paths, queries and languages", async () => {
    const entries = HOSTILE.map((text, at) => ({
      path: `/books/${at}/${text}?q=${text}#${text}`,
      lastModified: new Date(Date.UTC(2026, 1, 28, 23, 59, at)),
      alternates: { de: `/de/${text}`, "x-default": `https://example.org/${text}`, [`x${text}`]: "/x" },
    }));
    const app = appOf({ "index.tsx": home }, { seo: { sitemap: { entries: () => entries } } });
    const urls = readSitemap(await textOf(app, "/sitemap.xml"));
    assert.equal(urls.length, 1 + HOSTILE.length);
    for (const [at, url] of urls.slice(1).entries()) {
      assert.match(url.loc, new RegExp(`^https://example\\.com/books/${at}/`));
      assert.equal(new Date(url.lastmod ?? "").getTime(), Date.UTC(2026, 1, 28, 23, 59, at));
      assert.equal(url["xhtml:link"]?.length, 3);
    }
  });

  it("is well formed and stays on its site with arbitrary entries", async () => {
    let path = "";
    const app = appOf(
      {},
      { seo: { sitemap: { entries: () => [{ path: `/${path}`, alternates: { [`x${path}`]: "/" } }] } } },
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 60 }), async (text) => {
        path = text;
        assert.equal(readSitemap(await textOf(app, "/sitemap.xml")).length, 1);
      }),
      { numRuns: 100 },
    );
  });

  it("is an index of complete files above 50,000 addresses, without losing one", async () => {
    const entries = Array.from({ length: 50_001 }, (_, at) => ({ path: `/books/${at}` }));
    const app = appOf({}, { seo: { sitemap: { entries: () => entries } } });
    const index = await textOf(app, "/sitemap.xml");
    assert.equal(XMLValidator.validate(index), true);
    const { sitemapindex } = reader.parse(index) as { sitemapindex: { "@_xmlns": string; sitemap: { loc: string }[] } };
    assert.equal(sitemapindex["@_xmlns"], "http://www.sitemaps.org/schemas/sitemap/0.9");
    assert.equal(sitemapindex.sitemap.length, 2);
    const found: string[] = [];
    for (const { loc } of sitemapindex.sitemap) {
      assert.ok(loc.startsWith(`${SITE}/`));
      found.push(...readSitemap(await textOf(app, loc.slice(SITE.length))).map((url) => url.loc));
    }
    assert.deepEqual(
      found,
      entries.map(({ path }) => SITE + path),
    );
    const client = createTestClient(app);
    for (const wrong of ["0", "3", "-1", "x", "1.5", ""])
      assert.equal((await client.get(`/sitemap.xml?page=${wrong}`)).status, 404, wrong);
  });

  it("omits pages with noindex, and pages that the app excludes", async () => {
    const app = appOf(
      {
        "index.tsx": home,
        "hidden.tsx": { ...home, head: { title: "H", robots: { index: false } } },
        "account/index.tsx": home,
        "account/orders.tsx": home,
        "accounting.tsx": home,
        "users/[id].tsx": home,
      },
      { seo: { sitemap: { exclude: ["/account/*"] } } },
    );
    const urls = readSitemap(await textOf(app, "/sitemap.xml")).map(({ loc }) => loc);
    assert.deepEqual(urls, [`${SITE}/`, `${SITE}/accounting`]);
  });
});

/** Lone surrogates as U+FFFD, which is how UTF-8 encodes them. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** Every element with the names of its attributes, and every comment. */
function shapeOf(markup: string): string[] {
  const shape: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ("tagName" in node) shape.push(`${node.tagName} ${node.attrs.map(({ name }) => name).join(" ")}`);
    else if (node.nodeName === "#comment") shape.push("comment");
    if ("childNodes" in node) node.childNodes.forEach(visit);
  };
  visit(parse(markup));
  return shape;
}

/** The text of the elements, or the values of one of their attributes. */
function valuesOf(markup: string, tag: string, attribute?: string): string[] {
  const values: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ("tagName" in node && node.tagName === tag) {
      if (attribute === undefined)
        values.push(node.childNodes.map((child) => ("value" in child ? child.value : "")).join(""));
      else values.push(...node.attrs.filter(({ name }) => name === attribute).map(({ value }) => value));
    }
    if ("childNodes" in node) node.childNodes.forEach(visit);
  };
  visit(parse(markup));
  return values;
}

/** The text in a form that can be compared: the HTML standard drops or replaces NUL and lone surrogates, depending on the position. */
function readable(text: string): string {
  return wellFormed(text).replaceAll("\u0000", "").replaceAll("\ufffd", "").replace(/\r\n?/g, "\n");
}

describe("the head of a page, read by parse5", () => {
  let text = "";
  const head = (): Head => ({
    title: text,
    description: text,
    lang: text,
    canonical: `/${encodeURIComponent(wellFormed(text))}`,
    openGraph: { title: text, image: `/i?${text}`, imageAlt: text, siteName: text, locale: text },
    jsonLd: [{ "@type": "Book", name: text, [text]: text }],
    alternates: { [text]: `/${text}` },
    meta: { [text]: text, author: text },
  });
  const failed = ({ message, status }: ErrorProps) => html(() => `<p>${t(status)}: ${t(message)}</p>`);
  const app = appOf({
    "index.tsx": { head, default: () => html(() => `<h1>${t(text)}</h1>`) },
    "gone.tsx": { load: () => notFound(text), default: () => "" },
    "_error.tsx": { default: failed },
    "_404.tsx": { default: failed },
  });

  const shapeWith = async (path: string, given: string): Promise<string[]> => {
    text = given;
    return shapeOf(await textOf(app, path));
  };

  it("has the same elements whatever its texts contain", async () => {
    const plain = await shapeWith("/", "x");
    assert.ok(plain.includes("link rel hreflang href"));
    for (const hostile of HOSTILE) assert.deepEqual(await shapeWith("/", hostile), plain, JSON.stringify(hostile));
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 40 }), async (any) =>
        assert.deepEqual(await shapeWith("/", `x${any}`), plain),
      ),
      { numRuns: 60 },
    );
  });

  it("contains the given titles, descriptions and structured data unchanged", async () => {
    for (const hostile of HOSTILE) {
      text = hostile;
      const page = await textOf(app, "/");
      assert.deepEqual(valuesOf(page, "title").map(readable), [readable(hostile)]);
      const contents = valuesOf(page, "meta", "content").map(readable);
      assert.ok(contents.includes(readable(hostile)), JSON.stringify(hostile));
      const [json = ""] = valuesOf(page, "script");
      assert.doesNotMatch(json, /[<\u2028\u2029]/);
      assert.deepEqual(JSON.parse(json), { "@type": "Book", name: hostile, [hostile]: hostile });
    }
  });

  it("contains the message of a failed page as text", async () => {
    const plain = await shapeWith("/gone", "x");
    for (const hostile of HOSTILE) {
      assert.deepEqual(await shapeWith("/gone", hostile), plain, JSON.stringify(hostile));
      const reported = valuesOf(await textOf(app, "/gone"), "p").map(readable);
      assert.deepEqual(reported, [readable(`404: ${hostile}`)]);
    }
  });

  it("contains the path of a missing page as text", async () => {
    for (const hostile of HOSTILE.filter(
      (one) => !one.includes("\u0000") && !one.includes("\r") && !one.includes(".."),
    )) {
      const [message] = valuesOf(await textOf(app, `/${encodeURIComponent(wellFormed(hostile))}`), "p");
      assert.match(message ?? "", /^404: Nothing is at \//);
    }
  });
});

describe("llms.txt", () => {
  it("keeps hostile titles, summaries and notes on their lines", async () => {
    for (const hostile of HOSTILE) {
      const links = [{ title: hostile, href: `/${encodeURIComponent(wellFormed(hostile))}`, note: hostile }];
      const app = appOf({}, { seo: { llms: { title: hostile, summary: hostile, sections: { [hostile]: links } } } });
      const lines = (await textOf(app, "/llms.txt")).trimEnd().split("\n");
      assert.deepEqual(
        lines.map((line) => /^(?:# |> |## |- \[|$)/.exec(line)?.[0]),
        ["# ", "", "> ", "", "## ", "", "- ["],
        JSON.stringify(hostile),
      );
      assert.match(lines.at(-1) ?? "", /\]\(https:\/\/example\.com\/[^()\s]*\): /);
    }
  });
});

describe("the site's address", () => {
  it("is required in production, and the boot error names the variable and its purpose", async () => {
    const { SVC_SITE_URL: _, ...env } = ENV;
    const app = appOf({ "index.tsx": home }, { env: { ...env, NODE_ENV: "production" } });
    await assert.rejects(app.boot(), {
      code: "SVC_CONFIG",
      message: /SVC_SITE_URL is not set.*sitemaps.*such as https:\/\/example\.com/,
    });
  });

  it("is the listen address in development", async () => {
    const { SVC_SITE_URL: _, ...env } = ENV;
    const app = appOf({ "index.tsx": home }, { env: { ...env, PORT: "4321" } });
    assert.match(await textOf(app, "/robots.txt"), /Sitemap: http:\/\/(?:localhost|127\.0\.0\.1):4321\/sitemap\.xml/);
  });

  it("is never taken from the request", async () => {
    const app = appOf({ "index.tsx": { ...home, head: { title: "Home", canonical: "/" } } });
    for (const path of ["/", "/robots.txt", "/sitemap.xml"]) {
      const foreign = await createTestClient(app, { origin: "https://attacker.example" }).get(path);
      assert.equal(foreign.status, 421);
      const response = await createTestClient(app).get(path, {
        "x-forwarded-host": "attacker.example",
        forwarded: "host=attacker.example",
      });
      const text = await response.text();
      assert.ok(text.includes(SITE) && !text.includes("attacker"), path);
    }
  });
});
