/** Effects and boundaries in a real browser, with the production policy (test/fixtures/runtime). */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab } from "./browser.ts";
import { buildDemo, root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";

const app = join(root, "test/fixtures/runtime");
const folder = temporaryFolder();
let server: DemoServer;
let browser: Browser;

before(async () => {
  await buildDemo(app);
  server = await startDemo({ app, dataDir: join(folder.path, "data") });
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  folder.remove();
});

/** Opens a path, runs `story`, and fails when the browser complained. */
async function onPage(path: string, story: (page: Page, scripts: string[]) => Promise<void>): Promise<void> {
  const tab = await openTab(browser);
  await tab.page.goto(server.url + path);
  await story(tab.page, tab.scripts);
  await tab.close();
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

describe("an effect", () => {
  it("runs on the server, and in the browser when another component changes what it read", () =>
    onPage("/effects", async (page) => {
      const log = page.locator("#log");
      assert.equal(await log.textContent(), "2; ");
      await button(page, "Count").click();
      await log.filter({ hasText: "2; 4 with 0; " }).waitFor();
      await button(page, "Other").click();
      assert.equal(await log.textContent(), "2; 4 with 0; undo 4; 4 with 1; ");
    }));

  it("does not run when its component wakes", () =>
    onPage("/effects", async (page) => {
      await button(page, "Here").click();
      await page.locator("#log", { hasText: "here" }).waitFor();
      assert.equal(await page.locator("#log").textContent(), "2; here; ");
    }));

  it("follows the fields of a store that it read", () =>
    onPage("/effects", async (page) => {
      const theme = page.locator("#theme");
      assert.equal(await theme.textContent(), "light after 1");
      await button(page, "Unread").click();
      await page.locator("[data-svc-pending]").waitFor({ state: "detached" });
      await button(page, "Theme").click();
      await theme.filter({ hasText: "dark" }).waitFor();
      assert.equal(await theme.textContent(), "dark after 2");
    }));
});

describe("what onLoad leaves to undo", () => {
  it("is undone when its element has gone", () =>
    onPage("/effects", async (page) => {
      await page.locator("#removable[data-loaded]").waitFor();
      assert.equal(await page.locator("html[data-undone]").count(), 0);
      await button(page, "Remove").click();
      await page.locator("html[data-undone]").waitFor({ state: "attached" });
    }));
});
