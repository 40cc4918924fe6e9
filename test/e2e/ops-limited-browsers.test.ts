/** The operator screens in limited browsers: without clipboard, without storage, with a small screen, or with a screen reader. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { App, Started } from "svckit";
import { opsSample, orderInput, runTo } from "../contract/ops-app.ts";
import { launchBrowser, openTab } from "./browser.ts";

describe("The operator screens", () => {
  let app: App;
  let started: Started;
  let browser: Browser;
  let failed: string;

  const at = (path: string): string => `${started.url}/_svc/ops${path}`;
  const alive = (page: Page): Promise<void> => page.locator("#ops-live:not([hidden])").waitFor({ state: "attached" });

  before(async () => {
    app = opsSample();
    started = await app.start({ host: "127.0.0.1", port: 0 });
    browser = await launchBrowser();
    failed = await runTo(app, "order", orderInput(7), "failed");
  });
  after(async () => {
    await browser.close();
    await started.close();
  });

  it("have no Copy buttons if the page may not copy, as without HTTPS", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.addInitScript("delete Navigator.prototype.clipboard");
    await page.goto(at(`/runs/${failed}?tab=raw`));
    await alive(page);
    assert.equal(await page.locator("[data-copy-id]").count(), 1);
    assert.equal(await page.getByRole("button", { name: /^Copy/ }).count(), 0);
    await tab.close();
  });

  it("report a failed copy", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.addInitScript(`navigator.clipboard.writeText = () => Promise.reject(new Error("no"))`);
    await page.goto(at(`/runs/${failed}`));
    await page.getByRole("button", { name: "Copy the ID" }).click();
    await page.getByRole("status").filter({ hasText: "Not copied: the ID" }).waitFor();
    await tab.close();
  });

  it("support shortcuts, refresh and resizable panes without storage", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.addInitScript(() =>
      Object.defineProperty(window, "localStorage", {
        get() {
          throw new DOMException("denied", "SecurityError");
        },
      }),
    );
    await page.goto(at("/settings"));
    await alive(page);
    await page.locator("#ops-shortcuts").uncheck();
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    assert.match(page.url(), /settings$/);
    await page.locator("#ops-shortcuts").check();
    await page.locator("#ops-shortcuts").blur();
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
    await page.goto(at(`/runs/${failed}`));
    const bar = page.getByRole("separator", { name: "Width of the run's views" });
    await bar.press("Home");
    assert.equal(await bar.getAttribute("aria-valuenow"), "30");
    await tab.close();
  });

  it("report the connection state, copied texts and the purpose of each Copy button to screen readers", async () => {
    const tab = await openTab(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = tab;
    await page.goto(at(`/runs/${failed}?node=charge&tab=error`));
    await page
      .getByRole("status")
      .filter({ hasText: /^live$/ })
      .waitFor();
    const names = await page
      .getByRole("button", { name: /^Copy/, includeHidden: true })
      .evaluateAll((all) => all.map((button) => button.ariaLabel ?? ""));
    assert.ok(names.includes("Copy the ID") && names.includes("Copy Error"), names.join());
    assert.equal(new Set(names).size, names.length, names.join());
    await page.getByRole("button", { name: "Copy the ID" }).click();
    await page.getByRole("status").filter({ hasText: "Copied the ID" }).waitFor();
    await page.getByRole("navigation", { name: "Details of charge" }).waitFor();
    await tab.close();
  });

  it("have a pause button for live activity with a stable name and a pressed state", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(at(""));
    const button = page.locator("[data-hold]");
    await button.click();
    assert.deepEqual([await button.textContent(), await button.getAttribute("aria-pressed")], ["Pause", "true"]);
    await button.click();
    assert.deepEqual([await button.textContent(), await button.getAttribute("aria-pressed")], ["Pause", "false"]);
    await tab.close();
  });

  it("show the role and the link to keys and times on a phone", async () => {
    const tab = await openTab(browser, { viewport: { width: 320, height: 640 } });
    const { page } = tab;
    await page.goto(at("/runs"));
    assert.ok(await page.locator(".who").getByText("operator", { exact: true }).isVisible());
    assert.ok(await page.getByRole("link", { name: "Keys and times" }).isVisible());
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await tab.close();
  });
});
