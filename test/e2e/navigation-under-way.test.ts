/** Pages that are on their way while the visitor goes on (src/web/client/navigation/client-navigation.ts), and what waited for code on the page before. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openTab } from "./browser.ts";
import { follow, heading, hold, isSame, navigationSite } from "./navigation-site.ts";

const app = navigationSite();
const { openScripted, pathOf } = app;

describe("a page that is on its way", () => {
  it("is told of around what will change, and by a bar when it takes a while", async () => {
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

  it("is given up for another", async () => {
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

  it("takes with it what waited for code on the page that goes, and nothing of its own", async () => {
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
    // Longer than a page waits for the code of the one before.
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

  it("is shown where the visitor has gone meanwhile: back", async () => {
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

describe("a form's answer that comes when the visitor has gone on", () => {
  for (const [what, text, status] of [
    ["that it was taken", "something", 200],
    ["that it was refused", "", 422],
  ] as const) {
    it(`says ${what}, and leaves the page that is there`, async () => {
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
