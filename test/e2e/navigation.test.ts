/** Enhanced navigation (src/browser/visit.ts) under the production policy: what stays, what goes, and what the browser is left. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchBrowser, openTab, seriousViolations, type Tab } from "./browser.ts";
import { startBuilt, type BuiltApp } from "./built-app.ts";

let app: BuiltApp;
let browser: Browser;

before(async () => {
  app = await startBuilt("navigation");
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await app?.close();
});

/** A page, once its scripts are there. */
async function openScripted(path: string, options: BrowserContextOptions = {}): Promise<Tab> {
  const tab = await openTab(browser, { reducedMotion: "reduce", ...options });
  // Of what the test finds in the page again where that was not loaded anew.
  await tab.page.addInitScript("self.isSame = false");
  await tab.page.goto(app.url + path, { waitUntil: "networkidle" });
  await tab.page.evaluate("self.isSame = true");
  return tab;
}

const isSame = (page: Page): Promise<unknown> => page.evaluate("self.isSame");
const heading = (page: Page, text: string): Promise<void> => page.locator("h1", { hasText: text }).waitFor();
const follow = (page: Page, path: string): Promise<void> => page.locator(`a[href="${path}"]`).first().click();
const pathOf = (page: Page): string => page.url().slice(app.url.length);
const scrolled = (page: Page): Promise<number> => page.evaluate("Math.round(scrollY)");

/** Of what the browser says of pages that are no mistake of ours. */
const EXPECTED = /status of 404|Unsafe attempt to load URL http:\/\/localhost/;

/** What people do; the same whether scripts run or not. */
const STORIES: Record<string, (page: Page) => Promise<void>> = {
  "goes from page to page": async (page) => {
    await page.goto(`${app.url}/`);
    await follow(page, "/about");
    await heading(page, "About");
    assert.equal(await page.title(), "About · Site");
    assert.equal(pathOf(page), "/about");
    assert.equal(await page.locator('link[rel="canonical"]').getAttribute("href"), "https://example.com/about");
    assert.equal(await page.locator('meta[name="theme-color"]').getAttribute("content"), "#123456");
    assert.equal(await page.locator('meta[name="description"]').count(), 0);
    assert.deepEqual(await page.locator('[aria-current="page"]').allTextContents(), ["/about"]);
    await follow(page, "/");
    await heading(page, "Home");
    assert.equal(await page.locator('meta[name="description"]').getAttribute("content"), "Where it begins");
    assert.equal(await page.locator('link[rel="canonical"], meta[name="theme-color"]').count(), 0);
  },
  "goes back and forward, to where it had scrolled": async (page) => {
    await page.goto(`${app.url}/`);
    await page.locator("#below").scrollIntoViewIfNeeded();
    const place = await scrolled(page);
    assert.ok(place > 1000);
    await page.locator("#below").click();
    await heading(page, "About");
    await page.waitForFunction(() => scrollY === 0);
    await page.goBack();
    await heading(page, "Home");
    await page.waitForFunction((y) => Math.abs(scrollY - y) < 2, place);
    assert.equal(pathOf(page), "/");
    await page.goForward();
    await heading(page, "About");
    await page.waitForFunction(() => scrollY === 0);
    assert.equal(pathOf(page), "/about");
  },
  "goes to a place of another page, and within it": async (page) => {
    await page.goto(`${app.url}/`);
    await follow(page, "/long#place");
    await heading(page, "Long");
    await page.waitForFunction(() => Math.abs(document.querySelector("#place")!.getBoundingClientRect().top) < 200);
    assert.equal(pathOf(page), "/long#place");
    await follow(page, "/long");
    await page.waitForFunction(() => scrollY === 0);
    await page.locator("#within").click();
    await page.waitForFunction(() => scrollY > 1000);
    assert.equal(pathOf(page), "/long#place");
    await page.goBack();
    await page.waitForFunction(() => scrollY === 0);
    assert.equal(pathOf(page), "/long");
  },
  "is led by a redirect": async (page) => {
    await page.goto(`${app.url}/`);
    await follow(page, "/moved");
    await heading(page, "About");
    assert.equal(pathOf(page), "/about");
  },
  "sees the page of what is not there": async (page) => {
    await page.goto(`${app.url}/`);
    await follow(page, "/nowhere");
    await heading(page, "Nothing is at /nowhere");
    assert.equal(pathOf(page), "/nowhere");
  },
  "goes to a page without scripts of its own and from there": async (page) => {
    await page.goto(`${app.url}/about`);
    await follow(page, "/still");
    await heading(page, "Still");
    assert.equal(await page.locator("header").count(), 0);
    await follow(page, "/counter");
    await heading(page, "Counter");
    assert.equal(await page.locator("header").count(), 1);
    await follow(page, "/plain");
    await heading(page, "Plain");
    await follow(page, "/");
    await heading(page, "Home");
  },
  "is led to another origin": async (page) => {
    await page.goto(`${app.url}/`);
    await follow(page, "/away");
    await page.waitForURL(/localhost/);
    await heading(page, "About");
  },
  "downloads a file, and stays": async (page) => {
    await page.goto(`${app.url}/about`);
    const download = page.waitForEvent("download");
    await follow(page, "/file");
    assert.equal((await download).suggestedFilename(), "a.txt");
    await heading(page, "About");
    assert.equal(pathOf(page), "/about");
  },
};

for (const javaScriptEnabled of [true, false]) {
  describe(`somebody ${javaScriptEnabled ? "with" : "without"} JavaScript`, () => {
    for (const [name, story] of Object.entries(STORIES)) {
      it(name, async () => {
        const tab = await openTab(browser, { javaScriptEnabled });
        await story(tab.page);
        assert.deepEqual(
          tab.takeComplaints().filter((complaint) => !EXPECTED.test(complaint)),
          [],
        );
        await tab.close();
      });
    }
  });
}

describe("a link that is followed within the document", () => {
  it("keeps the layout, with its elements and all that has become of them", async () => {
    const tab = await openScripted("/");
    const { page } = tab;
    await page.click("#menu");
    await page.locator("#opened").waitFor();
    await page.fill("#search", "words");
    await page.evaluate(
      `document.querySelector("#side").scrollTop = 77; self.search = document.querySelector("#search")`,
    );
    await follow(page, "/about");
    await heading(page, "About");
    assert.equal(await isSame(page), true);
    assert.equal(await page.locator("#opened").count(), 1);
    assert.equal(await page.locator("#menu").getAttribute("aria-expanded"), "true");
    assert.equal(await page.inputValue("#search"), "words");
    assert.equal(await page.evaluate(`document.querySelector("#side").scrollTop`), 77);
    assert.equal(await page.evaluate(`self.search === document.querySelector("#search")`), true);
    await page.click("#menu");
    await page.locator("#opened").waitFor({ state: "detached" });
    await tab.close();
  });

  it("keeps layouts within layouts as far as both pages have them, with the same parameters", async () => {
    const tab = await openScripted("/users");
    const { page } = tab;
    await page.click("#seen");
    await follow(page, "/users/ada");
    await heading(page, "User ada");
    assert.equal(await page.locator("#seen").textContent(), "1");
    await page.click("#seen");
    await follow(page, "/users/grace");
    await heading(page, "User grace");
    assert.equal(await page.locator("#seen").textContent(), "2");
    await follow(page, "/teams/1");
    await heading(page, "Team");
    await page.click("#points");
    await follow(page, "/teams/1/members");
    await heading(page, "Members");
    assert.equal(await page.locator("#points").textContent(), "1 of team 1");
    await follow(page, "/teams/2");
    await heading(page, "Team");
    assert.equal(await page.locator("#points").textContent(), "0 of team 2");
    assert.equal(await isSame(page), true);
    await tab.close();
  });

  it("begins the page anew each time, and ends what it had begun", async () => {
    const tab = await openScripted("/counter");
    const { page } = tab;
    await page.evaluate("self.seen = []");
    for (let round = 0; round < 3; round++) {
      await page.locator("#there", { hasText: /^there$/ }).waitFor();
      assert.equal(await page.locator("#count").textContent(), "0");
      assert.equal(await page.inputValue("#typed"), "");
      await page.click("#count");
      await page.locator("#count", { hasText: "1" }).waitFor();
      await page.fill("#typed", "typed");
      await follow(page, "/about");
      await heading(page, "About");
      await follow(page, "/counter");
      await heading(page, "Counter");
    }
    assert.deepEqual(await page.evaluate("self.seen"), ["count 1", "end 1", "count 1", "end 1", "count 1", "end 1"]);
    assert.equal(await isSame(page), true);
    await tab.close();
  });

  it("focuses the new heading, or what asks for it, and tells the title to who hears the page", async () => {
    const tab = await openScripted("/");
    const { page } = tab;
    await follow(page, "/about");
    await heading(page, "About");
    assert.equal(await page.evaluate("document.activeElement.textContent"), "About");
    assert.equal(await page.locator("svc-announcer[aria-live=polite]").textContent(), "About · Site");
    await follow(page, "/asks");
    await heading(page, "Asks");
    assert.equal(await page.evaluate("document.activeElement.id"), "asked");
    assert.equal(await page.locator("svc-announcer").textContent(), "Asks · Site");
    assert.equal(await page.locator("h1[tabindex]").count(), 0);
    assert.deepEqual(await seriousViolations(page), []);
    await tab.close();
  });
});
