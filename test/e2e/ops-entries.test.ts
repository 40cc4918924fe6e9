/** Copying entries of a payload: with the mouse, by keyboard, in both themes and on a phone. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { App, Started } from "svckit";
import { barChart } from "../contract/bar-chart.ts";
import { opsSample, runTo } from "../contract/ops-app.ts";
import { launchBrowser, openTab, seriousViolations, type Tab } from "./browser.ts";

const LONG = "long ".repeat(2000);

describe("An entry of a payload", () => {
  let app: App;
  let started: Started;
  let browser: Browser;
  let run: string;

  before(async () => {
    app = opsSample();
    started = await app.start({ host: "127.0.0.1", port: 0 });
    browser = await launchBrowser();
    const picture = `data:image/png;base64,${Buffer.from(barChart([1, 2, 3])).toString("base64")}`;
    run = await runTo(app, "nightly-report", { title: "Summer", "a.b": [1, { long: LONG }], picture }, "done");
  });
  after(async () => {
    await browser.close();
    await started.close();
  });

  const open = async (options: Parameters<typeof openTab>[1] = {}): Promise<Tab> => {
    const tab = await openTab(browser, { permissions: ["clipboard-read", "clipboard-write"], ...options });
    await tab.page.goto(`${started.url}/_svc/ops/runs/${run}`);
    return tab;
  };
  /** Presses a button, and waits until it confirms the copy. */
  const copied = async (page: Page, what: "path" | "value", press: () => Promise<void>): Promise<string> => {
    await press();
    await page.getByRole("button", { name: `Copied ${what}` }).waitFor();
    await page
      .getByRole("status")
      .filter({ hasText: `Copied ${what}` })
      .waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };

  it("can be copied completely, and its path, by buttons on the hovered entry", async () => {
    const tab = await open();
    const { page } = tab;
    const button = (what: string) => page.locator(".payload").getByRole("button", { name: `Copy ${what}` });
    await page.locator(".payload summary", { hasText: /^1: / }).click();
    await page.locator(".payload p", { hasText: "long: " }).hover({ position: { x: 20, y: 8 } });
    assert.equal(await copied(page, "path", () => button("path").click()), '$["a.b"][1].long');
    assert.equal(await copied(page, "value", () => button("value").click()), LONG);
    await page.locator(".payload summary", { hasText: /^a\.b: / }).hover();
    assert.deepEqual(JSON.parse(await copied(page, "value", () => button("value").click())), [1, { long: LONG }]);
    assert.ok(await page.locator(".payload p", { hasText: "long: " }).isVisible(), "the fold has not changed");
    await tab.close();
  });

  it("can be copied by keyboard: arrows move between entries, Tab reaches the buttons", async () => {
    const tab = await open();
    const { page } = tab;
    await page.locator(".payload").focus();
    // The focus has already started loading it.
    await page.evaluate(`import("/_svc/ops-entries.js")`);
    const at = (text: RegExp): Promise<void> =>
      page.locator(".payload :focus", { hasText: text }).waitFor({ state: "attached" });
    await page.keyboard.press("ArrowDown");
    await at(/3 keys/);
    await page.keyboard.press("ArrowDown");
    await at(/title: /);
    await page.keyboard.press("Tab");
    assert.equal(await copied(page, "path", () => page.keyboard.press("Enter")), "$.title");
    await page.keyboard.press("Tab");
    assert.equal(await copied(page, "value", () => page.keyboard.press("Enter")), "Summer");
    await page.keyboard.press("ArrowUp");
    await at(/3 keys/);
    await tab.close();
  });

  it("gets its buttons on the second hover if the script failed to load on the first", async () => {
    const tab = await open();
    const { page } = tab;
    const line = page.locator(".payload p", { hasText: "title: " });
    await page.route("**/_svc/ops-entries.js", (route) => route.abort());
    const failed = page.waitForEvent("requestfailed");
    await line.hover({ position: { x: 20, y: 8 } });
    await failed;
    await page.mouse.move(0, 0);
    const again = page.waitForResponse("**/ops-entries.js");
    await line.hover({ position: { x: 20, y: 8 } });
    await again;
    // The pointer moves to the next line.
    await page.locator(".payload summary", { hasText: /^a\.b: / }).hover();
    await page.locator(".payload").getByRole("button", { name: "Copy value" }).waitFor();
    await tab.close(/ERR_FAILED/);
  });

  for (const colorScheme of ["light", "dark"] as const)
    it(`has buttons and an image without a serious axe violation, ${colorScheme}, on 320 pixels`, async () => {
      const tab = await open({ colorScheme, viewport: { width: 320, height: 740 } });
      const { page } = tab;
      await page.locator(".payload p", { hasText: "title: " }).hover({ position: { x: 10, y: 8 } });
      await page.getByRole("button", { name: "Copy value" }).waitFor();
      await page.getByAltText("Image picture").scrollIntoViewIfNeeded();
      await page.waitForFunction(
        () => (document.querySelector<HTMLImageElement>(".payload img")?.naturalWidth ?? 0) > 0,
      );
      assert.deepEqual(await seriousViolations(page), []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      await tab.close();
    });
});
