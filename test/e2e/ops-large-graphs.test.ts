/** A run with many nodes on the operator screens: navigation between failed nodes, and the map. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import type { App, Started } from "svckit";
import { graph, worker } from "svckit/graph";
import { opsSample, runTo } from "../contract/ops-app.ts";
import { launchBrowser, openTab, seriousViolations } from "./browser.ts";

/** Ranks and nodes per rank; some nodes fail. */
const [RANKS, SLOTS] = [10, 7];
const FAILING = ["n0-3", "n4-1", "n9-6"];

const check = worker("check", { retry: { max: 1 } }, (name: string) => {
  if (FAILING.includes(name)) throw new Error(`${name} is broken`);
  return name;
});
const large = graph("large", (g) => {
  const refs = Array.from({ length: RANKS * SLOTS }, (_, at) => {
    const name = `n${Math.floor(at / SLOTS)}-${at % SLOTS}`;
    return g.node(name, check, { input: () => name, onError: "continue" });
  });
  return g.node(
    "end",
    worker("end", () => "ended"),
    { after: refs },
  );
});

let app: App;
let started: Started;
let browser: Browser;
let run: string;

before(async () => {
  app = opsSample({ more: { graphs: [large] } });
  started = await app.start({ host: "127.0.0.1", port: 0 });
  browser = await launchBrowser();
  run = await runTo(app, "large", null, "done");
});
after(async () => {
  await browser.close();
  await started.close();
});

const runUrl = (query = ""): string => `${started.url}/_svc/ops/runs/${run}${query}`;
const nodeIn = (url: string): string | null => new URL(url).searchParams.get("node");

describe("The failed nodes of a run", () => {
  for (const javaScriptEnabled of [true, false])
    it(`are connected by links ${javaScriptEnabled ? "and by the keys [ and ]" : "without script"}`, async () => {
      const tab = await openTab(browser, { javaScriptEnabled });
      const { page } = tab;
      await page.goto(runUrl());
      await page.getByText("3 failed", { exact: true }).waitFor();
      const step = async (key: "[" | "]"): Promise<string | null> => {
        const here = page.url();
        if (javaScriptEnabled) {
          await page.locator("#ops-live:not([hidden])").waitFor({ state: "attached" });
          await page.keyboard.press(key);
        } else
          await page.getByRole("link", { name: key === "]" ? "Next failed node" : "Previous failed node" }).click();
        await page.waitForURL((url) => url.href !== here);
        return nodeIn(page.url());
      };
      const seen: (string | null)[] = [];
      for (const key of ["]", "]", "]", "]", "["] as const) seen.push(await step(key));
      assert.deepEqual(seen, [...FAILING, FAILING[0], FAILING[2]]);
      await page.getByText("3 of 3 failed", { exact: true }).waitFor();
      await page.getByText("n9-6 is broken").first().waitFor();
      await tab.close();
    });
});

describe("The map of a large graph", () => {
  it("is rendered by the server in the colors of all nodes, and works without script", async () => {
    const tab = await openTab(browser, { javaScriptEnabled: false });
    const { page } = tab;
    await page.goto(runUrl());
    const map = page.locator(".svc-map");
    assert.equal(await map.locator("rect").count(), RANKS * SLOTS + 1);
    assert.equal(await map.locator('rect[data-tone="bad"]').count(), FAILING.length);
    assert.ok(await map.isVisible());
    await tab.close();
  });

  it("marks the visible part, and pans by clicking and dragging, accessibly in both themes", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const tab = await openTab(browser, { colorScheme, viewport: { width: 1280, height: 900 } });
      const { page } = tab;
      await page.goto(runUrl());
      const map = page.locator(".svc-tools .svc-map");
      await map.locator(".svc-sight").waitFor({ state: "attached" });
      const box = (await map.boundingBox()) ?? assert.fail("there is no map");
      const view = page.locator(".svc-view");
      const top = (): Promise<number> => view.evaluate((element) => element.scrollTop);
      const sight = (): Promise<string | null> => map.locator(".svc-sight").getAttribute("d");
      const before = await sight();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height - 2);
      await page.mouse.down();
      const clicked = await top();
      assert.ok(clicked > 0, "a click pans");
      await page.mouse.move(box.x + box.width / 2, box.y + 2, { steps: 4 });
      await page.mouse.up();
      assert.ok((await top()) < clicked, "dragging pans back");
      await page.mouse.move(box.x + box.width / 2, box.y + box.height - 2);
      assert.ok((await top()) < clicked, "dragging ends with the button");
      await view.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await page.waitForFunction((old) => document.querySelector(".svc-sight")?.getAttribute("d") !== old, before);
      assert.deepEqual(await seriousViolations(page), []);
      await page.setViewportSize({ width: 360, height: 800 });
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
      await tab.close();
    }
  });
});
