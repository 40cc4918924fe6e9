/**
 * A visitor's waiting times for the first page and for linked pages, at a quarter of the processor's speed and 40 ms from the server, like
 * a phone. The pointer is on a link for 100 ms before the click, so that routers can prefetch.
 */
import type { Browser, Page } from "playwright-core";

/** Milliseconds. */
export interface Times {
  /** Until the first page is painted. */
  painted: number;
  /** Until it has loaded, including its scripts. */
  loaded: number;
  /** From the click on a link to the heading of the second page on the screen, and of the third. */
  first: number;
  second: number;
}

const SLOWDOWN = 4;
const NETWORK = { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };
const POINTED_MS = 100;

/** @param url of the first page; each visit starts without cache */
export async function measureTimes(browser: Browser, url: string): Promise<Times> {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", NETWORK);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  await page.addInitScript(watchHeadings);
  await page.goto(url, { waitUntil: "load" });
  const { painted, loaded } = await page.evaluate(firstPage);
  await page.waitForLoadState("networkidle");
  const first = await followed(page, "List");
  await page.waitForLoadState("networkidle");
  const second = await followed(page, "About");
  await context.close();
  return { painted, loaded, first, second };
}

/** Runs in every document: records when the expected heading is painted. Documents have different clocks, so times are absolute. */
function watchHeadings(): void {
  const look = (): void => {
    const wanted = sessionStorage.getItem("wanted");
    if (wanted === null || !document.querySelector("h1")?.textContent?.includes(wanted)) return;
    requestAnimationFrame(() =>
      setTimeout(() => {
        // The first frame counts; if the document is replaced before, the first frame of the next one.
        if (sessionStorage.getItem("wanted") === null) return;
        sessionStorage.removeItem("wanted");
        sessionStorage.setItem("shown", String(performance.timeOrigin + performance.now()));
      }),
    );
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
}

function firstPage(): Promise<{ painted: number; loaded: number }> {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return new Promise((resolve) => {
    const look = (): void => {
      const paint = performance.getEntriesByName("first-contentful-paint")[0];
      const loaded = navigation?.loadEventEnd ?? 0;
      if (paint && loaded > 0) resolve({ painted: paint.startTime, loaded });
      else setTimeout(look, 20);
    };
    look();
  });
}

async function followed(page: Page, name: string): Promise<number> {
  const link = page.locator("nav a", { hasText: name });
  await link.hover();
  await page.waitForTimeout(POINTED_MS);
  const clicked = await link.evaluate((element, wanted) => {
    sessionStorage.removeItem("shown");
    sessionStorage.setItem("wanted", wanted);
    const now = performance.timeOrigin + performance.now();
    (element as HTMLElement).click();
    return now;
  }, name);
  await page.locator("h1", { hasText: name }).waitFor();
  const shown = await page.waitForFunction(() => sessionStorage.getItem("shown"));
  return Number(await shown.jsonValue()) - clicked;
}
