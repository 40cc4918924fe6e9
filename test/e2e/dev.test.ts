/** `svc dev` as an author meets it: an open page follows the source and keeps what was done in it. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab, type Tab } from "./browser.ts";
import { startDevApp, type DevApp } from "./dev-app.ts";

const DESK = "pages/desk.tsx";

let app: DevApp;
let browser: Browser;
let tab: Tab;
let page: Page;
let original: Record<string, string>;
let loads: number;

before(async () => {
  app = await startDevApp("follow");
  original = Object.fromEntries([DESK, "app.tsx", "words.ts", "public/desk.css"].map((file) => [file, app.read(file)]));
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await app?.stop();
});

beforeEach(async () => {
  tab = await openTab(browser);
  ({ page } = tab);
  loads = 0;
  page.on("domcontentloaded", () => loads++);
  await page.goto(`${app.url}/desk`);
});

afterEach(async () => {
  await tab.close();
  for (const [file, text] of Object.entries(original)) if (app.read(file) !== text) app.write(file, text);
  await untilServed("desk", "<h1>Desk</h1>");
});

/** The server waits for its new app by itself; which one it has shows in what it serves. */
async function untilServed(path: string, text: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await fetch(`${app.url}/${path}`, { headers: { accept: "text/html" } });
    if ((await answer.text()).includes(text)) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.fail(`${path} never had ${text}`);
}

const count = (section: string, text: string): Promise<void> =>
  page.locator(`#${section} .count`, { hasText: new RegExp(`^${text}$`) }).waitFor();
const add = (section: string): Promise<void> => page.locator(`#${section} button`).click();

describe("an edit under svc dev", () => {
  it("of a handler takes effect at the next event, in a scope that is awake, and signals keep their values", async () => {
    await add("one");
    await count("one", "Count: 2");
    app.edit(DESK, "count.value += 1", "count.value += 100");
    await page.locator("#one[s*='-1']").waitFor();
    await count("one", "Count: 2");
    await add("one");
    await count("one", "Count: 102");
    await add("two");
    await count("two", "Count: 110");
    assert.equal(loads, 1);
  });

  it("of markup and text morphs the page, and signals keep their values", async () => {
    await add("one");
    await add("two");
    await count("two", "Count: 11");
    app.edit(DESK, "Count: {count.value}", "<b>Number</b> {count.value}");
    await count("one", "Number 2");
    await count("two", "Number 11");
    await add("two");
    await count("two", "Number 12");
    assert.equal(loads, 1);
  });
});
