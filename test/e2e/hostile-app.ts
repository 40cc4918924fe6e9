/** The app of test/fixtures/hostile, built and started for one test file, with helpers that disturb a page's scripts. */
import { join } from "node:path";
import { after, before } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab, type Tab } from "./browser.ts";
import { buildDemo, root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";

/** Every script of the framework and of the app. The stub is inline. */
const SCRIPTS = "**/_svc/**";

export interface HostileApp {
  readonly url: string;
  readonly browser: Browser;
  /** Opens a path, runs `story`, and fails on any browser error. */
  onPage(path: string, story: (page: Page, tab: Tab) => Promise<void>): Promise<void>;
}

/** Builds and starts the app before the tests of the calling file, and stops everything after them. */
export function hostileApp(env: Record<string, string> = {}): HostileApp {
  const app = join(root, "test/fixtures/hostile");
  const folder = temporaryFolder();
  let server: DemoServer;
  let browser: Browser;
  before(async () => {
    await buildDemo(app);
    server = await startDemo({ app, dataDir: join(folder.path, "data"), env });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    folder.remove();
  });
  return {
    get url() {
      return server.url;
    },
    get browser() {
      return browser;
    },
    async onPage(path, story) {
      const tab = await openTab(browser);
      await tab.page.goto(server.url + path);
      await story(tab.page, tab);
      await tab.close();
    },
  };
}

/** Delays all matching requests until the returned function is called. */
export async function holdBack(page: Page, what: string = SCRIPTS): Promise<() => void> {
  let release = (): void => {};
  const held = new Promise<void>((done) => (release = done));
  await page.route(what, async (route) => {
    await held;
    // The page may have been left, and its request cancelled.
    await route.continue().catch(() => {});
  });
  // The route stays: removing it would lose requests that arrive at that moment.
  return release;
}

/** Fails the given number of matching requests. @returns the number of failed requests so far */
export async function failing(page: Page, what: string | RegExp, times: number): Promise<() => number> {
  let failed = 0;
  await page.route(what, (route) => (failed < times ? (failed++, route.abort()) : route.continue()));
  return () => failed;
}

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** The message that Chromium logs for every failed request. */
export const isAboutNetwork = (complaint: string): boolean => complaint.startsWith("Failed to load resource");
