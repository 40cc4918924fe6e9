/**
 * Page cache rules: the response headers state them, one response serves all visitors of a shared page, and no data of one
 * visitor reaches another (RFC 9111; docs/decisions/027).
 */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { invalidate, notFound, page, redirect, withHeaders, type Context, type PageCache } from "svckit";
import { a, html, t } from "svckit/jsx-runtime";
import { closeSites, isShared, LOOKS, siteOf, siteWith, visitor } from "./cached-site.ts";

after(closeSites);

/** Waits for background work. The deadline passes only if something is broken. */
async function until(isSo: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 20_000;
  while (!isSo()) {
    assert.ok(Date.now() < deadlineMs, "it never happened");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Returns 1, 2, 3, … and exposes the last number. */
function counter(): { next: () => number; readonly made: number } {
  let made = 0;
  return {
    next: () => ++made,
    get made() {
      return made;
    },
  };
}

describe("the cache rules of a page", () => {
  const rows: [PageCache, string][] = [
    [{}, "private, no-cache"],
    [{ maxAge: "1m" }, "private, max-age=60"],
    [{ public: true }, "public, max-age=0, must-revalidate"],
    [{ public: true, maxAge: "5m" }, "public, max-age=300"],
    [{ public: true, sharedMaxAge: "10m" }, "public, max-age=0, s-maxage=600, must-revalidate"],
    [{ public: true, maxAge: 90_500, sharedMaxAge: "1h" }, "public, max-age=90, s-maxage=3600"],
    [{ public: true, maxAge: "1m", staleWhileRevalidate: "1d" }, "public, max-age=60, stale-while-revalidate=86400"],
    // A browser would read it as permission to show stale content, although it has to revalidate.
    [
      { public: true, sharedMaxAge: "1m", staleWhileRevalidate: "1d" },
      "public, max-age=0, s-maxage=60, must-revalidate",
    ],
  ];
  for (const [cache, said] of rows) {
    it(`${JSON.stringify(cache)} send "${said}"`, async () => {
      const { headers } = await siteWith(cache, () => 1).get("/books/emma");
      assert.equal(headers.get("cache-control"), said);
    });
  }

  it("default to private content that is revalidated each time", async () => {
    const site = siteOf({ pages: [page("/", { title: "Home", view: () => "" })] });
    const { headers } = await site.get("/");
    assert.equal(headers.get("cache-control"), "private, no-cache");
    assert.equal(headers.get("etag"), null);
  });

  for (const [cache, message] of [
    [{ vary: ["Cookie"] }, /varies by "Cookie"/],
    [{ vary: ["authorization"] }, /varies by "authorization"/],
    [{ vary: ["*"] }, /varies by "\*"/],
    [{ public: true, tags: ["/books"] }, /has the invalid tag "\/books"/],
    [{ tags: ["books"] }, /has sharedMaxAge or tags, which only apply to public pages/],
    [{ public: true, maxAge: "soon" }, /has maxAge: "soon" is not a duration/],
  ] as const) {
    it(`${JSON.stringify(cache)} are rejected at the definition`, () => {
      assert.throws(() => page("/", { title: "", view: () => "", cache }), { code: "SVC_DEFINITION", message });
    });
  }

  it("apply to successful responses only: errors, missing pages and redirects are not shared", async () => {
    for (const load of [
      () => notFound(),
      () => redirect("/"),
      () => {
        throw new Error("broken");
      },
    ]) {
      const answer = await siteWith({ public: true, maxAge: "1h" }, load).get("/books/emma");
      assert.ok(!isShared(answer) && answer.headers.get("etag") === null);
    }
  });
});

describe("an entity tag", () => {
  for (const cache of [{}, { public: true }, { public: true, sharedMaxAge: "1m" }] satisfies PageCache[]) {
    it(`gets 304 when it matches and the full page otherwise, with the rules ${JSON.stringify(cache)}`, async () => {
      let text = "one";
      const site = siteWith(cache, () => text);
      const first = await site.get("/books/emma");
      const etag = first.headers.get("etag") ?? "";
      assert.match(etag, /^W\/"[\w-]{22}"$/);
      const again = await site.get("/books/emma", { "if-none-match": `"x", ${etag}` });
      assert.deepEqual([again.status, again.text], [304, ""]);
      assert.equal(again.headers.get("etag"), etag);
      assert.equal(again.headers.get("cache-control"), first.headers.get("cache-control"));
      // The page that the client has keeps the policy that its scripts run under.
      assert.equal(again.headers.get("content-security-policy"), null);
      text = "two";
      invalidate("/books/emma");
      const changed = await site.get("/books/emma", { "if-none-match": etag });
      assert.deepEqual([changed.status, changed.text.includes("two")], [200, true]);
    });
  }

  it("does not affect requests with other methods", async () => {
    const site = siteWith({ public: true }, () => 1);
    const etag = (await site.get("/books/emma")).headers.get("etag") ?? "";
    assert.equal((await site.get("/books/emma", { "if-none-match": etag }, "POST")).status, 405);
    assert.equal((await site.get("/books/emma", { "if-none-match": etag }, "HEAD")).status, 304);
  });
});

describe("a public page", () => {
  const cache = { public: true, sharedMaxAge: "1m", staleWhileRevalidate: "1m", tags: ["books"] } satisfies PageCache;

  it("is rendered once for all requests, and states its age", async () => {
    const { next } = counter();
    const site = siteWith(cache, next);
    const first = await site.get("/books/emma");
    assert.deepEqual([first.text.includes("<p>1</p>"), first.headers.get("age")], [true, null]);
    await site.clock.advance(20_000);
    const second = await site.get("/books/emma?utm_source=x", { cookie: "a=b", "user-agent": "other" });
    assert.deepEqual([second.text, second.headers.get("age")], [first.text, "20"]);
    assert.match((await site.get("/books/persuasion")).text, /<p>2<\/p>/);
  });

  it("is rendered once for concurrent requests", async () => {
    const { next } = counter();
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    const site = siteWith(cache, async () => {
      await held;
      return next();
    });
    const all = Array.from({ length: 20 }, () => site.get("/books/emma"));
    await site.app.boot();
    go();
    for (const { text } of await Promise.all(all)) assert.match(text, /<p>1<\/p>/);
  });

  it("is served stale while a new one is rendered, and no longer than allowed", async () => {
    const count = counter();
    const site = siteWith(cache, count.next);
    const shown = async (): Promise<string | undefined> =>
      /<p>(\d+)<\/p>/.exec((await site.get("/books/emma")).text)?.[1];
    assert.equal(await shown(), "1");
    await site.clock.advance(60_000);
    assert.equal(await shown(), "1");
    await until(() => count.made === 2);
    assert.equal(await shown(), "2");
    await site.clock.advance(120_000);
    assert.equal(await shown(), "3");
  });

  it("stays as it was when rendering it again fails, and the log says so", async () => {
    let isBroken = false;
    const site = siteWith(cache, () => {
      if (isBroken) throw new Error("no database");
      return 1;
    });
    await site.get("/books/emma");
    isBroken = true;
    await site.clock.advance(60_000);
    assert.equal((await site.get("/books/emma")).status, 200);
    await until(() => site.logged.some(({ message }) => /Failed to render a page again/.test(message)));
    await site.clock.advance(60_000);
    assert.equal((await site.get("/books/emma")).status, 500);
  });

  for (const [name, isGone] of [
    ["books", true],
    ["/books/emma", true],
    ["/books/*", true],
    ["/*", true],
    ["/book/*", false],
    ["/books", false],
    ["authors", false],
  ] as const) {
    it(`is ${isGone ? "rendered again" : "still cached"} after invalidate("${name}")`, async () => {
      const site = siteWith(cache, counter().next);
      await site.get("/books/emma");
      invalidate(name);
      assert.match((await site.get("/books/emma")).text, isGone ? /<p>2</ : /<p>1</);
    });
  }

  for (const [address, name] of [
    ["/books/emma/", "/books/emma"],
    ["/books/emma", "/books/emma/"],
  ] as const) {
    it(`is rendered again after invalidate("${name}") when requested as ${address}: a trailing slash makes no difference`, async () => {
      const site = siteWith(cache, counter().next);
      await site.get(address);
      invalidate(name);
      assert.match((await site.get(address)).text, /<p>2</);
    });
  }

  it("differs from the page whose address contains an encoded slash in place of a decoded one", async () => {
    const site = siteWith(cache, ({ params }) => params["id"]);
    for (const [address, id] of [
      ["/books/a%252Fb", "a%2Fb"],
      ["/books/a%2Fb", "a/b"],
    ] as const)
      assert.ok((await site.get(address)).text.includes(`<p>"${id}"</p>`), address);
  });

  it("that was invalidated while it was being rendered is not kept", async () => {
    const { next } = counter();
    let go = (): void => undefined;
    let begun = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const site = siteWith(cache, async () => {
      const made = next();
      begun();
      if (made === 1) await held;
      return made;
    });
    const early = site.get("/books/emma");
    await hasBegun;
    invalidate("books");
    // A request that arrives now must not get the response begun before.
    assert.match((await site.get("/books/emma")).text, /<p>2</);
    go();
    assert.match((await early).text, /<p>1</);
    assert.match((await site.get("/books/emma")).text, /<p>2</);
  });

  it("may derive its tags from the path of the request", async () => {
    const site = siteWith({ ...cache, tags: ({ params }) => [`book:${params["id"]}`] }, counter().next);
    await site.get("/books/emma");
    await site.get("/books/persuasion");
    invalidate("book:emma");
    assert.match((await site.get("/books/persuasion")).text, /<p>2</);
    assert.match((await site.get("/books/emma")).text, /<p>3</);
  });

  it("is kept within the byte limit, and pages that nobody requests are evicted first", async () => {
    const { next } = counter();
    const big = siteWith(cache, () => `${next()}${"x".repeat(10_000)}`, { pageCache: { bytes: 35_000 } });
    const isKept = async (id: string): Promise<boolean> => (await big.get(`/books/${id}`)).headers.has("age");
    for (const id of ["a", "b", "a", "c", "a", "d"]) await isKept(id);
    assert.deepEqual([await isKept("a"), await isKept("d"), await isKept("b")], [true, true, false]);
  });

  it("has one entry per query if it reads the query, and one for all queries otherwise", async () => {
    const { next } = counter();
    const site = siteWith(cache, ({ query }) => [query.get("page"), next()]);
    assert.match((await site.get("/books/emma?page=1")).text, /\["1",1\]/);
    assert.match((await site.get("/books/emma?page=2")).text, /\["2",2\]/);
    assert.match((await site.get("/books/emma?page=1")).text, /\["1",1\]/);
    assert.match((await site.get("/books/emma")).text, /\[null,3\]/);
  });

  it("has one entry per value of the headers that it varies by, and sends Vary", async () => {
    const { next } = counter();
    const site = siteWith({ ...cache, vary: ["Accept-Language"] }, (ctx) => [
      ctx.header("accept-language") ?? "",
      next(),
    ]);
    const german = await site.get("/books/emma", { "accept-language": "de" });
    assert.match(german.text, /\["de",1\]/);
    assert.equal(german.headers.get("vary"), "accept-language");
    assert.ok(isShared(german));
    assert.match((await site.get("/books/emma", { "accept-language": "fr" })).text, /\["fr",2\]/);
    assert.match((await site.get("/books/emma", { "accept-language": "de" })).text, /\["de",1\]/);
  });

  it("waits for deferred content and has it in place", async () => {
    const { Await } = await import("svckit");
    const view = (data: { late: Promise<string> }) =>
      html(() => t(Await({ value: data.late, children: (late) => late })));
    const site = siteOf({
      pages: [page("/", { title: "", load: () => ({ late: Promise.resolve("late") }), view, cache })],
    });
    const { text, headers } = await site.get("/");
    assert.match(text, /<body>late<\/body>/);
    assert.ok(headers.get("etag"));
  });

  it("is not kept when deferred content failed", async () => {
    const { Await } = await import("svckit");
    const { next } = counter();
    const load = () => ({ late: next() === 1 ? Promise.reject(new Error("late")) : Promise.resolve("there") });
    const view = (data: { late: Promise<string> }) =>
      html(() => t(Await({ value: data.late, catch: "failed", children: (late) => late })));
    const site = siteOf({ pages: [page("/", { title: "", load, view, cache })] });
    const failed = await site.get("/");
    assert.ok(failed.text.includes("failed") && !isShared(failed));
    assert.match((await site.get("/")).text, /there/);
  });

  it("is shared by visitors with different themes: each browser applies its own", async () => {
    const { next } = counter();
    const site = siteWith(cache, next, { themes: true });
    for (const theme of ["dark", "light", "evil", ""]) {
      const { text, headers } = await site.get("/books/emma", { cookie: `svc-theme=${theme}` });
      assert.match(text, /^<!doctype html><html lang="en"(?! data-svc-theme).*<head><script>.*svc-theme.*<p>1</s);
      assert.match(headers.get("cache-control") ?? "", /^public/);
    }
  });

  it("is sent with the compression that the client accepts, whatever earlier clients accepted", async () => {
    const site = siteWith(cache, () => "x".repeat(5000), { compress: true });
    await site.get("/books/emma");
    for (const [accept, encoding] of [
      ["br, gzip", "br"],
      ["gzip", "gzip"],
      ["br;q=0", null],
      ["gzip", "gzip"],
    ] as const) {
      const { headers, text } = await site.get("/books/emma", { "accept-encoding": accept });
      assert.deepEqual([headers.get("content-encoding"), headers.get("vary")], [encoding, "accept-encoding"]);
      assert.ok(headers.has("age"));
      if (encoding === null) assert.ok(text.includes("x".repeat(5000)));
      else assert.ok(text.length < 2000);
    }
  });

  it("allows its inline scripts by hash: a shared nonce would be known to others", async () => {
    const site = siteWith(cache, () => 1);
    const policy = (await site.get("/books/emma")).headers.get("content-security-policy") ?? "";
    assert.doesNotMatch(policy, /nonce-|unsafe-inline'.*script|strict-dynamic/);
    assert.match(policy, /script-src 'self';/);
  });
});

describe("a response that depends on a visitor", () => {
  const cache: PageCache = { public: true, maxAge: "1h" };

  for (const [name, look] of Object.entries(LOOKS)) {
    it(`is private: ${name}, in load, in a view, in the head, in tags and in middleware before and after the page`, async () => {
      const show = (found: unknown) => html(() => t(String(found)));
      const sync = (ctx: Context): unknown => (look.constructor.name === "AsyncFunction" ? void look(ctx) : look(ctx));
      const base = { title: "", view: () => "" };
      const site = siteOf({
        pages: [
          page("/load", { ...base, load: look, view: show, cache }),
          page("/view", { ...base, view: (_, ctx) => show(sync(ctx)), cache }),
          page("/head", { ...base, head: (_, ctx) => html(() => `<meta content="${a(String(sync(ctx)))}">`), cache }),
          page("/tags", { ...base, cache: { ...cache, tags: (ctx) => [`x${String(sync(ctx))}`] } }),
          page("/before", {
            ...base,
            middleware: [async (ctx, next) => (await look(ctx), next())],
            cache,
          }),
          page("/behind", {
            ...base,
            middleware: [
              async (ctx, next) => {
                const answer = await next();
                await look(ctx);
                return answer;
              },
            ],
            cache,
          }),
        ],
      });
      for (const path of ["/load", "/view", "/head", "/tags", "/before", "/behind"]) {
        const answer = await site.get(path, visitor("lovelace"));
        assert.equal(answer.headers.get("cache-control"), "private, no-cache", path);
        assert.equal(answer.headers.get("age"), null);
        const other = await site.get(path, visitor("hopper"));
        assert.ok(!other.all.replaceAll('"x-request-id","lovelace"', "").includes("lovelace"), `${path}: ${other.all}`);
        assert.ok(
          site.logged.some(({ message }) => message.startsWith(`The page ${path} is declared public, but`)),
          path,
        );
      }
    });
  }

  it("is private if the page, middleware or a header sets a cookie", async () => {
    const base = { title: "", view: () => "", cache };
    const site = siteOf({
      pages: [
        page("/load", { ...base, load: (ctx) => ctx.setCookie("a", "ada") }),
        page("/middleware", { ...base, middleware: [(ctx, next) => (ctx.setCookie("a", "ada"), next())] }),
        page("/header", {
          ...base,
          middleware: [
            async (_, next) => {
              const answer = (await next()) as { status: number; headers: string[]; body: string };
              return { ...answer, headers: [...answer.headers, "set-cookie", "a=ada"] };
            },
          ],
        }),
      ],
    });
    for (const path of ["/load", "/middleware", "/header"]) {
      const answer = await site.get(path);
      assert.match(answer.headers.get("set-cookie") ?? "", /ada/);
      assert.equal(answer.headers.get("cache-control"), "private, no-cache", path);
    }
  });

  it("loses its CDN-Cache-Control header, which a shared response keeps", async () => {
    const site = siteWith(cache, (ctx) => (ctx.query.has("me") ? ctx.cookies["a"] : "all"), {
      middleware: [async (_, next) => withHeaders(await next(), { "cdn-cache-control": "max-age=600" })],
    });
    assert.equal((await site.get("/books/emma")).headers.get("cdn-cache-control"), "max-age=600");
    const mine = await site.get("/books/emma?me");
    assert.ok(!isShared(mine));
    assert.equal(mine.headers.get("cdn-cache-control"), null);
  });

  it("is private if a form in it has a token", async () => {
    const { CsrfField } = await import("svckit");
    const site = siteOf({ pages: [page("/", { title: "", view: () => html(() => t(CsrfField())), cache })] });
    const [first, second] = [await site.get("/"), await site.get("/")];
    assert.ok(!isShared(first) && first.headers.has("set-cookie"));
    assert.notEqual(first.text, second.text);
  });

  it("is not served to visitors whom the page's middleware refuses", async () => {
    const site = siteWith(cache, () => "for members", {
      middleware: [(ctx, next) => (ctx.cookies["member"] === "yes" ? next() : notFound())],
    });
    assert.equal((await site.get("/books/emma", { cookie: "member=yes" })).status, 200);
    assert.equal((await site.get("/books/emma")).status, 404);
  });

  it("redirects only its own visitor, not those who waited for the same page", async () => {
    let go = (): void => undefined;
    let begun = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const site = siteWith(cache, async (ctx) => {
      begun();
      await held;
      return ctx.cookies["banned"] === "yes" ? redirect("/banned") : "welcome";
    });
    const banned = site.get("/books/emma", { cookie: "banned=yes" });
    await hasBegun;
    const welcome = site.get("/books/emma");
    go();
    assert.deepEqual([(await banned).status, (await welcome).status], [303, 200]);
  });
});

describe("a request", () => {
  const cache: PageCache = { public: true, maxAge: "1h" };
  const evil: Record<string, [string, Record<string, string>, string?]> = {
    host: ["https://evil.example/books/emma", {}],
    "forwarded host": [
      "/books/emma",
      { "x-forwarded-host": "evil.example", "x-forwarded-proto": "http", forwarded: "host=evil.example" },
    ],
    "another way to name the host": [
      "/books/emma",
      { "x-host": "evil.example", "x-original-url": "/evil", "x-rewrite-url": "/evil" },
    ],
    query: ["/books/emma?evil=1&callback=evil", {}],
    "a query that looks like more of the path": ["/books/emma?/../evil", {}],
    method: ["/books/emma", {}, "HEAD"],
    "another method by header": ["/books/emma", { "x-http-method-override": "POST" }],
    range: ["/books/emma", { range: "bytes=0-3" }],
    "what the client accepts": ["/books/emma", { accept: "text/evil", "accept-encoding": "evil" }],
    "a cookie": ["/books/emma", { cookie: "evil=1; __svc-csrf=evil" }],
    "a condition": ["/books/emma", { "if-none-match": "*", "if-match": '"evil"', "if-modified-since": "evil" }],
    "cache directives": ["/books/emma", { "cache-control": "no-store", pragma: "no-cache" }],
    "a request id": ["/books/emma", { "x-request-id": "evil", traceparent: "evil" }],
  };
  for (const [name, [target, headers, method]] of Object.entries(evil)) {
    it(`cannot change what others get: ${name}`, async () => {
      const load = ({ params, url, query }: Context) => [params["id"], url.origin, query.get("q")];
      const clean = siteWith(cache, load);
      const expected = (await clean.get("/books/emma")).text;
      const site = siteWith(cache, load);
      await site.get(target, headers, method);
      const next = await site.get("/books/emma");
      assert.equal(next.status, 200);
      assert.equal(next.text, expected);
      assert.ok(!next.all.includes("evil"));
    });
  }

  it("gets a private response if the page reads a host that is not the site's own", async () => {
    const site = siteWith(cache, ({ url }) => url.origin);
    assert.ok(!isShared(await site.get("https://evil.example/books/emma")));
    assert.ok(isShared(await site.get("/books/emma")));
  });

  it("does not evict other pages with made-up queries", async () => {
    const site = siteWith(cache, ({ query }) => query.get("q"), { pageCache: { bytes: 1_000_000 } });
    await site.get("/books/persuasion");
    for (let at = 0; at < 1000; at++) await site.get(`/books/emma?q=${at}`);
    assert.ok((await site.get("/books/persuasion")).headers.has("age"));
  });
});
