/** The files of a run in a browser: images are shown under the screens' CSP, and the tab is accessible. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { Browser } from "playwright-core";
import type { App, Started } from "svckit";
import { filesApp } from "../contract/artifacts-app.ts";
import { runTo } from "../contract/ops-app.ts";
import { launchBrowser, openTab, seriousViolations } from "./browser.ts";

let app: App;
let started: Started;
let browser: Browser;

before(async () => {
  app = filesApp();
  started = await app.start({ host: "127.0.0.1", port: 0 });
  browser = await launchBrowser();
});
after(async () => {
  await browser.close();
  await started.close();
});

for (const colorScheme of ["light", "dark"] as const)
  it(`The files of a run are visible and accessible (axe), ${colorScheme}, from 360 px on`, async () => {
    const id = await runTo(app, "print-labels", null, "done");
    const tab = await openTab(browser, { colorScheme, viewport: { width: 360, height: 740 } });
    const { page } = tab;
    await page.goto(`${started.url}/_svc/ops/runs/${id}?tab=artifacts`);
    const picture = page.getByRole("img", { name: "Image label.bin" });
    await picture.scrollIntoViewIfNeeded();
    await page.waitForFunction("document.querySelector('img.artifact').naturalWidth === 1");
    assert.ok(await page.getByRole("region", { name: "Content of table.bin" }).isVisible());
    assert.deepEqual(await seriousViolations(page), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    const download = page.waitForEvent("download");
    await page.getByRole("listitem").filter({ hasText: "list.csv" }).getByRole("link", { name: "Download" }).click();
    assert.equal((await download).suggestedFilename(), "list.csv");
    await tab.close();
  });
