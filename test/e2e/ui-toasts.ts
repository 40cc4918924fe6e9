/** Toasts in a real Chromium: told to everyone, held while they are looked at, gone by time, by key and by button. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { savePicture, seenAs, seriousViolations } from "./browser.ts";
import { newTab, siteUrl } from "./ui-stage.ts";

/** What is used of the asset. */
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

/** Time of a toast: how much of it has gone by, and whether it stands still. */
const timeOf = (toast: Locator): Promise<{ ms: number; isHeld: boolean }> =>
  toast.evaluate((element) => {
    const time = element.getAnimations().at(-1);
    return { ms: Number(time?.currentTime), isHeld: time?.playState === "paused" };
  });

/** Waits until the time of the only toast stands still, or goes on. */
const held = (page: Page, wanted: boolean): Promise<unknown> =>
  page.waitForFunction(
    (isWanted) => (document.querySelector(".svc-toast")?.getAnimations().at(-1)?.playState === "paused") === isWanted,
    wanted,
  );

describe("a toast", () => {
  it("is told in its turn, or at once where something failed, as the text that it is", () =>
    onPage(async (page) => {
      await press(page, "Save");
      await page.getByRole("status").getByText("Saved <b>1</b>").waitFor();
      await press(page, "Fail");
      await page.getByRole("alert").getByText("The connection is lost").waitFor();
      assert.equal(await page.getByRole("region", { name: "Notifications" }).count(), 1);
    }));

  it("goes when its time is over, which stands still while it is pointed at or has the focus", () =>
    onPage(async (page) => {
      await press(page, "Save");
      await toasts(page).hover();
      await held(page, true);
      const { ms } = await timeOf(toasts(page));
      await page.getByLabel("Close message").focus();
      await page.mouse.move(0, 0);
      // Two frames, in which nothing went by.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      assert.deepEqual(await timeOf(toasts(page)), { ms, isHeld: true });
      // As if nearly all of it had gone by: the rest of it goes once nothing holds it.
      await toasts(page).evaluate((element) => {
        const time = element.getAnimations().at(-1);
        time!.currentTime = Number(time!.effect!.getComputedTiming().endTime) - 1;
      });
      assert.equal((await timeOf(toasts(page))).isHeld, true);
      await page.getByRole("button", { name: "Save" }).focus();
      await toasts(page).waitFor({ state: "detached" });
    }));

  it("that comes while nobody looks at the page waits until somebody does", () =>
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

  it("stays where the page becomes another", () =>
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

  it("does once what its button says, and gives the focus back", () =>
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

  it("stays where it says so until it is closed, by button or Escape, and four are there at most", () =>
    onPage(async (page) => {
      for (let count = 0; count < 6; count++) await press(page, "Warn");
      await page.waitForFunction(() => document.querySelectorAll(".svc-toast").length === 4);
      await toasts(page).first().getByLabel("Close message").click();
      assert.equal(await toasts(page).count(), 3);
      await toasts(page).first().getByLabel("Close message").focus();
      await page.keyboard.press("Escape");
      assert.equal(await toasts(page).count(), 2);
    }));

  it("of the server's is there with the page, without JavaScript too", () =>
    onPage(
      async (page) => {
        await page.getByRole("status").getByText("Welcome <back>").waitFor();
        assert.equal(await page.locator(".svc-toast").getAttribute("data-tone"), "good");
      },
      { javaScriptEnabled: false },
      "/toasts?flash=Welcome+<back>",
    ));

  for (const colorScheme of ["light", "dark"] as const) {
    it(`is read by everyone, in ${colorScheme} and on a phone`, () =>
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
