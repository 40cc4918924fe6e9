/**
 * Responses that may become part of a page, in a real Chromium, with and without Trusted Types: only pages that svc rendered under the
 * same policy, and their scripts only if the server intended them. The browser loads everything else as a document.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page, Route } from "playwright-core";
import { createApp, html as htmlAnswer, page as definePage, redirect, route, type App, type Started } from "svckit";
import { worker } from "svckit/graph";
import { html } from "svckit/jsx-runtime";
import { runTo } from "../contract/ops-app.ts";
import { launchBrowser, openTab, type Tab } from "./browser.ts";
import { otherSite, type OtherSite } from "./other-site.ts";

/** Reports that it ran. */
const FIRE = "(globalThis.fired ??= []).push(1)";
const SANDBOX = ["content-security-policy", "sandbox; default-src 'none'"];
const PAGE = { headers: { accept: "text/html" } };

const leave = worker("leave", async (_: unknown, ctx) => {
  await ctx.artifact("page.html", `<h1>Forged</h1><script>${FIRE}</script>`, "text/html");
  await ctx.artifact("code.js", FIRE, "text/javascript");
  return null;
});

/** An app that writes `?x=` as HTML, serves uploads, and redirects anywhere. */
function siteWith(trustedTypes: boolean): App {
  const view = (title: string) => (data: { text: string; nonce: string | undefined }) =>
    html(
      () =>
        `${data.text}<main><h1>${title}</h1><form id="form" method="post" action="/_svc/submit/note" data-svc-form>` +
        `<p data-svc-news></p><button>Send</button></form>${data.nonce === undefined ? "" : scriptOf(data.nonce)}</main>`,
    );
  const hole = (path: string, title: string, security = {}) =>
    definePage(path, {
      title,
      navigation: "enhanced",
      security,
      load: (ctx) => ({ text: ctx.query.get("x") ?? "", nonce: ctx.nonce }),
      view: view(title),
    });
  const shared = definePage("/shared", {
    title: "Shared",
    navigation: "enhanced",
    cache: { public: true, sharedMaxAge: "1h" },
    view: () => view("Shared")({ text: "", nonce: undefined }),
  });
  const forged = (path: string, headers: readonly string[]) =>
    route("GET", path, async (ctx) => {
      const page = await (await app.fetch(new Request(new URL("/two", ctx.url), PAGE))).text();
      return htmlAnswer(page.replace("<h1>Two", "<h1>Forged"), 200, headers);
    });
  const app: App = createApp({
    pages: [
      hole("/", "One"),
      hole("/two", "Two"),
      hole("/pictures", "Pictures", { csp: { "img-src": ["https://example.com"] } }),
      shared,
    ],
    routes: [
      forged("/files/page.html", []),
      forged("/files/claims.html", ["X-Svc-Page", "1"]),
      forged("/files/sandboxed.html", SANDBOX),
      route("GET", "/proxied", async (ctx) => {
        const answer = await app.fetch(new Request(new URL("/two", ctx.url), PAGE));
        return new Response((await answer.text()).replace("<h1>Two", "<h1>Forged"), answer);
      }),
      route("GET", "/files/**:name", () => ({ status: 200, headers: ["content-type", "text/javascript"], body: FIRE })),
      route("GET", "/go", (ctx) => redirect(ctx.query.get("to") ?? "/", { allowOtherHost: true })),
    ],
    workers: [leave],
    security: { trustedTypes },
    env: { NODE_ENV: "production", SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32) },
  });
  return app;
}

function scriptOf(nonce: string): string {
  return `<script type="module" nonce="${nonce}">import { send } from "/_svc/forms.js"; self.send = send</script>`;
}

/** Injected markup with a script that only differs from svc's own in its resolved address. */
const SCRIPTS: Record<string, (at: { other: string; artifact: string }) => string> = {
  "a path that climbs out of svc's folder": () => `<script src="/_svc/../files/a.js"></script>`,
  "a path that climbs out in escapes": () => `<script src="/_svc/%2e%2e/files/a.js"></script>`,
  "a path that climbs out by a backslash": () => `<script src="/_svc/..\\files/a.js"></script>`,
  "a path that climbs out of a deeper folder": () => `<script src="/_svc/graphs/../../files/a.js"></script>`,
  "an open redirect to another site": ({ other }) => `<script src="/_svc/../go?to=${other}/a.js"></script>`,
  "another site's script of the same name": ({ other }) => `<script src="${other}/_svc/loader.js"></script>`,
  "a host in place of a path": ({ other }) => `<script src="${other.slice("http:".length)}/_svc/loader.js"></script>`,
  "an artifact below svc's folder": ({ artifact }) => `<script src="${artifact}"></script>`,
  "a base at another site": ({ other }) => `<base href="${other}"><script src="/_svc/loader.js"></script>`,
  "a nonce that the page before was given too": () => `<script nonce="planted" src="/files/b.js"></script>`,
  "an inline script": () => `<script>${FIRE}</script>`,
};

for (const trustedTypes of [false, true])
  describe(`enhanced navigation ${trustedTypes ? "with" : "without"} Trusted Types`, () => {
    let app: App;
    let started: Started;
    let browser: Browser;
    let other: OtherSite;
    let artifacts: (name: string) => string;
    before(async () => {
      app = siteWith(trustedTypes);
      started = await app.start({ host: "127.0.0.1", port: 0 });
      [browser, other] = [await launchBrowser(), await otherSite()];
      const id = await runTo(app, "leave", null, "done");
      artifacts = (name) => `/_svc/graphs/${id}/artifacts/${name}?token=${app.graphToken(id, "read")}`;
    });
    after(async () => {
      await browser?.close();
      await started?.close();
      await other?.close();
    });

    async function open(path = "/"): Promise<Tab> {
      const tab = await openTab(browser, { reducedMotion: "reduce" });
      await tab.page.goto(started.url + path, { waitUntil: "networkidle" });
      await tab.page.evaluate("self.isSame = true");
      return tab;
    }
    /** @returns whether the page became the other one without a new document */
    async function becomes(page: Page, path: string, title: string): Promise<boolean> {
      await page.evaluate((href) => {
        const link = Object.assign(document.createElement("a"), { href });
        document.body.append(link);
        link.click();
      }, path);
      await page.locator("h1", { hasText: title }).waitFor();
      return (await page.evaluate("self.isSame === true")) as boolean;
    }
    /** Waits for one more response of the server. Requests that the page made before have started by then. */
    async function hasFired(page: Page): Promise<unknown> {
      await page.evaluate("fetch('/shared').then((answer) => answer.text())");
      return page.evaluate("self.fired");
    }
    async function isLoadedAsDocument(page: Page, path: string): Promise<void> {
      const asked = page.waitForRequest(
        (request) => request.isNavigationRequest() && request.url() === started.url + path,
      );
      await page.evaluate((href) => {
        const link = Object.assign(document.createElement("a"), { href });
        document.body.append(link);
        link.click();
      }, path);
      await asked;
    }

    it("swaps in a page of the same policy, also if it has hashes in place of a nonce", async () => {
      const tab = await open();
      assert.equal(await becomes(tab.page, "/two?x=text", "Two"), true);
      assert.equal(await becomes(tab.page, "/", "One"), true);
      if (!trustedTypes) {
        assert.equal(await becomes(tab.page, "/shared", "Shared"), true);
        assert.equal(await becomes(tab.page, "/two", "Two"), true);
      }
      await tab.close();
    });

    it("loads a page with a policy of its own as a document, under that policy", async () => {
      const tab = await open();
      assert.equal(await becomes(tab.page, "/pictures", "Pictures"), false);
      await tab.page.evaluate("self.isSame = true");
      assert.equal(await becomes(tab.page, "/two", "Two"), false);
      await tab.close();
    });

    for (const [name, markup] of Object.entries(SCRIPTS))
      it(`runs no script of a page with injected markup: ${name}`, async () => {
        const planted = encodeURIComponent('<script nonce="planted" src="/files/first.js"></script>');
        const tab = await open(name.startsWith("a nonce") ? `/?x=${planted}` : "/");
        const hits = other.hits.length;
        const text = markup({ other: other.origin, artifact: artifacts("code.js") });
        await becomes(tab.page, `/two?x=${encodeURIComponent(text)}`, "Two");
        assert.equal(await hasFired(tab.page), undefined);
        // While it parses, a browser preloads scripts with a base that the policy then refuses.
        const urls = other.hits.slice(hits).map(({ url }) => url);
        assert.deepEqual(name.startsWith("a base") ? [] : urls, []);
        await tab.leave();
      });

    for (const path of ["/files/page.html", "/files/claims.html", "/files/sandboxed.html", "/proxied"])
      it(`loads HTML that svc did not render as a document, although it looks like a page: ${path}`, async () => {
        const tab = await open();
        await isLoadedAsDocument(tab.page, path);
        await tab.leave();
      });

    it("loads a marked page to which a proxy added a policy as a document", async () => {
      const tab = await open();
      await tab.page.route("**/two", async (handled: Route) => {
        const response = await handled.fetch();
        const policy = `${response.headers()["content-security-policy"] ?? ""}, sandbox allow-scripts`;
        await handled.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
      });
      await isLoadedAsDocument(tab.page, "/two");
      await tab.leave();
    });

    it("leaves a redirect to another site to the browser", async () => {
      const tab = await open();
      other.serve("/lure", "<h1>Elsewhere</h1>");
      await becomesElsewhere(tab.page, `/go?to=${other.origin}/lure`);
      await tab.leave();
    });
    async function becomesElsewhere(page: Page, path: string): Promise<void> {
      const asked = page.waitForRequest(
        (request) => request.isNavigationRequest() && request.url().startsWith(other.origin),
      );
      await isLoadedAsDocument(page, path);
      await asked;
    }

    for (const name of ["page.html", "code.js"])
      it(`downloads the artifact ${name}`, async () => {
        const tab = await open();
        const download = tab.page.waitForEvent("download");
        await isLoadedAsDocument(tab.page, artifacts(name));
        assert.equal((await download).suggestedFilename(), name);
        assert.equal(await tab.page.locator("h1").textContent(), "One");
        assert.equal(await hasFired(tab.page), undefined);
        await tab.leave();
      });

    describe("a form", () => {
      /** Sends the page's form and answers with the given response. */
      async function send(page: Page, status: number, headers: Record<string, string>, body: string): Promise<void> {
        await page.route("**/_svc/submit/note", (handled) => handled.fulfill({ status, headers, body }));
        await page.evaluate(
          "self.done = new Promise((done) => document.forms.form.addEventListener('form-failed', (event) => done(event.detail)));" +
            "void self.send(document.forms.form, null)",
        );
      }
      const pageOf = async (path: string): Promise<Response> => app.fetch(new Request(started.url + path, PAGE));
      const injected = `/two?x=${encodeURIComponent(`<script src="/_svc/../files/a.js"></script>`)}`;

      it("becomes the page that refuses it, if svc rendered that under the same policy", async () => {
        const tab = await open();
        const answer = await pageOf("/two");
        await send(tab.page, 422, Object.fromEntries(answer.headers), await answer.text());
        await tab.page.locator("h1", { hasText: "Two" }).waitFor();
        assert.equal(await tab.page.evaluate("self.isSame"), true);
        await tab.leave();
      });

      const REFUSALS: Record<string, (headers: Headers) => void> = {
        "has no mark of svc": (headers) => headers.delete("x-svc-page"),
        "is sandboxed": (headers) => headers.set("content-security-policy", "sandbox; default-src 'none'"),
        "has a second policy": (headers) => headers.append("content-security-policy", "script-src 'none'"),
        "is not HTML": (headers) => headers.set("content-type", "text/html-ish"),
      };
      for (const [name, change] of Object.entries(REFUSALS))
        it(`never becomes a response that ${name}, but reports that it was refused`, async () => {
          const tab = await open();
          const answer = await pageOf("/two");
          const headers = new Headers(answer.headers);
          change(headers);
          await send(tab.page, 422, Object.fromEntries(headers), await answer.text());
          await tab.page.evaluate("self.done");
          assert.equal(await tab.page.locator("h1").textContent(), "One");
          assert.equal(await tab.page.evaluate("self.isSame"), true);
          await tab.leave();
        });

      it("runs no injected script of the page that refuses it", async () => {
        const tab = await open();
        const answer = await pageOf(injected);
        await send(tab.page, 422, Object.fromEntries(answer.headers), await answer.text());
        await tab.page.evaluate("self.done");
        assert.equal(await hasFired(tab.page), undefined);
        assert.equal(await tab.page.locator("h1").textContent(), "One");
        await tab.leave();
      });

      it("that succeeds lets the browser load a page of another origin or without the mark", async () => {
        for (const path of ["/files/sandboxed.html", `/go?to=${other.origin}/lure`]) {
          const tab = await open();
          // The form redirects to its own page: the same path, with another response next time.
          await tab.page.route(`${started.url}/`, async (handled) => {
            if (handled.request().isNavigationRequest())
              return handled.fulfill({ status: 200, contentType: "text/html", body: "<h1>Loaded</h1>" });
            const response = await handled.fetch({ url: started.url + path, maxRedirects: 0 });
            await handled.fulfill({ response });
          });
          const reply = JSON.stringify({ ok: true, value: null, error: null });
          await send(tab.page, 200, { "content-type": "application/json" }, reply);
          await tab.page.locator("h1", { hasText: "Loaded" }).waitFor();
          await tab.leave();
        }
      });
    });
  });
