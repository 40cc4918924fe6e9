/** A run of many nodes on the operators' screens: its failed nodes one after the other, and its picture in small. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import type { App, Started } from "svc";
import { graph, worker } from "svc/graph";
import { opsSample, runTo } from "../contract/ops-app.ts";
import { launchBrowser, openTab } from "./browser.ts";

/** Of both, some that fail. */
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

describe("the failed nodes of a run", () => {
  for (const javaScriptEnabled of [true, false])
    it(`are gone through by links ${javaScriptEnabled ? "and by the keys [ and ]" : "without script"}`, async () => {
      const tab = await openTab(browser, { javaScriptEnabled });
      const { page } = tab;
      await page.goto(runUrl());
      await page.getByText("3 failed", { exact: true }).waitFor();
      const step = async (key: "[" | "]"): Promise<string | null> => {
        const here = page.url();
        if (javaScriptEnabled) {
          await page.locator("#ops-live:not([hidden])").waitFor({ state: "attached" });
          await page.keyboard.press(key);
        } else await page.getByRole("link", { name: key === "]" ? "Failed node after" : "Failed node before" }).click();
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
