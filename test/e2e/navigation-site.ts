/** The app of test/fixtures/navigation, built and started for one test file, with helpers for its pages. */
import { after, before } from "node:test";
import type { Browser, BrowserContextOptions, Page, Request, Route } from "playwright-core";
import { launchBrowser, openTab, type Tab } from "./browser.ts";
import { startBuilt, type BuiltApp } from "./built-app.ts";

export interface NavigationSite {
  readonly url: string;
  readonly browser: Browser;
  /** Opens a page and waits for its scripts. */
  openScripted(path: string, options?: BrowserContextOptions): Promise<Tab>;
  /** The paths of pages that the page fetches for navigation, in order. */
  fetchesOf(page: Page): string[];
  pathOf(page: Page): string;
}

/** Builds and starts the app before the tests of the calling file, and stops everything after them. */
export function navigationSite(): NavigationSite {
  let app: BuiltApp;
  let browser: Browser;
  before(async () => {
    app = await startBuilt("navigation");
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });
  return {
    get url() {
      return app.url;
    },
    get browser() {
      return browser;
    },
    async openScripted(path, options = {}) {
      const tab = await openTab(browser, { reducedMotion: "reduce", ...options });
      // A marker that survives as long as the page is not reloaded.
      await tab.page.addInitScript("self.isSame = false");
      await tab.page.goto(app.url + path, { waitUntil: "networkidle" });
      await tab.page.evaluate("self.isSame = true");
      return tab;
    },
    fetchesOf(page) {
      const paths: string[] = [];
      page.on("request", (request) => isFetch(request) && paths.push(request.url().slice(app.url.length)));
      return paths;
    },
    pathOf: (page) => page.url().slice(app.url.length),
  };
}

export const isSame = (page: Page): Promise<unknown> => page.evaluate("self.isSame");
export const heading = (page: Page, text: string): Promise<void> => page.locator("h1", { hasText: text }).waitFor();
export const follow = (page: Page, path: string): Promise<void> => page.locator(`a[href="${path}"]`).first().click();
export const isFetch = (request: Request): boolean => "x-svc-navigation" in request.headers();

/** Delays fetches of a path until the returned function is called. */
export async function hold(page: Page, path: string): Promise<() => Promise<void>> {
  const held: Route[] = [];
  let isHeld = true;
  await page.route(
    (url) => url.pathname === path,
    (route) => (isHeld && isFetch(route.request()) ? void held.push(route) : route.continue()),
  );
  return async () => {
    isHeld = false;
    // Cancelled requests can't continue.
    await Promise.all(held.map((route) => route.continue().catch(() => undefined)));
  };
}
