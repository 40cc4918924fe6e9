/** The showcase of the widgets (test/fixtures/ui), built and started once for all their tests, in one browser. */
import { after, before } from "node:test";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { launchBrowser, openTab, type Tab } from "./browser.ts";
import { startBuilt, type BuiltApp } from "./built-app.ts";

let app: BuiltApp;
let browser: Browser;

before(async () => {
  app = await startBuilt("ui");
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.close();
});

/** The address of the showcase. */
export const siteUrl = (): string => app.url;

export const newTab = (options: BrowserContextOptions): Promise<Tab> => openTab(browser, options);
