/** Toasts in a real Chromium: told to everyone, held while they are looked at, gone by time, by key and by button. The clock is the test's. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { savePicture, seriousViolations } from "./browser.ts";
import { newTab, siteUrl } from "./ui-stage.ts";

async function onPage(story: (page: Page) => Promise<void>, options: BrowserContextOptions = {}, path = "/toasts") {
  const tab = await newTab({ reducedMotion: "reduce", ...options });
  await tab.page.goto(siteUrl() + path);
  await story(tab.page);
  await tab.close();
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const toasts = (page: Page) => page.locator(".svc-toast");

/** From here on time goes by only where `clock.runFor` says so. */
async function stopTime(page: Page): Promise<void> {
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(1000);
}

/** Lets time go by until something is there: its code is on its way in the time of the network, which does not stop. */
async function runUntil(page: Page, wanted: Locator): Promise<void> {
  for (const end = Date.now() + 60_000; (await wanted.count()) === 0;) {
    assert.ok(Date.now() < end, "it never came");
    await page.clock.runFor(5);
  }
}

describe("a toast", () => {
  it("is told in its turn, or at once where something failed, as the text that it is", () =>
    onPage(async (page) => {
      await stopTime(page);
      await press(page, "Save");
      await runUntil(page, page.getByRole("status").getByText("Saved <b>1</b>"));
      await press(page, "Fail");
      await runUntil(page, page.getByRole("alert").getByText("The connection is lost"));
      assert.equal(await page.getByRole("region", { name: "Notifications" }).count(), 1);
    }));

  it("goes when its time is over, which stands still while it is pointed at or has the focus", () =>
    onPage(async (page) => {
      await stopTime(page);
      await press(page, "Save");
      await runUntil(page, toasts(page));
      await page.clock.runFor(900);
      await toasts(page).hover();
      await page.clock.runFor(60_000);
      assert.equal(await toasts(page).count(), 1);
      await page.getByLabel("Close message").focus();
      await page.mouse.move(0, 0);
      await page.clock.runFor(60_000);
      assert.equal(await toasts(page).count(), 1);
      await page.getByRole("button", { name: "Save" }).focus();
      await page.clock.runFor(50);
      assert.equal(await toasts(page).count(), 1);
      await page.clock.runFor(100);
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
