/** Bytes and response times of a page, measured in Chromium. */
import type { Browser, Page } from "playwright-core";
import { gzipBytes } from "./front.ts";

/** Bytes of bodies, gzip at level 9. */
export interface Loaded {
  htmlBytes: number;
  /** Scripts fetched before any input, and until the first click has had its effect. Inline scripts count as HTML. */
  scriptBytesBefore: number;
  scriptBytesAfter: number;
  requestsBefore: number;
  requestsAfter: number;
}

/** Between Chromium's slow and fast 3G. */
const NETWORK = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
/** A click without effect after this time counts as lost. */
const LOST_MS = 8000;

declare global {
  interface Window {
    /** Times of the click and of the first change after it. */
    svcBench: { clicked?: number; before?: string | undefined; changed?: number };
  }
}

/** Runs in the page before its scripts. */
function watch(): void {
  const times: Window["svcBench"] = {};
  window.svcBench = times;
  const shown = (): string | undefined => document.querySelector("output")?.textContent ?? undefined;
  const look = (): void => {
    if (times.clicked !== undefined && times.changed === undefined && shown() !== times.before) {
      times.changed = performance.now();
    }
  };
  addEventListener(
    "click",
    (event) => {
      if (times.clicked !== undefined) return;
      times.clicked = event.timeStamp;
      times.before = shown();
    },
    true,
  );
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
}

/** Moves the mouse to the element and clicks. */
async function click(page: Page, selector: string): Promise<void> {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${page.url()} has no ${selector} to click`);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

async function open(browser: Browser): Promise<Page> {
  const context = await browser.newContext();
  await context.addInitScript(watch);
  return context.newPage();
}

const hasChanged = (): boolean => window.svcBench.changed !== undefined;

export async function measureLoad(browser: Browser, url: string, selector: string): Promise<Loaded> {
  const page = await open(browser);
  const bodies: Promise<{ isHtml: boolean; bytes: number }>[] = [];
  page.on("response", (response) => {
    if (response.url().endsWith("/favicon.ico")) return;
    const isHtml = response.request().resourceType() === "document";
    bodies.push(response.body().then((body) => ({ isHtml, bytes: gzipBytes(body) })));
  });
  await page.goto(url, { waitUntil: "networkidle" });
  const before = await Promise.all(bodies);
  await click(page, selector);
  await page.waitForFunction(hasChanged, undefined, { timeout: LOST_MS });
  await page.waitForLoadState("networkidle");
  const after = await Promise.all(bodies);
  await page.context().close();
  const scripts = (all: typeof after): number =>
    all.filter(({ isHtml }) => !isHtml).reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    htmlBytes: after.find(({ isHtml }) => isHtml)?.bytes ?? 0,
    scriptBytesBefore: scripts(before),
    scriptBytesAfter: scripts(after),
    requestsBefore: before.length - 1,
    requestsAfter: after.length - 1,
  };
}

/** Processor slowdown for script times. */
const SLOWDOWN = 4;

/** Milliseconds of the page's scripts on a slow processor. */
export interface ScriptTimes {
  load: number;
  /** During the first click. */
  click: number;
}

export async function measureScript(browser: Browser, url: string, selector: string): Promise<ScriptTimes> {
  const page = await open(browser);
  const session = await page.context().newCDPSession(page);
  await session.send("Profiler.enable");
  await session.send("Profiler.setSamplingInterval", { interval: 250 });
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  await session.send("Profiler.start");
  // On a slow processor the network can be idle before the modules that it brought have run, but a page has not loaded before they have.
  await page.goto(url, { waitUntil: "load" });
  await page.waitForLoadState("networkidle");
  const load = scriptTime((await session.send("Profiler.stop")).profile, new URL(url).origin);
  await session.send("Profiler.start");
  await click(page, selector);
  await page.waitForFunction(hasChanged, undefined, { timeout: LOST_MS });
  const toggle = scriptTime((await session.send("Profiler.stop")).profile, new URL(url).origin);
  await page.context().close();
  return { load, click: toggle };
}

/** Output of Chromium's profiler: a tree of frames, and the top frame of each sample. */
interface Profile {
  nodes: { id: number; callFrame: { url: string }; children?: number[] }[];
  samples?: number[];
  timeDeltas?: number[];
}

/** Milliseconds in scripts of the page and their callees. The protocol's own script time excludes promises. */
function scriptTime({ nodes, samples = [], timeDeltas = [] }: Profile, origin: string): number {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const own = new Set<number>();
  const visit = (id: number, isInside: boolean): void => {
    const node = byId.get(id);
    const isOwn = isInside || (node?.callFrame.url.startsWith(origin) ?? false);
    if (isOwn) own.add(id);
    for (const child of node?.children ?? []) visit(child, isOwn);
  };
  const [root] = nodes;
  if (root) visit(root.id, false);
  const us = samples.reduce((sum, id, at) => sum + (own.has(id) ? (timeDeltas[at] ?? 0) : 0), 0);
  return us / 1000;
}

/**
 * Milliseconds from the click to the changed document on a slow network; undefined for a lost click.
 * @param isEarly clicks as soon as the element is visible, otherwise when the page is idle
 */
export async function measureAnswer(
  browser: Browser,
  url: string,
  selector: string,
  isEarly: boolean,
): Promise<number | undefined> {
  const page = await open(browser);
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", NETWORK);
  try {
    await page.goto(url, { waitUntil: isEarly ? "commit" : "networkidle" });
    if (isEarly) await page.waitForSelector(selector, { state: "visible" });
    await click(page, selector);
    await page.waitForFunction(hasChanged, undefined, { timeout: LOST_MS });
    const { clicked = 0, changed = 0 } = await page.evaluate(() => window.svcBench);
    return changed - clicked;
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") return undefined;
    throw error;
  } finally {
    await page.context().close();
  }
}
