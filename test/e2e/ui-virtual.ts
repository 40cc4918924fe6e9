/** `<For virtual>` in a real Chromium: few rows at a time, the right ones in the right places, whatever their heights. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { savePicture, seriousViolations } from "./browser.ts";
import { newTab, siteUrl } from "./ui-stage.ts";

async function onPage(
  path: string,
  story: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const tab = await newTab(options);
  await tab.page.goto(siteUrl() + path);
  await story(tab.page);
  await tab.close();
}

interface Seen {
  /** `index: text` of the visible rows. */
  texts: string[];
  /** Whether rows fill the view without a gap. */
  isFull: boolean;
  count: number;
  scrollTop: number;
  scrollHeight: number;
}

/** The visible part of a list that scrolls by itself. */
const seen = (page: Page, selector = "#list"): Promise<Seen> =>
  page.locator(selector).evaluate((list) => {
    const { top, bottom } = list.getBoundingClientRect();
    const rows = [...list.querySelectorAll("li, tr")].map((row) => ({ row, box: row.getBoundingClientRect() }));
    const shown = rows.filter(({ box }) => box.bottom > top + 1 && box.top < bottom - 1);
    return {
      texts: shown.map(({ row }) => row.textContent ?? ""),
      isFull: (shown[0]?.box.top ?? Infinity) <= top + 2 && (shown.at(-1)?.box.bottom ?? 0) >= bottom - 2,
      count: rows.length,
      scrollTop: list.scrollTop,
      scrollHeight: list.scrollHeight,
    };
  });

const indexOf = (text: string | undefined): number => Number(/^\d+/.exec(text ?? "")?.[0]);

/** Waits until the list is awake and at rest. */
async function awake(page: Page, selector = "#list"): Promise<void> {
  await page.waitForFunction((name) => document.querySelector(name)!.scrollHeight > 100_000, selector);
  await settled(page);
}
async function settled(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))),
  );
}

async function scrollListTo(page: Page, top: number): Promise<void> {
  await page.locator("#list").evaluate((list, y) => (list.scrollTop = y), top);
  await settled(page);
}

describe("a virtual list", () => {
  it("scrolls through its rows (prints the long tasks, without checking them)", () =>
    onPage("/list", async (page) => {
      await awake(page);
      const figures = await page.locator("#list").evaluate(async (list) => {
        const tasks: number[] = [];
        const observer = new PerformanceObserver((entries) => {
          for (const { duration } of entries.getEntries()) tasks.push(Math.round(duration));
        });
        observer.observe({ type: "longtask" });
        let frames = 0;
        const began = performance.now();
        for (; frames < 120; frames++) {
          list.scrollTop += 400;
          await new Promise(requestAnimationFrame);
        }
        const tookMs = performance.now() - began;
        await new Promise((done) => setTimeout(done));
        observer.disconnect();
        return { frames, tookMs: Math.round(tookMs), longTasksMs: tasks, top: list.scrollTop };
      });
      console.log(`100,000 rows, 400 px a frame: ${JSON.stringify(figures)}`);
      assert.ok((await seen(page)).isFull);
      assert.ok(figures.top > 40_000);
    }));

  it("has few rows of a hundred thousand, and the right ones in view, at any scroll position", () =>
    onPage("/list", async (page) => {
      await awake(page);
      const { scrollHeight } = await seen(page);
      let last = -1;
      for (const part of [0, 0.1, 0.33, 0.5, 0.77, 0.999]) {
        await scrollListTo(page, scrollHeight * part);
        const now = await seen(page);
        assert.ok(now.count < 60, `${now.count} rows`);
        assert.ok(now.isFull, `a gap at ${part}: ${now.texts.join()}`);
        const indices = now.texts.map(indexOf);
        assert.deepEqual(
          indices,
          indices.map((_, at) => (indices[0] ?? NaN) + at),
        );
        for (const text of now.texts) assert.match(text, new RegExp(`^(\\d+): Row \\1\\b`));
        assert.ok((indices[0] ?? -1) > last);
        assert.ok(Math.abs((indices[0] ?? 0) / 100_000 - part) < 0.06, `${indices[0]} at ${part}`);
        last = indices[0] ?? -1;
      }
      await scrollListTo(page, scrollHeight * 2);
      assert.equal(indexOf((await seen(page)).texts.at(-1)), 99_999);
    }));

  it("keeps the visible rows in place while the heights of rows above are measured", () =>
    onPage("/list", async (page) => {
      await awake(page);
      await scrollListTo(page, 1_000_000);
      for (let step = 0; step < 12; step++) {
        const before = await seen(page);
        // Less than a row, so that the same rows stay in view.
        await page.locator("#list").evaluate((list) => list.scrollBy(0, -30));
        await settled(page);
        const now = await seen(page);
        const moved = indexOf(before.texts[0]) - indexOf(now.texts[0]);
        assert.ok(moved === 0 || moved === 1, `${moved} rows by 30 px, from ${before.texts[0]} to ${now.texts[0]}`);
        assert.ok(now.isFull);
      }
    }));

  it("keeps the visible row in place when rows are added above it", () =>
    onPage("/list", async (page) => {
      await awake(page);
      await scrollListTo(page, 50_000);
      const before = await seen(page);
      await page.locator("#list li").nth(12).click();
      await page.getByText("Add above").click();
      await page.waitForFunction(() => document.querySelector("#list")!.scrollTop > 50_500);
      await settled(page);
      const now = await seen(page);
      assert.equal(indexOf(now.texts[2]), indexOf(before.texts[2]) + 50);
      assert.equal(now.texts[2]?.replace(/^\d+/, ""), before.texts[2]?.replace(/^\d+/, ""));
    }));

  it("wakes its rows' handlers, and shows all of a short list", () =>
    onPage("/list", async (page) => {
      await awake(page);
      await scrollListTo(page, 200_000);
      const row = page.locator("#list li").nth(15);
      const id = /Row (\d+)/.exec((await row.textContent()) ?? "")?.[1];
      await row.click();
      await page.locator("output", { hasText: String(id) }).waitFor();
      await page.getByText("Three").click();
      await page.waitForFunction(() => document.querySelectorAll("#list li").length === 3);
      await settled(page);
      assert.deepEqual((await seen(page)).texts.map(indexOf), [0, 1, 2]);
      const { scrollHeight } = await seen(page);
      assert.ok(scrollHeight < 400, `${scrollHeight}`);
    }));

  it("shows all its rows again after it was empty", () =>
    onPage("/list", async (page) => {
      await awake(page);
      await page.getByText("None").click();
      await page.waitForFunction(() => !document.querySelector("#list li"));
      await page.getByText("Add above").click();
      await page.locator("#list li").first().waitFor();
      await settled(page);
      assert.deepEqual((await seen(page)).texts.map(indexOf).slice(0, 3), [0, 1, 2]);
      const { scrollHeight } = await seen(page);
      assert.ok(scrollHeight > 1000, `${scrollHeight}`);
      // The last rows are measured while scrolling.
      for (let times = 0; times < 3; times++) await scrollListTo(page, 100_000);
      assert.equal(indexOf((await seen(page)).texts.at(-1)), 49);
    }));

  it("has arrow-key navigation, with one row in the tab order", () =>
    onPage("/list", async (page) => {
      await awake(page);
      const focused = (index: number): Promise<unknown> =>
        page.waitForFunction((place) => document.activeElement?.textContent?.startsWith(`${place}: `), index);
      await page.getByText("Three").focus();
      await page.keyboard.press("Tab");
      await focused(0);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await focused(2);
      await page.keyboard.press("End");
      await focused(99_999);
      await page.keyboard.press("ArrowUp");
      await focused(99_998);
      await page.keyboard.press("PageUp");
      const up = await page.evaluate(() => parseInt(document.activeElement?.textContent ?? ""));
      assert.ok(up < 99_997 && up > 99_970, `${up}`);
      await page.keyboard.press("Home");
      await focused(0);
      assert.equal(await page.locator('#list li[tabindex="0"]').count(), 1);
      // The focused row is removed: the list gets the focus, and keys continue from there.
      await scrollListTo(page, 500_000);
      assert.equal(await page.evaluate(() => document.activeElement?.id), "list");
      await page.keyboard.press("ArrowDown");
      await focused(1);
    }));

  it("exposes the number of rows and the position of each row", () =>
    onPage("/list", async (page) => {
      await awake(page);
      await scrollListTo(page, 100_000);
      const row = page.locator("#list li").nth(10);
      const index = indexOf((await row.textContent()) ?? "");
      assert.equal(await row.getAttribute("aria-posinset"), String(index + 1));
      assert.equal(await row.getAttribute("aria-setsize"), "100000");
      assert.equal(await page.locator("table").getAttribute("aria-rowcount"), "100000");
      assert.deepEqual(await seriousViolations(page), []);
      await savePicture(page, "ui-list");
    }));

  it("may be a table", () =>
    onPage("/list", async (page) => {
      await awake(page, "div.list");
      await page.locator("div.list").evaluate((list) => (list.scrollTop = 1_000_000));
      await settled(page);
      const now = await seen(page, "div.list");
      assert.ok(now.isFull && now.count < 60, JSON.stringify(now));
      assert.ok(indexOf(now.texts[0]) > 20_000);
    }));

  it("may scroll with the page, and contain server-rendered rows", () =>
    onPage("/log", async (page) => {
      await page.waitForFunction(() => document.documentElement.scrollHeight > 100_000);
      await page.evaluate(() => scrollTo(0, 60_000));
      await settled(page);
      const texts = await page.locator("#log li").allTextContents();
      assert.ok(texts.length < 60);
      const [first] = texts;
      assert.ok(Number(first?.slice(5)) > 1500, first);
      assert.equal(await page.evaluate(() => document.elementFromPoint(300, innerHeight / 2)?.tagName), "LI");
    }));

  it("begins at the row of a link, and without JavaScript too, with a link to more rows", async () => {
    await onPage("/list?start=5000", async (page) => {
      await awake(page);
      assert.equal(indexOf((await seen(page)).texts[0]), 5000);
      assert.ok((await seen(page)).scrollTop > 100_000);
    });
    await onPage(
      "/list",
      async (page) => {
        assert.equal(await page.locator("#list li").count(), 20);
        await page.getByText("More", { exact: true }).click();
        await page.locator("#list li", { hasText: "20: Row 20" }).waitFor();
        assert.equal(await page.locator("#list li").count(), 20);
      },
      { javaScriptEnabled: false },
    );
  });
});
