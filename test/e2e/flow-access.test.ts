/** Access of an open page to its live streams: addresses that are renewed, and access that ends. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { SimulatedClock } from "svckit/testing";
import type { App } from "svckit";
import { launchBrowser, openTab, seenAs, streamsOf } from "./browser.ts";
import { createFlowApp, Gates } from "./flow-app.ts";

const HERE = { host: "127.0.0.1", port: 0 };

let browser: Browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

async function begin(of: App): Promise<string> {
  return (await of.engine.start("order", { parcels: 3, hasNote: true })).snapshot.graph_id;
}

const isLive = (page: Page) => page.waitForSelector("svc-live[data-live]");
const nodeAt = (page: Page, name: string, status: string) =>
  page.waitForSelector(`.svc-node[data-status="${status}"] [data-node="${name}"]`);

/** Runs in the page: records what live regions announce about the connection. */
function hearStates(): void {
  const heard: string[] = ((window as unknown as { heard: string[] }).heard = []);
  const ears = document.querySelectorAll("[role=status]");
  const hear = new MutationObserver((changes) => {
    for (const { target } of changes)
      if (!/nodes? done/.test(target.textContent ?? "")) heard.push(target.textContent ?? "");
  });
  for (const ear of ears) hear.observe(ear, { childList: true, characterData: true, subtree: true });
}

describe("The widgets of an open page", () => {
  it("get a new address every five minutes without a sign of it, and when the page was hidden for hours", async () => {
    const own = new Gates();
    const clock = new SimulatedClock(Date.now());
    const timed = createFlowApp(own, { clock });
    const site = await timed.start(HERE);
    const id = await begin(timed);
    const tab = await openTab(browser);
    const { page } = tab;
    await page.clock.install();
    const streams = streamsOf(page);
    await page.goto(`${site.url}/jobs/${id}`);
    await isLive(page);
    await nodeAt(page, "check-fraud", "running");
    await page.evaluate(hearStates);
    await clock.advance(5 * 60_000);
    own.open(id, "check-fraud");
    await nodeAt(page, "check-fraud", "done");
    assert.equal(streams.length, 2);
    assert.notEqual(new URL(streams[0] ?? "").searchParams.get("on"), new URL(streams[1] ?? "").searchParams.get("on"));
    await seenAs(page, false);
    const left = page.waitForEvent("requestfailed", (request) => request.url() === streams[1]);
    await page.clock.fastForward(10_000);
    await left;
    await clock.advance(4 * 3_600_000);
    own.open(id, "charge-card", "pack-parcel");
    await seenAs(page, true);
    await nodeAt(page, "approve", "waiting");
    const heard = await page.evaluate(() => (window as unknown as { heard: string[] }).heard);
    assert.deepEqual(
      heard.filter((said) => /reload|over/.test(said)),
      [],
    );
    assert.deepEqual(
      tab.takeComplaints().filter((line) => !/401/.test(line)),
      [],
    );
    await tab.leave();
    await site.close();
  });

  it("say that the page must be reloaded once the visitor has lost access to it", async () => {
    const clock = new SimulatedClock(Date.now());
    const timed = createFlowApp(new Gates(), { clock });
    const site = await timed.start(HERE);
    const id = await begin(timed);
    const tab = await openTab(browser);
    await tab.page.goto(`${site.url}/shared/${id}?token=${timed.graphToken(id, "read")}`);
    await isLive(tab.page);
    await clock.advance(25 * 3_600_000);
    await timed.engine.cancel(id);
    await tab.page.locator(".svc-flow .svc-pill", { hasText: "reload to continue" }).waitFor();
    await tab.leave();
    await site.close();
  });
});
