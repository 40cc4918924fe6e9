/** Instances that the browser creates and removes leave no memory behind: 10,000 at a time, measured in Chromium after garbage collections. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, CDPSession, Page } from "playwright-core";
import { launchBrowser, openTab } from "./browser.ts";
import { startBuilt, type BuiltApp } from "./built-app.ts";

/** Instances that one click of the page creates and removes: rows, and a component inside each. */
const INSTANCES = 10_000;
const ROUNDS = 3;
/** One reference kept per instance would be more than this. */
const MAX_BYTES_PER_INSTANCE = 16;

interface Usage {
  heapBytes: number;
  nodes: number;
  listeners: number;
}

let app: BuiltApp;
let browser: Browser;

before(async () => {
  app = await startBuilt("memory");
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await app?.close();
});

async function usageOf(session: CDPSession): Promise<Usage> {
  // What the first collection finalizes, the second one frees.
  for (let time = 0; time < 2; time++) await session.send("HeapProfiler.collectGarbage");
  const { usedSize: heapBytes } = await session.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners: listeners } = await session.send("Memory.getDOMCounters");
  return { heapBytes, nodes, listeners };
}

async function run(page: Page, round: number): Promise<void> {
  await page.click("#run");
  await page.locator("output", { hasText: String(round) }).waitFor();
}

/** @returns growth over all rounds but the first, which loads code and fills caches */
async function growthOf(path: string): Promise<Usage & { live: unknown; created: unknown }> {
  const tab = await openTab(browser);
  const session = await tab.page.context().newCDPSession(tab.page);
  await tab.page.goto(app.url + path);
  await run(tab.page, 1);
  const first = await usageOf(session);
  for (let round = 2; round <= ROUNDS + 1; round++) await run(tab.page, round);
  const last = await usageOf(session);
  const [live, created] = await tab.page.evaluate(() => [Reflect.get(window, "live"), Reflect.get(window, "created")]);
  await tab.close();
  return {
    heapBytes: last.heapBytes - first.heapBytes,
    nodes: last.nodes - first.nodes,
    listeners: last.listeners - first.listeners,
    live,
    created,
  };
}

describe("10,000 instances that the browser creates and removes", () => {
  it("leave no memory, nodes, listeners or effects behind", async () => {
    const { heapBytes, nodes, listeners, live, created } = await growthOf("/");
    assert.equal(created, (INSTANCES / 2) * (ROUNDS + 1), "each row ran its effect once");
    assert.equal(live, 0, "the effect of each row has ended");
    assert.equal(nodes, 0);
    assert.equal(listeners, 0);
    const perInstance = heapBytes / (INSTANCES * ROUNDS);
    assert.ok(perInstance < MAX_BYTES_PER_INSTANCE, `${perInstance} bytes of heap are left by each instance`);
  });

  it("are measured: rows that keep their element each are detected", async () => {
    const { heapBytes } = await growthOf("/leak");
    assert.ok(heapBytes / (INSTANCES * ROUNDS) > MAX_BYTES_PER_INSTANCE, String(heapBytes));
  });
});
