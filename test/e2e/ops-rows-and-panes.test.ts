/** State of the visitor that the operator screens keep: rows in use, and resized panes. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { App, Started } from "svckit";
import { opsSample, orderInput, runTo } from "../contract/ops-app.ts";
import { launchBrowser, openTab, seriousViolations } from "./browser.ts";

let app: App;
let started: Started;
let browser: Browser;

const at = (path: string): string => `${started.url}/_svc/ops${path}`;

before(async () => {
  app = opsSample();
  started = await app.start({ host: "127.0.0.1", port: 0 });
  browser = await launchBrowser();
});
after(async () => {
  await browser.close();
  await started.close();
});

/** Waits until the script has started. */
function alive(page: Page): Promise<void> {
  return page.locator("#ops-live:not([hidden])").waitFor({ state: "attached" });
}

/** Starts a run of a worker with low concurrency. */
async function queued(): Promise<string> {
  return (await app.engine.start("sync-catalogue", null)).snapshot.graph_id;
}

describe("The runs list", () => {
  it("does not jump while the visitor has scrolled down: new rows are counted, and shown on request", async () => {
    const tab = await openTab(browser, { viewport: { width: 900, height: 300 } });
    const { page } = tab;
    for (const number of [17, 27, 37]) await runTo(app, "order", orderInput(number), "failed");
    await page.goto(at("/runs?worker=order"));
    await alive(page);
    await page.locator(".bulk").scrollIntoViewIfNeeded();
    const id = await runTo(app, "order", orderInput(57), "failed");
    await page.getByRole("button", { name: "1 new" }).click();
    await page.locator(`a[title="${id}"]`).waitFor();
    assert.equal(await page.evaluate(() => scrollY), 0);
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Keyboard" }).waitFor();
    await tab.close();
  });

  it("keeps its rows while some are selected: a button counts new ones, and showing them keeps the selection", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    const first = await queued();
    await page.goto(at("/runs?worker=sync-catalogue"));
    await alive(page);
    await page.getByRole("checkbox", { name: `Select ${first}` }).check();
    const links = () =>
      page.locator("tbody [data-row]").evaluateAll((all) => all.map((link) => link.getAttribute("title")));
    const before = await links();
    const [second, third] = [await queued(), await queued()];
    const button = page.getByRole("status").getByRole("button", { name: "2 new" });
    await button.waitFor();
    assert.deepEqual(await links(), before);
    await app.engine.cancel(first);
    await app.engine.cancel(second);
    await button.press("Enter");
    await page.locator(`a[title="${third}"]`).waitFor();
    assert.deepEqual(await links(), [third, second, ...before]);
    assert.ok(await page.getByRole("checkbox", { name: `Select ${first}` }).isChecked());
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("title")), third);
    assert.equal(await button.count(), 0);
    await app.engine.cancel(third);
    await tab.close();
  });

  it("keeps updating the rows that it keeps", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    const [ticked, other] = [await queued(), await queued()];
    await page.goto(at("/runs?worker=sync-catalogue"));
    await alive(page);
    await page.getByRole("checkbox", { name: `Select ${ticked}` }).check();
    await app.engine.cancel(other);
    await page
      .locator("tr", { has: page.locator(`a[title="${other}"]`) })
      .locator(".svc-status-word", { hasText: "cancelled" })
      .waitFor();
    assert.ok(await page.getByRole("checkbox", { name: `Select ${ticked}` }).isChecked());
    await app.engine.cancel(ticked);
    await tab.close();
  });
});

describe("The panes of a run", () => {
  it("can be resized by dragging and by keyboard, are remembered, and are reset by a double click", async () => {
    const tab = await openTab(browser, { viewport: { width: 1400, height: 900 } });
    const { page } = tab;
    await page.goto(at(`/runs/${await runTo(app, "order", orderInput(3), "done")}`));
    const bar = page.getByRole("separator", { name: "Width of the run's views" });
    const share = async () => Number(await bar.getAttribute("aria-valuenow"));
    const usual = await share();
    await bar.focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await share(), usual - 2);
    await page.keyboard.press("Home");
    assert.equal(await share(), 30);
    await page.keyboard.press("End");
    assert.equal(await share(), 80);
    const box = (await bar.boundingBox()) ?? assert.fail("no bar");
    await page.mouse.move(box.x + box.width / 2, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(800, box.y + 100, { steps: 3 });
    await page.mouse.up();
    const dragged = await share();
    assert.ok(dragged > 30 && dragged < 80, String(dragged));
    const width = async () => (await page.locator(".inspector").boundingBox())?.width ?? 0;
    const chosen = await width();
    await page.reload();
    await bar.waitFor();
    assert.deepEqual([await share(), await width()], [dragged, chosen]);
    assert.deepEqual(await seriousViolations(page), []);
    await bar.dblclick();
    assert.equal(await share(), usual);
    await page.reload();
    await bar.waitFor();
    assert.equal(await share(), usual);
    await page.setViewportSize({ width: 360, height: 740 });
    assert.ok(await bar.isHidden());
    await tab.close();
  });
});
