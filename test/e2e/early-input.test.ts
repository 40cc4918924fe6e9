/** Real mouse and keyboard input before any script but the stub has loaded: every event is handled once and in order. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openTab } from "./browser.ts";
import { button, holdBack, hostileApp } from "./hostile-app.ts";

const app = hostileApp();

describe("input before any script has loaded", () => {
  it("is handled in order, each event once: clicks, keys, typing, a submit", async () => {
    const tab = await openTab(app.browser);
    const { page } = tab;
    const releaseHeld = await holdBack(page);
    await page.goto(`${app.url}/input`, { waitUntil: "commit" });
    await button(page, "Count").click();
    await page.locator("#field").click();
    await page.keyboard.type("abc");
    await button(page, "Double").dblclick();
    await page.locator("#sent").click();
    await page.keyboard.type("x");
    await page.keyboard.press("Enter");
    await button(page, "Count").click();
    assert.equal(await page.locator("output").textContent(), "");
    assert.equal(await page.locator("#field").inputValue(), "abc");
    assert.ok(page.url().endsWith("/input"), "the form was not sent");
    releaseHeld();
    await page.locator("#count", { hasText: /^2$/ }).waitFor();
    // The queue keeps that an event happened, but not the value of the field at that time.
    const expected = "a =abc b =abc c =abc click click double submit ";
    assert.equal(await page.locator("output").textContent(), expected);
    assert.equal(await page.locator("#text").textContent(), "abc");
    assert.equal(await page.locator("#sent").inputValue(), "x");
    assert.equal(await page.locator("[data-svc-pending]").count(), 0);
    await tab.close();
  });

  it("is handled in order while code arrives bit by bit", async () => {
    const tab = await openTab(app.browser);
    const { page } = tab;
    const letCoreGo = await holdBack(page, "**/_svc/core.js");
    await page.goto(`${app.url}/input`);
    await button(page, "Double").click();
    await page.locator("#field").press("q");
    await page.locator("[data-svc-pending]").first().waitFor();
    letCoreGo();
    await page.locator("output", { hasText: "click q =q" }).waitFor();
    await page.locator("#field").press("r");
    assert.equal(await page.locator("output").textContent(), "click q =q r =qr ");
    await tab.close();
  });

  it("is limited to a bounded number of events", async () => {
    const tab = await openTab(app.browser);
    const { page } = tab;
    const releaseHeld = await holdBack(page);
    await page.goto(`${app.url}/input`, { waitUntil: "commit" });
    await button(page, "Count").evaluate((element: HTMLElement) => {
      for (let clicks = 0; clicks < 5000; clicks++) element.click();
    });
    releaseHeld();
    await page.locator("#count", { hasText: /^1000$/ }).waitFor();
    await button(page, "Count").click();
    assert.equal(await page.locator("#count").textContent(), "1001");
    await tab.close();
  });

  it("is dropped without an error when its scope is replaced, and later input is handled", async () => {
    const tab = await openTab(app.browser);
    const { page } = tab;
    const releaseHeld = await holdBack(page, "**/_svc/core.js");
    await page.goto(`${app.url}/input`);
    const count = button(page, "Count");
    await count.click();
    await page.locator("[data-svc-pending]").first().waitFor();
    await count.evaluate((element) => {
      const scope = element.closest("[s]") as Element;
      const gone = scope.cloneNode(true);
      // As after a navigation: another scope with the same number replaces this one.
      scope.replaceWith(gone);
    });
    await count.click();
    releaseHeld();
    await page.locator("#count", { hasText: /^1$/ }).waitFor();
    assert.equal(await page.locator("#count").textContent(), "1");
    await tab.close();
  });

  it("is dropped without an error when the visitor leaves the page", async () => {
    const tab = await openTab(app.browser);
    const { page } = tab;
    const releaseHeld = await holdBack(page);
    await page.goto(`${app.url}/input`, { waitUntil: "commit" });
    await button(page, "Count").click();
    await page.getByRole("link", { name: "Other page" }).click({ noWaitAfter: true });
    await page.waitForURL("**/other", { waitUntil: "commit" });
    releaseHeld();
    await button(page, "Say").click();
    await page.locator("output", { hasText: "OTHER!page …" }).waitFor();
    await page.goBack();
    await button(page, "Count").click();
    await page.locator("#count", { hasText: /^1$/ }).waitFor();
    await tab.close();
  });
});
