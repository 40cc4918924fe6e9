/** The option `prefetch`: which code and pages a browser fetches before an event, and how fast the event is handled then. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchBrowser, openTab, type Tab } from "./browser.ts";
import { startBuilt, type BuiltApp } from "./built-app.ts";

let app: BuiltApp;
let browser: Browser;

before(async () => {
  app = await startBuilt("prefetch");
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.close();
});

/** The scripts that a page with enhanced navigation starts with. */
const START = /^\/_svc\/(?:loader|links|prefetch)\.js$/;

async function opened(path: string, options: BrowserContextOptions = {}, isSaving = false): Promise<Tab> {
  const tab = await openTab(browser, options);
  if (isSaving)
    await tab.page.addInitScript("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })");
  await tab.page.goto(app.url + path, { waitUntil: "networkidle" });
  return tab;
}

/** What the page has fetched besides its first scripts, without the hashes of chunks. */
const fetched = ({ scripts }: Tab): string[] =>
  scripts
    .filter((path) => !START.test(path))
    .map((path) => path.replace(/-[0-9a-f]{8}\.js$/, ".js"))
    .toSorted();

const CODE = ["/_svc/core.js", "/_svc/handler/cart.js", "/_svc/handler/total.js", "/_svc/region.js"];

/** Waits for the code of all handlers. The browser of a busy machine may be idle only after its network was. */
async function allCode(tab: Tab): Promise<void> {
  while (!CODE.every((path) => fetched(tab).includes(path))) await tab.page.waitForEvent("response");
}

/** Clicks "Add". @returns whether the page shows the new row when the event ends, so before the browser paints again */
const isShownAtOnce = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    document.querySelector<HTMLElement>("#add")!.click();
    return document.querySelector("#total")!.childElementCount === 1;
  });

/** Points at every button and link, rests there longer than the delay after which a link is prefetched, and focuses it. */
async function touchAll(page: Page): Promise<void> {
  await page.clock.install();
  for (const target of await page.locator("button, a").all()) {
    await target.hover();
    await page.clock.runFor(500);
    await target.focus();
    await page.clock.runFor(500);
  }
}

describe("a page with prefetch: idle", () => {
  it("has the code of its handlers before the first event, which it then handles within one frame", async () => {
    const tab = await opened("/");
    await allCode(tab);
    assert.deepEqual(fetched(tab), CODE);
    const before = tab.scripts.length;
    assert.equal(await isShownAtOnce(tab.page), true);
    assert.equal(tab.scripts.length, before, "the click fetched code");
    await tab.close();
  });

  it("fetches this code only after the page has loaded", async () => {
    const tab = await openTab(browser);
    let isLoaded = false;
    let isEarly = false;
    tab.page.on("load", () => (isLoaded = true));
    tab.page.on("request", (request) => (isEarly ||= !isLoaded && /core\.js|handler\//.test(request.url())));
    await tab.page.goto(app.url, { waitUntil: "networkidle" });
    await allCode(tab);
    assert.deepEqual([isEarly, fetched(tab)], [false, CODE]);
    await tab.close();
  });

  it("fetches the code of a page that is swapped in", async () => {
    const tab = await opened("/silent");
    await tab.page.evaluate("self.isSame = true");
    await tab.page.click('a[href="/intent"]');
    await tab.page.locator("h1", { hasText: "Intent" }).waitFor();
    await tab.page.click('a[href="/"]');
    await tab.page.locator("h1", { hasText: "Idle" }).waitFor();
    await allCode(tab);
    assert.equal(await tab.page.evaluate("self.isSame"), true);
    await tab.close();
  });

  for (const [what, options, isSaving] of [
    ["its request says so", { extraHTTPHeaders: { "Save-Data": "on" } }, false],
    ["the browser says so", {}, true],
  ] as const) {
    it(`fetches nothing ahead if the visitor saves data: ${what}`, async () => {
      const tab = await opened("/", options, isSaving);
      assert.deepEqual(fetched(tab), []);
      await tab.page.click("#add");
      await tab.page.locator("#total li").waitFor();
      assert.deepEqual(fetched(tab), CODE);
      await tab.close();
    });
  }

  it("fetches nothing ahead for a visitor who saves data if caches share the page", async () => {
    const tab = await opened("/shared", { extraHTTPHeaders: { "Save-Data": "on" } }, true);
    assert.deepEqual(fetched(tab), []);
    await tab.leave();
    const other = await opened("/shared");
    await allCode(other);
    assert.deepEqual(fetched(other), CODE, "the next visitor got the page of the one before");
    await other.close();
  });
});

describe("a page with prefetch: intent", () => {
  it("fetches code when the visitor points at an element with a handler, not before", async () => {
    const tab = await opened("/intent");
    assert.deepEqual(fetched(tab), []);
    const arrives = tab.page.waitForResponse(/handler\/cart/);
    await tab.page.hover("#add");
    await arrives;
    // Not the code of the list, which only the first write needs.
    assert.deepEqual(fetched(tab), CODE.slice(0, 2));
    await tab.close();
  });

  it("does not if the visitor saves data", async () => {
    const tab = await opened("/intent", { extraHTTPHeaders: { "Save-Data": "on" } });
    await touchAll(tab.page);
    assert.deepEqual(fetched(tab), []);
    await tab.close();
  });
});

describe("a page with prefetch: none", () => {
  for (const path of ["/none", "/silent"]) {
    it(`fetches neither code nor pages before an event: ${path}`, async () => {
      const tab = await opened(path);
      const requests: string[] = [];
      tab.page.on("request", (request) => requests.push(request.url()));
      await touchAll(tab.page);
      assert.deepEqual([fetched(tab), requests], [[], []]);
      await tab.close();
    });
  }

  it("handles its first event, and follows links within the document", async () => {
    const tab = await opened("/none");
    await tab.page.click("#add");
    await tab.page.locator("#total li").waitFor();
    await tab.page.evaluate("self.isSame = true");
    await tab.page.click('a[href="/"]');
    await tab.page.locator("h1", { hasText: "Idle" }).waitFor();
    assert.equal(await tab.page.evaluate("self.isSame"), true);
    await tab.close();
  });
});
