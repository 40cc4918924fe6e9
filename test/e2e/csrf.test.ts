/**
 * Requests that other sites send in a visitor's name, from a real Chromium: each gets 403 or is never sent, and nothing changes.
 * The visitor has a page of ours open, with its cookie. Requests that today's browsers no longer send, or older ones did not yet, are sent raw.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { startBuilt, type BuiltApp } from "./built-app.ts";
import { otherSite, type OtherSite } from "./other-site.ts";

/** Each test has a timeout, so that a hanging request is reported by name. */
const DEADLINE_MS = 30_000;

interface Seen {
  method: string;
  path: string;
  status: number;
}

declare global {
  /** test/fixtures/attacked calls this with every request and its response. */
  var witness: ((request: Seen) => void) | undefined;
}

let app: BuiltApp;
let browser: Browser;
let other: OtherSite;
let context: BrowserContext;
const seen: Seen[] = [];
let look = (): void => undefined;

before(async () => {
  app = await startBuilt("attacked");
  globalThis.witness = (request) => {
    seen.push(request);
    look();
  };
  browser = await launchBrowser();
  other = await otherSite();
});
after(async () => {
  await browser?.close();
  await app?.close();
  await other?.close();
});
beforeEach(() => void seen.splice(0));

/** The next POST to the app, including one that has already arrived. */
function asked(): Promise<Seen> {
  return new Promise((done) => {
    look = () => {
      const found = seen.find(({ method }) => method === "POST");
      if (found) done(found);
    };
    look();
  });
}

async function transfers(): Promise<unknown> {
  return (await app.app.fetch(new Request(`${app.url}/transfers`))).json();
}

/** The hosts by which the visitor reaches our site and the other one, which is the same machine on another port. */
interface Sites {
  ours: string;
  theirs: string;
}

const SITES: Record<string, () => Sites> = {
  "another site": () => ({ ours: app.url, theirs: other.origin }),
  "another port of this host": () => ({ ours: app.url, theirs: `http://127.0.0.1:${other.port}` }),
  "a sibling subdomain": () => ({
    ours: `http://a.site.localhost:${new URL(app.url).port}`,
    theirs: `http://b.site.localhost:${other.port}`,
  }),
};

/** Opens our page for the visitor, then their page with `lure` in it. */
async function lured({ ours, theirs }: Sites, lure: string, story: (page: Page) => Promise<unknown>): Promise<void> {
  context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${ours}/hole`);
  assert.equal((await context.cookies(ours)).filter(({ name }) => name === "__svc-csrf").length, 1);
  other.serve("/lure", lure);
  await page.goto(`${theirs}/lure`);
  await story(page);
  await context.close();
}

const form = (ours: string, type: string): string =>
  `<form method="post" action="${ours}/transfer" enctype="${type}"><input name="amount" value="1"></form>`;
const submitted = (page: Page): Promise<unknown> => page.evaluate("setTimeout(() => document.forms[0].submit())");

interface Forgery {
  name: string;
  lure?: (ours: string) => string;
  act: (page: Page, ours: string) => Promise<unknown>;
}

/** Each request reaches the app, which refuses it. */
const FORGERIES: Forgery[] = [
  ...["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"].map((type) => ({
    name: `a form of ${type}`,
    lure: (ours: string) => form(ours, type),
    act: submitted,
  })),
  {
    name: "a form in a sandboxed frame, whose origin is null",
    lure: (ours) =>
      `<iframe sandbox="allow-forms allow-scripts" srcdoc='${form(ours, "text/plain")}<script>document.forms[0].submit()</script>'></iframe>`,
    act: async () => undefined,
  },
  {
    name: "a form that names another method",
    lure: (ours) => form(`${ours}/transfer?_method=GET&x=`, "text/plain").replace('/transfer"', '"'),
    act: submitted,
  },
  {
    name: "fetch without CORS of a form",
    act: (page, ours) =>
      page.evaluate(
        (url) =>
          void fetch(url, {
            method: "POST",
            mode: "no-cors",
            credentials: "include",
            body: new URLSearchParams("a=1"),
          }),
        `${ours}/transfer`,
      ),
  },
  {
    name: "fetch with CORS of a form, which needs no preflight",
    act: (page, ours) =>
      page.evaluate(
        (url) =>
          void fetch(url, {
            method: "POST",
            mode: "cors",
            credentials: "include",
            body: new URLSearchParams("a=1"),
          }).catch(() => 0),
        `${ours}/transfer`,
      ),
  },
  {
    name: "a beacon",
    act: (page, ours) =>
      page.evaluate((url) => void navigator.sendBeacon(url, new URLSearchParams("a=1")), `${ours}/transfer`),
  },
  {
    name: "XMLHttpRequest with credentials",
    act: (page, ours) =>
      page.evaluate((url) => {
        const request = new XMLHttpRequest();
        request.open("POST", url);
        request.withCredentials = true;
        request.send(new URLSearchParams("a=1"));
      }, `${ours}/transfer`),
  },
];

for (const [kind, sites] of Object.entries(SITES)) {
  describe(`a page of ${kind}`, () => {
    for (const { name, lure, act } of FORGERIES) {
      it(`changes nothing by ${name}`, { timeout: DEADLINE_MS }, async () => {
        const before = await transfers();
        const { ours } = sites();
        await lured(sites(), lure?.(ours) ?? "", async (page) => {
          await act(page, ours);
          const { path, status } = await asked();
          assert.deepEqual({ path, status }, { path: "/transfer", status: 403 });
        });
        assert.equal(await transfers(), before);
      });
    }

    it(
      "can't call an action: the preflight of a JSON request is refused, and a text request has the wrong type",
      { timeout: DEADLINE_MS },
      async () => {
        const before = await transfers();
        const { ours } = sites();
        await lured(sites(), "", async (page) => {
          const call = (init: RequestInit): Promise<string> =>
            page.evaluate(
              ([url, given]) =>
                fetch(url, given).then(
                  () => "answered",
                  (error: Error) => error.name,
                ),
              [
                `${ours}/_svc/action/pay`,
                { method: "POST", credentials: "include", body: '{"args":[]}', ...init },
              ] as const,
            );
          assert.equal(await call({ headers: { "content-type": "application/json" } }), "TypeError");
          assert.equal(await call({ headers: { "x-svc-csrf": "guess" } }), "TypeError");
          assert.deepEqual(
            seen.filter(({ method }) => method === "POST"),
            [],
          );
          assert.equal(await call({ mode: "same-origin" }), "TypeError");
          assert.deepEqual(
            seen.filter(({ method }) => method === "POST"),
            [],
          );
          // The request is sent and refused for its type, and the page can't read the response (Cross-Origin-Resource-Policy).
          const sent = page.waitForRequest(/pay$/);
          assert.equal(await call({ mode: "no-cors", headers: { "content-type": "text/plain" } }), "TypeError");
          assert.equal((await sent).method(), "POST");
        });
        assert.equal(await transfers(), before);
      },
    );

    it(
      "changes nothing by navigation, frames or images, because GET changes nothing",
      { timeout: DEADLINE_MS },
      async () => {
        const before = await transfers();
        const { ours } = sites();
        const urls = ["/transfer", "/transfer?_method=POST", "/_svc/action/pay"].map((path) => ours + path);
        await lured(sites(), "", async (page) => {
          await page.evaluate(
            (list) =>
              Promise.all(list.map((url) => fetch(url, { mode: "no-cors", credentials: "include" }).catch(() => 0))),
            urls,
          );
          await page.setContent(urls.map((url) => `<img src="${url}"><iframe src="${url}"></iframe>`).join(""));
          for (const url of urls) assert.equal((await page.goto(url))?.status(), 405);
        });
        assert.equal(await transfers(), before);
      },
    );

    it("can't read a token", { timeout: DEADLINE_MS }, async () => {
      const { ours } = sites();
      await lured(sites(), "", async (page) => {
        const read = await page.evaluate(
          (url) =>
            fetch(url, { credentials: "include" }).then(
              (answer) => answer.text(),
              () => "unreadable",
            ),
          `${ours}/hole`,
        );
        assert.equal(read, "unreadable");
      });
    });
  });
}

/** A cookie of ours and the token that belongs to it, as any visitor gets them. */
async function pair(): Promise<{ cookie: string; token: string }> {
  const answer = await app.app.fetch(new Request(`${app.url}/hole`));
  const [cookie = ""] = (answer.headers.getSetCookie()[0] ?? "").split(";");
  return { cookie, token: /"csrf_token":"([^"]+)"/.exec(await answer.text())?.[1] ?? "" };
}

describe("a sibling subdomain that sets its own cookie, with the token that belongs to it", () => {
  it("changes nothing, because the request is not from our origin", { timeout: DEADLINE_MS }, async () => {
    const before = await transfers();
    const sites = (SITES["a sibling subdomain"] as () => Sites)();
    const { cookie, token } = await pair();
    const lure = form(sites.ours, "application/x-www-form-urlencoded").replace(
      "<input",
      `<input name="_csrf" value="${token}"><input`,
    );
    await lured(sites, lure, async (page) => {
      await page.evaluate((text) => void (document.cookie = `${text}; domain=site.localhost; path=/transfer`), cookie);
      const sent = await context.cookies(`${sites.ours}/transfer`);
      assert.ok(
        sent.some(({ name, value }) => `${name}=${value}` === cookie),
        "the cookie was set",
      );
      await submitted(page);
      assert.equal((await asked()).status, 403);
    });
    assert.equal(await transfers(), before);
  });
});

describe("a page of ours", () => {
  it("sends its form", { timeout: DEADLINE_MS }, async () => {
    const before = await transfers();
    context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${app.url}/hole`);
    await page.click("form button");
    assert.equal((await asked()).status, 200);
    assert.equal(await transfers(), Number(before) + 1);
    await context.close();
  });
});

describe("a request without a browser's marks", () => {
  /** A request of an older browser: no `Sec-Fetch-*`, and `Origin` only where given. */
  const send = async (headers: Record<string, string>, path = "/_svc/action/pay", method = "POST"): Promise<number> => {
    const body = method === "GET" ? {} : { body: '{"args":[]}' };
    const init = { method, headers: { "content-type": "application/json", ...headers }, ...body };
    return (await app.app.fetch(new Request(app.url + path, init))).status;
  };

  it("is accepted with the cookie and token of one visitor, with our Origin or without", async () => {
    const { cookie, token } = await pair();
    assert.equal(await send({ cookie, "x-svc-csrf": token }), 200);
    assert.equal(await send({ cookie, "x-svc-csrf": token, origin: app.url }), 200);
    assert.equal(await send({ cookie, "x-svc-csrf": token, "sec-fetch-site": "same-origin" }), 200);
    assert.equal(await send({ cookie, "x-svc-csrf": token, "sec-fetch-site": "none" }), 200);
  });

  it("is refused if it comes from elsewhere, even with a valid cookie and token", async () => {
    const { cookie, token } = await pair();
    const known = { cookie, "x-svc-csrf": token };
    const { host, port } = new URL(app.url);
    const foreign = [
      "https://evil.example",
      "null",
      "",
      `https://${host}`,
      `http://localhost:${port}`,
      `http://[::1]:${port}`,
      `http://127.0.0.1:${Number(port) + 1}`,
      `http://${host}.evil.example`,
      `http://evil.example#${host}`,
      `${app.url}/`,
      app.url.toUpperCase(),
    ];
    for (const origin of foreign) assert.equal(await send({ ...known, origin }), 403, `Origin: ${origin}`);
    for (const site of ["cross-site", "same-site", "", "same-origin, cross-site"])
      assert.equal(await send({ ...known, "sec-fetch-site": site }), 403, `Sec-Fetch-Site: ${site}`);
    assert.equal(await send({ ...known, origin: app.url, "sec-fetch-site": "cross-site" }), 403);
    assert.equal(await send({ ...known, origin: "https://evil.example", "sec-fetch-site": "same-origin" }), 403);
  });

  it("is refused without the token that belongs to its cookie", async () => {
    const [mine, others] = await Promise.all([pair(), pair()]);
    const refused: Record<string, string>[] = [
      {},
      { cookie: mine.cookie },
      { "x-svc-csrf": mine.token },
      { cookie: mine.cookie, "x-svc-csrf": others.token },
      // The visitor has received another cookie since.
      { cookie: others.cookie, "x-svc-csrf": mine.token },
      { cookie: mine.cookie, "x-svc-csrf": "" },
      { cookie: mine.cookie, "x-svc-csrf": `${mine.token}, ${mine.token}` },
      { cookie: mine.cookie, "x-svc-csrf": mine.token.slice(0, -1) },
      { cookie: mine.cookie, "x-svc-csrf": mine.cookie.split("=")[1] ?? "" },
      { cookie: "__svc-csrf=", "x-svc-csrf": mine.token },
      { cookie: `__svc-csrf=${"0".repeat(32)}.${"A".repeat(43)}`, "x-svc-csrf": mine.token },
      { cookie: mine.cookie.replace("=", "= "), "x-svc-csrf": "guess" },
    ];
    for (const headers of refused) assert.equal(await send(headers), 403, JSON.stringify(headers));
    assert.equal(await send({ cookie: mine.cookie }, `/_svc/action/pay?_csrf=${mine.token}`), 403);
  });

  it("can't override its method", async () => {
    const before = await transfers();
    const { cookie } = await pair();
    for (const name of ["x-http-method-override", "x-http-method", "x-method-override"]) {
      assert.equal(await send({ cookie, [name]: "GET" }), 403, name);
      assert.equal(await send({ cookie, [name]: "POST" }, "/_svc/action/pay", "GET"), 405, name);
      assert.equal(await send({ cookie, [name]: "POST" }, "/transfer", "GET"), 405, name);
    }
    assert.equal(await transfers(), before);
  });
});
