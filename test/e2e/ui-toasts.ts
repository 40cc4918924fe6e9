/** Toasts in a real Chromium: announced, paused by pointer and focus, closed by timeout, key and button. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { savePicture, seenAs, seriousViolations } from "./browser.ts";
import { newTab, siteUrl } from "./ui-stage.ts";

/** The used exports of the asset. */
interface PageSwap {
  parsePage(response: Response): Promise<Document>;
  ready(next: Document): Promise<void>;
  swap(next: Document): Promise<void>;
}

async function onPage(story: (page: Page) => Promise<void>, options: BrowserContextOptions = {}, path = "/toasts") {
  const tab = await newTab({ reducedMotion: "reduce", ...options });
  await tab.page.goto(siteUrl() + path);
  await story(tab.page);
  await tab.close();
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const toasts = (page: Page) => page.locator(".svc-toast");

/** The time of a toast: its progress, and whether it is paused. */
const timeOf = (toast: Locator): Promise<{ ms: number; isHeld: boolean }> =>
  toast.evaluate((element) => {
    const time = element.getAnimations().at(-1);
    return { ms: Number(time?.currentTime), isHeld: time?.playState === "paused" };
  });

/** Waits until the time of the only toast pauses, or runs. */
const held = (page: Page, wanted: boolean): Promise<unknown> =>
  page.waitForFunction(
    (isWanted) => (document.querySelector(".svc-toast")?.getAnimations().at(-1)?.playState === "paused") === isWanted,
    wanted,
  );

describe("a toast", () => {
  it("is announced politely, or assertively after an error, with its text escaped", () =>
    onPage(async (page) => {
      await press(page, "Save");
      await page.getByRole("status").getByText("Saved <b>1</b>").waitFor();
      await press(page, "Fail");
      await page.getByRole("alert").getByText("The connection is lost").waitFor();
      assert.equal(await page.getByRole("region", { name: "Notifications" }).count(), 1);
    }));

  it("closes after its time, which pauses while the toast has the pointer or the focus", () =>
    onPage(async (page) => {
      await press(page, "Save");
      await toasts(page).hover();
      await held(page, true);
      const { ms } = await timeOf(toasts(page));
      await page.getByLabel("Close message").focus();
      await page.mouse.move(0, 0);
      // Two frames, in which no time passed.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      assert.deepEqual(await timeOf(toasts(page)), { ms, isHeld: true });
      // Skips nearly all of its time. The rest passes once nothing pauses it.
      await toasts(page).evaluate((element) => {
        const time = element.getAnimations().at(-1);
        time!.currentTime = Number(time!.effect!.getComputedTiming().endTime) - 1;
      });
      assert.equal((await timeOf(toasts(page))).isHeld, true);
      await page.getByRole("button", { name: "Save" }).focus();
      await toasts(page).waitFor({ state: "detached" });
    }));

  it("that appears in a hidden page waits until the page is visible", () =>
    onPage(async (page) => {
      await seenAs(page, false);
      await page.evaluate(() => {
        const save = [...document.querySelectorAll("button")].find(({ textContent }) => textContent.trim() === "Save");
        save?.click();
      });
      await toasts(page).waitFor();
      assert.equal((await timeOf(toasts(page))).isHeld, true);
      await seenAs(page, true);
      await held(page, false);
    }));

  it("stays while the page is swapped", () =>
    onPage(async (page) => {
      await press(page, "Warn");
      await toasts(page).waitFor();
      await page.evaluate(async () => {
        const { load } = (self as unknown as { $svc: { load(name: string): Promise<PageSwap> } }).$svc;
        const { parsePage, ready, swap } = await load("page-swap");
        const next = await parsePage(await fetch(location.href, { headers: { accept: "text/html" } }));
        await ready(next);
        await swap(next);
      });
      assert.equal(await toasts(page).count(), 1);
      await page.getByLabel("Close message").click();
      assert.equal(await toasts(page).count(), 0);
    }));

  it("runs its button's action once, and restores the focus", () =>
    onPage(async (page) => {
      await press(page, "Delete");
      await page.getByText("Undo").waitFor();
      await page.getByRole("button", { name: "Warn" }).focus();
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Undo");
      await page.keyboard.press("Enter");
      await page.locator("output", { hasText: "1" }).waitFor();
      assert.equal(await toasts(page).count(), 0);
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Warn");
    }));

  it("may stay until it is closed by button or Escape, and at most four are shown", () =>
    onPage(async (page) => {
      for (let count = 0; count < 6; count++) await press(page, "Warn");
      await page.waitForFunction(() => document.querySelectorAll(".svc-toast").length === 4);
      await toasts(page).first().getByLabel("Close message").click();
      assert.equal(await toasts(page).count(), 3);
      await toasts(page).first().getByLabel("Close message").focus();
      await page.keyboard.press("Escape");
      assert.equal(await toasts(page).count(), 2);
    }));

  it("of the server is in the page, also without JavaScript", () =>
    onPage(
      async (page) => {
        await page.getByRole("status").getByText("Welcome <back>").waitFor();
        assert.equal(await page.locator(".svc-toast").getAttribute("data-tone"), "good");
      },
      { javaScriptEnabled: false },
      "/toasts?flash=Welcome+<back>",
    ));

  for (const colorScheme of ["light", "dark"] as const) {
    it(`is accessible, in ${colorScheme} and on a phone`, () =>
      onPage(
        async (page) => {
          for (const name of ["Save", "Delete", "Warn", "Fail"]) await press(page, name);
          await page.getByText("is lost").waitFor();
          assert.deepEqual(await seriousViolations(page), []);
          await savePicture(page, `ui-toasts-${colorScheme}`);
          await page.screenshot({ path: `test-results/ui-toasts-${colorScheme}.png` });
        },
        { colorScheme, viewport: { width: 360, height: 640 } },
      ));
  }
});
