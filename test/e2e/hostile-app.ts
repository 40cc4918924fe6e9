/** The app of test/fixtures/hostile, built and started for one test file, and what disturbs a page's scripts. */
import { join } from "node:path";
import { after, before } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab, type Tab } from "./browser.ts";
import { buildDemo, root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";

/** Every script of the framework and of the app; the stub is in the page. */
const SCRIPTS = "**/_svc/**";

export interface HostileApp {
  readonly url: string;
  readonly browser: Browser;
  /** Opens a path, runs `story`, and fails when the browser complained. */
  onPage(path: string, story: (page: Page, tab: Tab) => Promise<void>): Promise<void>;
}

/** Builds and starts the app before the tests of the file that calls it, and ends all after them. */
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

/** Holds everything that matches back until it is let go. */
export async function holdBack(page: Page, what: string = SCRIPTS): Promise<() => void> {
  let release = (): void => {};
  const held = new Promise<void>((done) => (release = done));
  await page.route(what, async (route) => {
    await held;
    // A request of a page that was left is no more.
    await route.continue().catch(() => {});
  });
  // The route stays: one that is taken away forgets requests that come at that moment.
  return release;
}

/** Has everything that matches fail, a number of times in all. @returns how many have failed so far. */
export async function failing(page: Page, what: string | RegExp, times: number): Promise<() => number> {
  let failed = 0;
  await page.route(what, (route) => (failed < times ? (failed++, route.abort()) : route.continue()));
  return () => failed;
}

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** What Chromium writes to the console about every request that fails. */
export const isAboutNetwork = (complaint: string): boolean => complaint.startsWith("Failed to load resource");
