/** Pages in several languages: addresses, heads, sitemap and redirects. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { json, notFound, type App, type Context } from "svckit";
import {
  createFullStackApp,
  createI18n,
  defineMessages,
  href,
  plural,
  type ErrorProps,
  type I18nOptions,
} from "svckit/fullstack";
import { html, t as text } from "svckit/jsx-runtime";
import { recordLog } from "svckit/testing";

const SITE = "https://example.com";
const ENV = { NODE_ENV: "test", SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32), SVC_SITE_URL: SITE };
const apps: App[] = [];
after(() => Promise.all(apps.map((app) => app.close())));

const en = defineMessages({ title: "Library", books: plural("n", { one: "{n} book", other: "{n} books" }) });
const de = defineMessages({ title: "Bücherei", books: plural("n", { one: "{n} Buch", other: "{n} Bücher" }) });
const ar = defineMessages({ title: "مكتبة", books: plural("n", { other: "{n} كتب" }) });

function siteOf(options: Partial<Pick<I18nOptions<never, never>, "strategy" | "redirectHome">> = {}) {
  const i18n = createI18n({ messages: { en, de, ar }, defaultLocale: "en", ...options });
  const view = () =>
    html(() => text([i18n.use()("books", { n: 2 }), " ", href("/about"), " ", href("/api/x" as never)]));
  const failed = ({ message }: ErrorProps) => html(() => text(`${i18n.use()("title")}: ${message}`));
  const pages = {
    "index.tsx": {
      default: view,
      head: ({ ctx }: { ctx: Context }) => ({ title: i18n.of(ctx)("title"), canonical: "/" }),
    },
    "about.tsx": {
      default: view,
      markdown: ({ ctx }: { ctx: Context }) => i18n.of(ctx)("title"),
      head: { title: "About", canonical: "/about" },
    },
    "users/[id].tsx": {
      default: view,
      load: ({ params }: Context) => (params["id"] === "none" ? notFound("none") : {}),
    },
    "shared.tsx": { default: view, options: { cache: { public: true, maxAge: "1m" } } },
    "_error.tsx": { default: failed },
    "_404.tsx": { default: failed },
    "api/x.ts": { GET: (ctx: Context) => json(i18n.of(ctx).locale) },
  };
  const given = Object.fromEntries(Object.entries(pages).map(([file, module]) => [`./pages/${file}`, module]));
  const app = createFullStackApp({ env: ENV, log: recordLog(), i18n, seo: { llms: { title: "L" } } }, given);
  apps.push(app);
  return async (path: string, headers: Record<string, string> = {}) => {
    const response = await app.fetch(
      new Request(SITE + path, { headers: { accept: "text/html", ...headers }, redirect: "manual" }),
    );
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

describe("a site with languages in paths", () => {
  const get = siteOf();

  for (const [path, lang, dir, body] of [
    ["/about", "en", "ltr", "2 books /about /api/x"],
    ["/de/about", "de", "ltr", "2 Bücher /de/about /api/x"],
    ["/ar/users/7", "ar", "rtl", "2 كتب /ar/about /api/x"],
    ["/de", "de", "ltr", "2 Bücher /de/about /api/x"],
  ] as const) {
    it(`serves ${path} in ${lang}, with texts, links to pages, lang and dir`, async () => {
      const { status, text } = await get(path);
      assert.equal(status, 200);
      assert.match(text, new RegExp(`<html lang="${lang}" dir="${dir}"`));
      assert.ok(text.includes(`<body>${body}</body>`), text);
    });
  }

  it("lists all addresses of a page in its head, and its own as canonical", async () => {
    for (const [path, canonical] of [
      ["/about", "/about"],
      ["/de/about", "/de/about"],
    ] as const) {
      const { text } = await get(path);
      assert.ok(text.includes(`<link rel="canonical" href="${SITE}${canonical}">`), text);
      for (const [lang, to] of Object.entries({
        en: "/about",
        de: "/de/about",
        ar: "/ar/about",
        "x-default": "/about",
      }))
        assert.ok(text.includes(`<link rel="alternate" hreflang="${lang}" href="${SITE}${to}">`), lang);
    }
  });

  it("lists each page with its alternates in the sitemap, and the default language in llms.txt", async () => {
    const { text } = await get("/sitemap.xml");
    const [, url = ""] = /<url><loc>https:\/\/example\.com\/de\/about<\/loc>(.*?)<\/url>/.exec(text) ?? [];
    assert.ok(
      url.includes(`hreflang="x-default" href="${SITE}/about"`) &&
        url.includes(`hreflang="ar" href="${SITE}/ar/about"`),
    );
    const llms = (await get("/llms.txt")).text;
    assert.ok(llms.includes(`${SITE}/about`) && !llms.includes("/de"));
  });

  it("shows missing pages and errors in the language of the path", async () => {
    assert.match((await get("/de/nowhere")).text, /<html lang="de"[^>]*>.*Bücherei: Nothing is at/);
    const failed = await get("/ar/users/none");
    assert.match(failed.text, /مكتبة: none/);
    // An error page has no other addresses.
    assert.doesNotMatch(failed.text, /hreflang/);
  });

  it("serves Markdown twins in the language of the path, and has no language path for endpoints and the default language", async () => {
    assert.equal((await get("/de/about.md")).text, "Bücherei");
    assert.equal((await get("/de/api/x")).status, 404);
    assert.equal((await get("/en/about")).status, 404);
  });

  it("keeps shared pages shared, because the address names the language", async () => {
    assert.match((await get("/de/shared", { "accept-language": "ar" })).headers.get("cache-control") ?? "", /public/);
  });
});

describe("the front page", () => {
  const get = siteOf();

  it("redirects a visitor from elsewhere to the language that the browser accepts, and sends Vary", async () => {
    const { status, headers } = await get("/", { "accept-language": "de-AT" });
    assert.deepEqual([status, headers.get("location"), headers.get("vary")], [302, "/de", "accept-language"]);
    assert.match(headers.get("cache-control") ?? "", /private/);
    assert.equal(headers.get("set-cookie"), null);
    assert.equal((await get("/", { "accept-language": "fr" })).status, 200);
    assert.equal((await get("/about", { "accept-language": "de" })).status, 200);
  });

  it("does not redirect after a link of the site, and redirects to a chosen language", async () => {
    assert.equal((await get("/", { "accept-language": "de", "sec-fetch-site": "same-origin" })).status, 200);
    assert.equal((await get("/", { "accept-language": "de", cookie: "locale=en" })).status, 200);
    assert.equal((await get("/", { cookie: "locale=ar" })).headers.get("location"), "/ar");
    assert.equal((await get("/", { cookie: "locale=evil" })).status, 200);
  });

  it("never redirects if the app turns that off", async () => {
    const { status, headers } = await siteOf({ redirectHome: false })("/", { "accept-language": "de" });
    assert.deepEqual([status, headers.get("vary")], [200, null]);
  });
});

describe("a language choice", () => {
  const get = siteOf();

  it("is remembered, and redirects to the page in that language", async () => {
    const { status, headers } = await get("/_svc/locale/de?to=%2Fabout");
    assert.deepEqual([status, headers.get("location")], [303, "/de/about"]);
    assert.match(headers.get("set-cookie") ?? "", /^locale=de; /);
  });

  for (const to of [
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "/%0d%0aX: y",
    "/\r\nX: y",
    "",
    "\\\\evil",
  ]) {
    it(`redirects to no other site: ${to}`, async () => {
      const { headers } = await get(`/_svc/locale/de?to=${encodeURIComponent(to)}`);
      assert.match(headers.get("location") ?? "", /^\/de(?:\/%0d%0aX: y)?$/);
    });
  }

  it("is refused for an unknown language", async () => {
    const { status, headers } = await get("/_svc/locale/fr");
    assert.deepEqual([status, headers.get("set-cookie")], [404, null]);
  });
});

describe("a site with languages by Accept-Language", () => {
  const get = siteOf({ strategy: "accept-language" });

  it("has one address per page, and sends Vary", async () => {
    const { headers, text } = await get("/about", { "accept-language": "de" });
    assert.match(text, /<html lang="de"/);
    assert.match(text, /2 Bücher \/about/);
    assert.equal(headers.get("vary"), "accept-language");
    assert.doesNotMatch(text, /hreflang/);
    assert.match((await get("/about")).text, /2 books/);
    assert.match((await get("/about", { cookie: "locale=ar", "accept-language": "de" })).text, /dir="rtl"/);
    assert.equal((await get("/de/about")).status, 404);
    assert.equal((await get("/api/x", { "accept-language": "de" })).text, '"de"');
  });

  it("never shares pages, because a visitor's choice may decide the language", async () => {
    const { headers } = await get("/shared", { "accept-language": "de" });
    assert.equal(headers.get("cache-control"), "private, no-cache");
    assert.equal(headers.get("vary"), "accept-language");
  });
});
