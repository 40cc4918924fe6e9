/** A page becomes another one without a new document (src/web/client/navigation/page-swap.ts), under the production policy. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser, openTab, type Tab } from "./browser.ts";
import { startBuilt, type BuiltApp } from "./built-app.ts";

/** The used exports of the asset. */
interface PageSwap {
  canSwap(next: Document, headers: Headers): boolean;
  parsePage(response: Response): Promise<Document>;
  ready(next: Document): Promise<void>;
  swap(next: Document): Promise<void>;
}

let app: BuiltApp;
let browser: Browser;

before(async () => {
  app = await startBuilt("page-swap");
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await app?.close();
});

async function inTab(path: string, run: (tab: Tab["page"], become: (path: string) => Promise<void>) => Promise<void>) {
  const tab = await openTab(browser);
  await tab.page.goto(app.url + path);
  // Loads the part as the loader does, because the policy refuses other ways.
  const become = async (to: string): Promise<void> => {
    await tab.page.evaluate(async (url) => {
      const load = (self as unknown as { $svc: { load(name: string): unknown } }).$svc.load;
      const { canSwap, parsePage, ready, swap } = (await load("page-swap")) as PageSwap;
      const response = await fetch(url, { headers: { accept: "text/html" } });
      const next = await parsePage(response);
      if (!canSwap(next, response.headers)) throw new Error("refused");
      await ready(next);
      await swap(next);
    }, to);
  };
  await tab.page.waitForFunction(() => "load" in (self as unknown as { $svc: object }).$svc);
  await run(tab.page, become);
  await tab.close();
}

describe("a page that becomes another", () => {
  it("is interactive with the other page's code, before and after an event", async () => {
    await inTab("/", async (page, become) => {
      await become("/two");
      assert.equal(await page.title(), "Two");
      await page.fill("#field", "hello");
      await page.waitForFunction(() => document.querySelector("#shown")?.textContent === "hello");
      await page.click("#late");
      await page.waitForFunction(() => document.querySelector("#late")?.textContent === "late 1");
      await page.waitForFunction(() => document.querySelector("#loaded")?.textContent === "1");
      await become("/");
      await page.click("#count");
      await page.waitForFunction(() => document.querySelector("#count")?.textContent === "1");
      assert.equal(await page.locator("script[type='application/ld+json']").count(), 0);
    });
  });
});

describe("content of both pages", () => {
  it("keeps its elements, typed text, focus and selection", async () => {
    await inTab("/", async (page, become) => {
      await page.fill("#search", "typed");
      await page.evaluate(() => {
        const field = document.querySelector<HTMLInputElement>("#search")!;
        field.focus();
        field.setSelectionRange(1, 3);
        Object.assign(self, { field });
      });
      await become("/two");
      const kept = await page.evaluate(() => {
        const field = document.querySelector<HTMLInputElement>("#search")!;
        const isSame = field === (self as unknown as { field: Element }).field;
        return [isSame, document.activeElement === field, field.value, field.selectionStart, field.selectionEnd];
      });
      assert.deepEqual(kept, [true, true, "typed", 1, 3]);
      assert.equal(await page.textContent("#path"), "/two");
    });
  });

  it("keeps the values of its signals and stores, and stays interactive", async () => {
    await inTab("/", async (page, become) => {
      await page.click("#menu");
      await page.click("#add");
      await page.waitForSelector("#nav");
      await become("/two");
      await page.waitForSelector("#nav");
      assert.equal(await page.getAttribute("#menu", "aria-expanded"), "true");
      assert.deepEqual(await page.locator("#basket li").allTextContents(), ["apple", "pear 1"]);
      await page.click("#add");
      await page.click("#menu");
      await page.waitForFunction(() => !document.querySelector("#nav"));
      assert.deepEqual(await page.locator("#basket li").allTextContents(), ["apple", "pear 1", "pear 2"]);
      assert.equal(await page.textContent("#path"), "/two");
    });
  });

  it("runs each effect once, after the previous one has ended", async () => {
    await inTab("/", async (page, become) => {
      await page.evaluate(() => Object.assign(self, { seen: [] }));
      const clicked = async (text: string): Promise<void> => {
        await page.click("#beat");
        await page.waitForFunction((want) => document.querySelector("#beat")?.textContent === want, text);
      };
      await clicked("1");
      await become("/two");
      await become("/");
      await clicked("2");
      const seen = await page.evaluate(() => (self as unknown as { seen: string[] }).seen);
      assert.equal(seen.at(-1), "beat 2");
      seen.forEach((what, at) => assert.equal(what.split(" ")[0], at % 2 ? "end" : "beat", seen.join(", ")));
    });
  });
});

describe("a page without script", () => {
  it("can be swapped in, and left again", async () => {
    await inTab("/", async (page, become) => {
      await page.click("#count");
      await page.waitForFunction(() => document.querySelector("#count")?.textContent === "1");
      await become("/plain");
      assert.equal(await page.textContent("body"), "Plain");
      await become("/two");
      await page.fill("#field", "again");
      await page.waitForFunction(() => document.querySelector("#shown")?.textContent === "again");
    });
  });
});
