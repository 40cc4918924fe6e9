/** Pending navigations (src/web/client/navigation/client-navigation.ts), and events that wait for code of the previous page. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openTab } from "./browser.ts";
import { follow, heading, hold, isSame, navigationSite } from "./navigation-site.ts";

const app = navigationSite();
const { openScripted, pathOf } = app;

describe("a pending navigation", () => {
  it("marks the region that will change, and shows a progress bar when it takes long", async () => {
    const tab = await openScripted("/users");
    const { page } = tab;
    const release = await hold(page, "/about");
    await follow(page, "/about");
    await page.locator("section[aria-busy=true]").waitFor();
    await page.locator("svc-progress").waitFor();
    assert.equal(await page.locator("svc-progress").evaluate((bar) => getComputedStyle(bar).animationName), "none");
    await release();
    await heading(page, "About");
    await page.locator("svc-progress").waitFor({ state: "detached" });
    assert.equal(await page.locator("[aria-busy]").count(), 0);
    await tab.close();
  });

  it("is cancelled by another navigation", async () => {
    const tab = await openScripted("/");
    const { page } = tab;
    const release = await hold(page, "/about");
    const given = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/about"));
    await follow(page, "/about");
    await follow(page, "/users");
    await heading(page, "Users");
    await given;
    await release();
    await follow(page, "/counter");
    await heading(page, "Counter");
    assert.equal(await isSame(page), true);
    await page.goBack();
    await heading(page, "Users");
    await page.goBack();
    await heading(page, "Home");
    await tab.close();
  });

  it("drops events that wait for code of the previous page, and none of its own", async () => {
    const tab = await openTab(app.browser, { reducedMotion: "reduce" });
    const { page } = tab;
    await page.clock.install();
    let releaseHeld = (): void => {};
    const held = new Promise<void>((release) => (releaseHeld = release));
    await page.route("**/_svc/core.js", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${app.url}/counter`);
    await page.locator("#count").click();
    await page.locator("#count[data-svc-pending]").waitFor();
    await follow(page, "/about");
    // Longer than a page waits for the code of the previous one.
    for (let frames = 0; frames < 400; frames++) await page.clock.runFor(16);
    await heading(page, "About");
    await follow(page, "/counter");
    for (let frames = 0; frames < 400; frames++) await page.clock.runFor(16);
    await heading(page, "Counter");
    releaseHeld();
    await page.clock.resume();
    await page.locator("#there", { hasText: /^there$/ }).waitFor();
    assert.equal(await page.locator("#count").textContent(), "0");
    await page.locator("#count").click();
    await page.locator("#count", { hasText: /^1$/ }).waitFor();
    await tab.close();
  });

  it("is cancelled when the visitor goes back", async () => {
    const tab = await openScripted("/");
    const { page } = tab;
    await follow(page, "/users");
    await heading(page, "Users");
    const release = await hold(page, "/about");
    await follow(page, "/about");
    await page.locator("section[aria-busy=true]").waitFor();
    await page.goBack();
    await heading(page, "Home");
    await release();
    assert.equal(pathOf(page), "/");
    assert.equal(await page.locator("[aria-busy]").count(), 0);
    await tab.close();
  });
});

describe("the response to a form after a navigation", () => {
  for (const [what, text, status] of [
    ["success", "something", 200],
    ["a refusal", "", 422],
  ] as const) {
    it(`reports ${what}, and leaves the current page unchanged`, async () => {
      const tab = await openScripted("/notes");
      const { page, takeComplaints } = tab;
      let releaseHeld = (): void => {};
      const held = new Promise<void>((release) => (releaseHeld = release));
      await page.route("**/_svc/submit/note", async (route) => {
        await held;
        await route.continue();
      });
      await page.fill("#note-text", text);
      const asked = page.waitForRequest("**/_svc/submit/note");
      await page.click("#send");
      await asked;
      await follow(page, "/notes/more");
      await heading(page, "More notes");
      const fetches = app.fetchesOf(page);
      releaseHeld();
      await page.waitForFunction(() => !document.querySelector("#note")?.hasAttribute("aria-busy"));
      assert.equal(await page.textContent("h1"), "More notes");
      assert.equal(pathOf(page), "/notes/more");
      assert.deepEqual(fetches, []);
      assert.equal(await page.textContent("[data-svc-news]"), status === 200 ? "" : "Write something");
      assert.equal(await page.inputValue("#note-text"), "");
      const others = takeComplaints().filter((complaint) => !complaint.includes(`status of ${status}`));
      assert.deepEqual(others, []);
      await tab.close();
    });
  }
});
