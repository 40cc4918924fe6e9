/** Themes: a cookie stores the visitor's theme, so that the server never renders a page in another one; with and without JavaScript. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { savePicture, seriousViolations } from "./browser.ts";
import { newTab, siteUrl } from "./ui-stage.ts";

async function onPage(story: (page: Page, scripts: string[]) => Promise<void>, options: BrowserContextOptions = {}) {
  const tab = await newTab(options);
  await tab.page.goto(`${siteUrl()}/themes`);
  await story(tab.page, tab.scripts);
  await tab.close();
}

const schemeOf = (page: Page): Promise<string> =>
  page
    .locator("html")
    .evaluate((root) => `${root.getAttribute("data-svc-theme")} ${getComputedStyle(root).colorScheme}`);
const paper = (page: Page): Promise<string> =>
  page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);

const post = (fields: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${siteUrl()}/_svc/theme`, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: fields,
  });

describe("a theme", () => {
  it("follows the system until one is chosen", () =>
    onPage(
      async (page) => {
        assert.equal(await schemeOf(page), "system light dark");
        const dark = await paper(page);
        await page.emulateMedia({ colorScheme: "light" });
        assert.notEqual(await paper(page), dark);
      },
      { colorScheme: "dark" },
    ));

  it("applies immediately, on every switch of the page, and from the first byte of the next page", () =>
    onPage(async (page, scripts) => {
      // The script has loaded. Without it the choice would load another page.
      await page.waitForLoadState("networkidle");
      assert.ok(scripts.includes("/_svc/ui-theme.js"));
      await page.evaluate(() => Reflect.set(globalThis, "isSame", true));
      await page.getByRole("button", { name: "Dark" }).click();
      await page.locator('html[data-svc-theme="dark"]').waitFor();
      assert.equal(await schemeOf(page), "dark dark");
      assert.equal(await page.getByRole("button", { name: "Nacht" }).getAttribute("aria-pressed"), "true");
      assert.equal(await page.getByRole("button", { name: "System" }).getAttribute("aria-pressed"), "false");
      assert.equal(await page.evaluate(() => Reflect.get(globalThis, "isSame")), true);
      const response = await page.goto(`${siteUrl()}/`);
      assert.match(
        (await response?.text()) ?? "",
        /^<!doctype html><html lang="en" data-svc-theme="dark" style="color-scheme:dark"/,
      );
    }));

  it("can be chosen without JavaScript, and the page stays the same", () =>
    onPage(
      async (page) => {
        await page.goto(`${siteUrl()}/themes?a=1`);
        await page.getByRole("button", { name: "Dark" }).click();
        await page.locator('html[data-svc-theme="dark"]').waitFor();
        assert.equal(page.url(), `${siteUrl()}/themes?a=1`);
        assert.equal(await page.getByRole("button", { name: "Nacht" }).getAttribute("aria-pressed"), "true");
      },
      { javaScriptEnabled: false },
    ));

  it("is accessible in every variant", () =>
    onPage(
      async (page) => {
        for (const name of ["Light", "Dark", "Contrast"]) {
          await page.getByRole("button", { name }).click();
          await page.locator(`button[aria-pressed="true"]`, { hasText: name }).waitFor();
          assert.deepEqual(await seriousViolations(page), [], name);
          await savePicture(page, `ui-themes-${name.toLowerCase()}`);
        }
      },
      { viewport: { width: 360, height: 640 } },
    ));

  it("is applied per visitor on a shared page, before the first paint", () =>
    onPage(async (page) => {
      const response = await fetch(`${siteUrl()}/shared`);
      assert.match(response.headers.get("cache-control") ?? "", /^public/);
      const html = await response.text();
      assert.doesNotMatch(html, /<html[^>]*theme/);
      await page.waitForLoadState("networkidle");
      await page.getByRole("button", { name: "Dark" }).click();
      await page.locator('html[data-svc-theme="dark"]').waitFor();
      await page.goto(`${siteUrl()}/shared`, { waitUntil: "commit" });
      await page.locator("body").waitFor();
      assert.equal(await schemeOf(page), "dark dark");
      await page.locator('button[aria-pressed="true"]', { hasText: "Dark" }).waitFor();
      await page.getByRole("button", { name: "Contrast" }).click();
      await page.locator('html[data-svc-theme="contrast"]').waitFor();
      assert.equal(await schemeOf(page), "contrast light dark");
    }));

  it("with an unknown name is ignored, in a form and in a cookie", async () => {
    const wrong = await post("theme=%22%3E%3Cscript%3E");
    assert.equal(wrong.status, 422);
    const html = await (await fetch(`${siteUrl()}/`, { headers: { cookie: "svc-theme=%22%3E%3Cscript%3E" } })).text();
    assert.match(html, /data-svc-theme="system" style="color-scheme:light dark"/);
  });

  it("can't be set by another site, and its form never redirects to another site", async () => {
    assert.equal((await post("theme=dark", { origin: "https://elsewhere.example" })).status, 403);
    const back = async (referer: string): Promise<string | null> =>
      (await post("theme=dark", { referer })).headers.get("location");
    assert.equal(await back(`${siteUrl()}/a?b=c`), "/a?b=c");
    assert.equal(await back("https://elsewhere.example/a"), "/");
    assert.equal(await back(`${siteUrl()}//elsewhere.example`), "/");
    assert.equal(await back("no address"), "/");
  });
});
