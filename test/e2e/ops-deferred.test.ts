/** The page of a running bulk action, in both themes, on desktop and phone. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import type { App, Started } from "svckit";
import { opsSample } from "../contract/ops-app.ts";
import { launchBrowser, openTab, seriousViolations } from "./browser.ts";

const LONG_REASON = `The worker "${"import-of-the-catalogue-".repeat(6)}" is not known here`;

describe("A running bulk action", () => {
  let app: App;
  let started: Started;
  let browser: Browser;
  let path: string;
  let end: () => void;

  before(async () => {
    app = opsSample();
    started = await app.start({ host: "127.0.0.1", port: 0 });
    browser = await launchBrowser();
    const ended = new Promise<void>((resolve) => (end = resolve));
    const reasons = [
      ["it is failed; cancel needs it to be pending, running or paused", 17],
      [LONG_REASON, 2],
    ];
    let isReported = (): void => undefined;
    const reported = new Promise<void>((resolve) => (isReported = resolve));
    const { id, dueMs } = app.operations.hold("1ms", async ({ notify }) => {
      await notify({ changed: 412, refused: 19, reasons, at_ms: app.operations.nowMs() });
      isReported();
      await ended;
    });
    const data = { step: "cancel", count: 1204, query: "status=running", due_ms: dueMs };
    await app.operations.record("bulk.held", id, { by: "ada" }, data);
    await reported;
    path = `${started.url}/_svc/ops/held/${id}`;
  });
  after(async () => {
    end();
    await browser.close();
    await started.close();
  });

  for (const [colorScheme, rules] of [["light"], ["dark", ["color-contrast"]]] as const)
    it(`has an accessible progress bar and reasons (axe), ${colorScheme}, from 320 px on`, async () => {
      const tab = await openTab(browser, { colorScheme, viewport: { width: 1280, height: 900 } });
      const { page } = tab;
      await page.goto(path);
      for (const width of [1280, 320]) {
        await page.setViewportSize({ width, height: 800 });
        await page.getByRole("progressbar", { name: "Progress" }).waitFor();
        await page.getByText("431 of 1,204 so far: 412 changed, 19 did not allow it.").waitFor();
        await page.getByRole("list", { name: "Why some did not allow it" }).getByText(LONG_REASON).waitFor();
        assert.deepEqual(await seriousViolations(page, rules), []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px`);
      }
      await tab.close();
    });
});
