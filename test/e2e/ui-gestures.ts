/** `<Gesture>` in a real Chromium, by mouse and by touch events of the DevTools protocol. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BrowserContextOptions, CDPSession, Page } from "playwright-core";
import { savePicture, seriousViolations } from "./browser.ts";
import { newTab, siteUrl } from "./ui-stage.ts";

interface Stage {
  page: Page;
  /** Sets the positions of all fingers. */
  touch: (...places: { x: number; y: number }[]) => Promise<unknown>;
  /** The center of an element. */
  middle: (selector: string) => Promise<{ x: number; y: number }>;
}

async function onStage(story: (stage: Stage) => Promise<void>, options: BrowserContextOptions = {}): Promise<void> {
  const tab = await newTab({ hasTouch: true, viewport: { width: 390, height: 800 }, ...options });
  const { page } = tab;
  await page.goto(`${siteUrl()}/gestures`);
  await page.waitForFunction(() => getComputedStyle(document.querySelector("svc-gesture")!).touchAction !== "auto");
  const cdp: CDPSession = await page.context().newCDPSession(page);
  let down = 0;
  await story({
    page,
    touch: (...places) => {
      const type = places.length > down ? "touchStart" : places.length < down ? "touchEnd" : "touchMove";
      down = places.length;
      return cdp.send("Input.dispatchTouchEvent", { type, touchPoints: places.map((place, id) => ({ ...place, id })) });
    },
    middle: async (selector) => {
      const box = await page.locator(selector).first().boundingBox();
      assert.ok(box);
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    },
  });
  await tab.close();
}

const log = (page: Page, text: string) => page.locator("output", { hasText: new RegExp(`^${text}$`) }).waitFor();
const transform = (page: Page): Promise<string> =>
  page.locator("#card").evaluate((card) => (card as HTMLElement).style.transform);

describe("gestures", () => {
  it("move with one finger and scale with two", () =>
    onStage(async ({ page, touch, middle }) => {
      const { x, y } = await middle("#card");
      await touch({ x, y });
      await touch({ x: x + 20, y });
      await touch({ x: x + 60, y: y + 30 });
      await touch();
      await log(page, "pan start, pan end");
      await page.waitForFunction(() =>
        /translate\(60px, 30px\)/.test(document.querySelector<HTMLElement>("#card")!.style.transform),
      );
      const middleNow = await middle("#card");
      const [left, right] = [
        { ...middleNow, x: middleNow.x - 20 },
        { ...middleNow, x: middleNow.x + 20 },
      ];
      await touch(left);
      await touch(left, right);
      await touch({ ...left, x: left.x - 10 }, { ...right, x: right.x + 10 });
      await touch({ ...left, x: left.x - 20 }, { ...right, x: right.x + 20 });
      await touch(left);
      await touch();
      await log(page, "pan start, pan end, pinch start, pinch end");
      await page.waitForFunction(() =>
        /scale\(2\)/.test(document.querySelector<HTMLElement>("#card")!.style.transform),
      );
    }));

  it("include long presses and double taps, which do not click the content", () =>
    onStage(async ({ page, touch, middle }) => {
      const place = await middle("#card");
      await touch(place);
      await log(page, "longpress");
      await touch();
      await touch(place);
      await touch();
      await touch(place);
      await touch();
      await log(page, "longpress, doubletap");
    }));

  it("include the mouse, also outside of the element", () =>
    onStage(async ({ page, middle }) => {
      const { x, y } = await middle("#card");
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 30, y, { steps: 3 });
      await page.mouse.move(x + 30, y + 600, { steps: 5 });
      await page.mouse.up();
      await log(page, "pan start, pan end");
      assert.match(await transform(page), /translate\(30px, 600px\)/);
    }));

  it("along one axis leave the other axis to the page", () =>
    onStage(async ({ page, touch, middle }) => {
      const { x, y } = await middle(".mails svc-gesture");
      await touch({ x, y });
      for (const dy of [20, 60, 120]) await touch({ x, y: y - dy });
      await touch();
      await page.waitForFunction(() => scrollY > 0);
      assert.equal(await page.locator(".mails li").count(), 3);
    }));

  it("work in rows created in the browser", () =>
    onStage(async ({ page, touch, middle }) => {
      await page.getByText("Mail", { exact: true }).click();
      await page.getByText("Delete Dora").waitFor();
      const row = await middle(".mails li:nth-child(4) svc-gesture");
      await touch(row);
      for (const dx of [20, 60, 120]) await touch({ x: row.x + dx, y: row.y });
      await touch();
      await page.getByText("Delete Dora").waitFor({ state: "detached" });
      assert.equal(await page.evaluate(() => scrollY), 0);
    }));

  it("have keyboard and button alternatives, and the page has no accessibility violations", () =>
    onStage(async ({ page }) => {
      await page.focus("#card");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("+");
      await page.waitForFunction(() =>
        /translate\(10px, 0px\) scale\(1.25\)/.test(document.querySelector<HTMLElement>("#card")!.style.transform),
      );
      await page.getByText("Delete Bob").click();
      await page.getByText("Delete Bob").waitFor({ state: "detached" });
      assert.deepEqual(await seriousViolations(page), []);
      await savePicture(page, "ui-gestures");
    }));

  it("load code only on pages that use them, and do not block scrolling", () =>
    onStage(async ({ page }) => {
      const html = await page.content();
      assert.match(html, /ui-gesture\.js/);
      const others = await (await fetch(`${siteUrl()}/themes`)).text();
      assert.doesNotMatch(others, /ui-gesture|ui-menu|ui\.js|virtual/);
      assert.equal(
        await page
          .locator(".mails svc-gesture")
          .first()
          .evaluate((row) => getComputedStyle(row).touchAction),
        "pinch-zoom pan-y".split(" ").reverse().join(" "),
      );
    }));
});
