/** Keyboard shortcuts on the operator screens: no key triggers an action by accident. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { App, Started } from "svckit";
import { opsSample, orderInput, runTo, until } from "../contract/ops-app.ts";
import { launchBrowser, openTab } from "./browser.ts";

/** From here on, submissions are recorded instead of sent. */
function notSending(page: Page): Promise<void> {
  return page.evaluate(() => {
    document.body.dataset["sent"] = "";
    addEventListener("submit", (event) => {
      event.preventDefault();
      document.body.dataset["sent"] += `${event.submitter?.textContent ?? "Enter"},`;
    });
  });
}

function sent(page: Page): Promise<string | null> {
  return page.locator("body").getAttribute("data-sent");
}

describe("Keys on the operator screens", () => {
  let app: App;
  let started: Started;
  let browser: Browser;
  let failed: string;
  let running: string;
  let webhook: string;
  let delivery: string;

  const at = (path: string): string => `${started.url}/_svc/ops${path}`;

  before(async () => {
    app = opsSample({ more: { demo: true } });
    started = await app.start({ host: "127.0.0.1", port: 0 });
    browser = await launchBrowser();
    failed = await runTo(app, "order", orderInput(7), "failed");
    running = (await app.engine.start("sync-catalogue", null)).snapshot.graph_id;
    await until(async () => (await app.engine.snapshot(running))?.phase === "running", "the run to start");
    const { registration } = await app.webhooks.create({
      url: `${started.url}/_svc/demo/webhook-inbox`,
      events: ["graph.done"],
    });
    webhook = registration.id;
    delivery = (await app.webhooks.ping(webhook)).delivery_id;
  });
  after(async () => {
    await browser.close();
    await started.close();
  });

  it("do not submit a form with several buttons by Enter in its reason field", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    const screens: readonly (readonly [path: string, step: string])[] = [
      [`/runs/${running}`, "Cancel"],
      [`/runs/${failed}?node=charge`, "Within this run"],
      [`/webhooks/${webhook}`, "Disable"],
      [`/deliveries/${delivery}`, "Resend"],
    ];
    for (const [path, step] of screens) {
      await page.goto(at(path));
      await notSending(page);
      for (const again of await page.locator(".again > summary").all()) await again.click();
      const form = page.locator("form", { has: page.getByRole("button", { name: step, exact: true }) });
      await form.getByLabel(/^Reason/).fill("stuck, cancel it");
      await form.getByLabel(/^Reason/).press("Enter");
      assert.equal(await sent(page), "", path);
      await form.getByRole("button", { name: step, exact: true }).click();
      assert.equal(await sent(page), `${step},`, path);
    }
    await tab.close();
  });

  it("focus an action that Enter then submits, and directly toggle what only changes the page", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    const steps: readonly (readonly [path: string, key: string, step: string])[] = [
      [`/runs/${running}`, "p", "Pause"],
      [`/runs/${running}`, "c", "Cancel"],
      [`/runs/${failed}`, "t", "Retry"],
      [`/deliveries/${delivery}`, "r", "Resend"],
    ];
    for (const [path, key, step] of steps) {
      await page.goto(at(path));
      await page.locator("#ops-live:not([hidden])").waitFor({ state: "attached" });
      await notSending(page);
      await page.keyboard.press(key);
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), step);
      assert.equal(await sent(page), "", path);
      await page.keyboard.press("Enter");
      assert.equal(await sent(page), `${step},`, path);
    }
    await page.goto(at(`/runs/${failed}`));
    await page.locator("#ops-live:not([hidden])").waitFor({ state: "attached" });
    await page.keyboard.press("r");
    assert.equal(await page.locator(".again").getAttribute("open"), "");
    const follow = page.getByRole("button", { name: "Follow", exact: true });
    await follow.waitFor();
    for (const isOn of ["true", "false"]) {
      await page.keyboard.press("f");
      assert.equal(await follow.getAttribute("aria-pressed"), isOn);
    }
    await tab.close();
  });
});
