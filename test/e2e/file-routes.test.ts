/** The app of test/fixtures/fullstack, built by `svc build`: files become pages, with their layouts, data and errors. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startBuilt, type BuiltApp } from "./built-app.ts";

let app: BuiltApp;

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(app.url + path, { redirect: "manual", headers: { accept: "text/html", ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The content of the first element with this tag. */
function inside(tag: string, html: string): string {
  return new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`).exec(html)?.[1] ?? "";
}

before(async () => {
  app = await startBuilt("fullstack");
});

after(() => app.close());

describe("a file below pages/", () => {
  it("is a page, inside the layout of its folder, with the title in the layout's template", async () => {
    const { status, text } = await get("/");
    assert.equal(status, 200);
    assert.equal(inside("title", text), "Home · Examples");
    assert.equal(inside("header", text), '<a href="/">Examples &amp; Co</a>');
    assert.match(inside("main", text), /<button [^>]*id="count"[^>]*>0 of 0<\/button>/);
  });

  it("gets the parameters of its name, and data from load", async () => {
    const { status, text } = await get("/users/1");
    assert.equal(status, 200);
    assert.match(inside("main", text), /^<section><p>2 users<\/p><h1>Ada &lt;Lovelace><\/h1><\/section>$/);
  });

  it("may have an optional parameter, or match many segments", async () => {
    assert.match((await get("/docs")).text, /Docs of everything/);
    assert.match((await get("/docs/a/b%20c")).text, /Docs of a\/b c/);
  });

  it("is an endpoint if it is a .ts file, with the methods it exports", async () => {
    assert.equal((await get("/api/users")).text, '["Ada","Grace"]');
    const made = await fetch(`${app.url}/api/users`, { method: "POST", body: "Alan" });
    assert.deepEqual([made.status, await made.json()], [201, { got: "Alan" }]);
    const refused = await fetch(`${app.url}/api/users`, { method: "DELETE" });
    assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD, POST"]);
  });

  it("is behind the middleware of its folder or group", async () => {
    assert.equal((await get("/members")).status, 401);
    assert.equal((await get("/members", { "x-member": "yes" })).status, 200);
  });
});

describe("the head of a page", () => {
  it("contains canonical address, Open Graph and JSON-LD, absolute and escaped", async () => {
    const { text } = await get("/users/1");
    const head = inside("head", text);
    assert.match(head, /<link rel="canonical" href="https:\/\/example\.com\/users\/1">/);
    assert.match(head, /<meta property="og:title" content="Ada &lt;Lovelace> · Examples">/);
    assert.match(
      head,
      /<meta property="og:type" content="profile"><meta property="og:url" content="https:\/\/example\.com\/users\/1">/,
    );
    assert.match(head, /<meta property="og:site_name" content="Examples">/);
    const [, json = ""] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(head) ?? [];
    assert.ok(!json.includes("<"));
    assert.equal((JSON.parse(json) as { name: string }).name, "Ada <Lovelace>");
  });

  it("excludes robots if the page requests that", async () => {
    assert.match((await get("/docs")).text, /<meta name="robots" content="noindex">/);
  });
});

describe("an error", () => {
  it("is shown by the nearest _error.tsx with its status, inside the outer layouts", async () => {
    const { status, text } = await get("/users/7");
    assert.equal(status, 404);
    assert.match(
      inside("main", text),
      /<section><p>2 users<\/p><p role="alert">404: There is no user 7<\/p><\/section>/,
    );
    assert.equal(inside("title", text), "No such user · Examples");
  });

  it("shows visitors no details, and the log all of them", async () => {
    const { status, text } = await get("/users/broken");
    assert.equal(status, 500);
    assert.match(text, /<p role="alert">500: Something failed on our side\.<\/p>/);
    assert.doesNotMatch(text, /secret/);
  });

  it("in a view is handled in the same way, with the same status", async () => {
    const { status, text } = await get("/users/2");
    assert.equal(status, 500);
    assert.match(inside("main", text), /<section><p>2 users<\/p><p role="alert">500:/);
  });

  it("outside of every _error.tsx shows the built-in page", async () => {
    const { status, text } = await get("/?root-fails");
    assert.equal(status, 500);
    assert.doesNotMatch(text, /data is gone|<header>/);
  });

  it("that is a redirect redirects", async () => {
    const { status, headers } = await get("/users/old");
    assert.deepEqual([status, headers.get("location")], [303, "/users/1"]);
  });
});

describe("the data of load", () => {
  it("may arrive late at any depth: the page is sent first, and its deferred content follows", async () => {
    const { status, text } = await get("/late");
    assert.equal(status, 200);
    assert.match(text, /<p>now<\/p>/);
    assert.match(text, /<b>there<\/b>/);
  });

  it("that fails late is replaced by the nearest _error.tsx, with the request's id and no secret", async () => {
    const { status, headers, text } = await get("/late?how=fails");
    assert.equal(status, 200);
    assert.match(text, /<p>now<\/p>/);
    assert.match(text, /<h1>Root error 500<\/h1><p>Something failed on our side\.<\/p>/);
    assert.ok(text.includes(`<code>${headers.get("x-request-id")}</code>`));
    assert.doesNotMatch(text, /secret/);
  });

  it("is replaced by an error with its status and its message for visitors", async () => {
    const { status, text } = await get("/busy");
    assert.equal(status, 503);
    assert.match(inside("main", text), /<h1>Root error 503<\/h1><p>Back at noon<\/p>/);
  });

  it("is shared by all visitors if options say so", async () => {
    const { headers, text } = await get("/shared", { cookie: "a=b" });
    assert.match(text, /made 1/);
    assert.equal(headers.get("cache-control"), "public, max-age=60");
    assert.match((await get("/shared", { cookie: "a=c" })).text, /made 1/);
    assert.equal((await get("/shared", { "if-none-match": headers.get("etag") ?? "" })).status, 304);
  });
});

describe("a missing page", () => {
  it("is shown by _404.tsx with status 404, inside the layouts", async () => {
    const { status, text } = await get("/nowhere/at/all");
    assert.equal(status, 404);
    assert.equal(inside("main", text), "<h1>Lost: Nothing is at /nowhere/at/all</h1>");
    assert.equal(inside("title", text), "Not Found · Examples");
  });

  it("is a problem document for programs", async () => {
    const { status, headers } = await get("/nowhere", { accept: "application/json" });
    assert.deepEqual([status, headers.get("content-type")], [404, "application/problem+json"]);
  });
});

describe("a full-stack app serves", () => {
  it("robots.txt with the rules of the app and the sitemap", async () => {
    const { headers, text } = await get("/robots.txt");
    assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(
      text,
      "User-agent: *\nDisallow: /members\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nSitemap: https://example.com/sitemap.xml\n",
    );
  });

  it("sitemap.xml with the indexable pages and the entries of the app", async () => {
    const { headers, text } = await get("/sitemap.xml");
    assert.equal(headers.get("content-type"), "application/xml; charset=utf-8");
    const addresses = [...text.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address]) => address);
    assert.deepEqual(addresses, ["https://example.com/", "https://example.com/users/1", "https://example.com/users/2"]);
    assert.match(text, /<lastmod>2026-01-02T00:00:00\.000Z<\/lastmod>/);
  });

  it("llms.txt with a description of the site and links to its pages", async () => {
    const { text } = await get("/llms.txt");
    assert.equal(
      text,
      "# Examples & Co\n\n> Examples of files.\n\n## Pages\n\n- [Home · Examples](https://example.com/): Where it begins\n",
    );
  });

  it("Markdown twins for pages that export markdown, linked both ways", async () => {
    for (const [page, twin, body] of [
      ["/", "/index.md", "# Home\n"],
      ["/users/1", "/users/1.md", "# Ada <Lovelace>\n"],
    ] as const) {
      assert.equal((await get(page)).headers.get("link"), `<${twin}>; rel="alternate"; type="text/markdown"`);
      const { headers, text } = await get(twin);
      assert.equal(text, body);
      assert.equal(headers.get("content-type"), "text/markdown; charset=utf-8");
      assert.equal(headers.get("link"), `<${page}>; rel="canonical"`);
    }
    assert.equal((await get("/users/7.md")).status, 404);
  });
});
