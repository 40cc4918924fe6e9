/** Default actions of events whose handlers have not loaded: conditions decide them in the page. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab, type Tab } from "./browser.ts";
import { startBuilt, type BuiltApp } from "./built-app.ts";
import { holdBack } from "./hostile-app.ts";

let app: BuiltApp;
let browser: Browser;

before(async () => {
  app = await startBuilt("first-event");
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.close();
});

async function opened(path: string): Promise<Tab> {
  const tab = await openTab(browser, { reducedMotion: "reduce" });
  await tab.page.goto(app.url + path, { waitUntil: "networkidle" });
  return tab;
}

/** Types into a field. @returns its content, which lacks the prevented keys */
async function typed(page: Page, id: string, keys: string): Promise<string> {
  for (const key of keys) await page.locator(`#${id}`).press(key);
  return page.locator(`#${id}`).inputValue();
}

describe("a condition of preventDefault", () => {
  it("decides for events whose handlers have not loaded, and the handlers see the decision", async () => {
    const tab = await opened("/fields");
    const release = await holdBack(tab.page);
    assert.equal(await typed(tab.page, "first", "abab"), "bb");
    assert.equal(await tab.page.locator("output").textContent(), "");
    release();
    await tab.page.locator("output", { hasText: "first:a:true first:b:false first:a:true first:b:false" }).waitFor();
    assert.equal(await typed(tab.page, "first", "ac"), "bbc");
    await tab.page.locator("output", { hasText: /first:a:true first:c:false $/ }).waitFor();
    await tab.close();
  });

  it("reads the current state of its element", async () => {
    const tab = await opened("/fields");
    await tab.page.locator("#first").evaluate((field: HTMLTextAreaElement) => (field.readOnly = true));
    await tab.page.locator("#first").press("a");
    await tab.page.locator("output", { hasText: "first:a:false" }).waitFor();
    await tab.close();
  });

  it("of an outer element does not apply if the handler of an inner one stops the event", async () => {
    const tab = await opened("/fields");
    assert.equal(await typed(tab.page, "stopping", "a"), "a");
    await tab.close();
  });

  it("ends with a handler that runs once", async () => {
    const tab = await opened("/fields");
    assert.equal(await typed(tab.page, "once", "a"), "");
    await tab.page.locator("output", { hasText: "once" }).waitFor();
    assert.equal(await typed(tab.page, "once", "b"), "b");
    await tab.close();
  });

  it("applies to rows and components that the browser creates", async () => {
    const tab = await opened("/fields");
    assert.equal(await typed(tab.page, "row", "ab"), "a");
    assert.equal(await typed(tab.page, "component-row", "ab"), "b");
    await tab.page.click("#more");
    await tab.page.locator("#component-row1").waitFor();
    assert.equal(await typed(tab.page, "row1", "ab"), "a");
    assert.equal(await typed(tab.page, "component-row1", "ab"), "b");
    await tab.page.locator("output", { hasText: "component-row1:a:true component-row1:b:false" }).waitFor();
    await tab.close();
  });

  it("applies in a page that enhanced navigation shows", async () => {
    const tab = await opened("/");
    await tab.page.evaluate("self.isSame = true");
    await tab.page.click("a");
    await tab.page.locator("#first").waitFor();
    assert.equal(await tab.page.evaluate("self.isSame"), true);
    assert.equal(await typed(tab.page, "first", "ab"), "b");
    await tab.close();
  });

  it("applies in deferred content", async () => {
    const tab = await opened("/late");
    await tab.page.locator("#first").waitFor();
    assert.equal(await typed(tab.page, "first", "ab"), "b");
    await tab.close();
  });
});
