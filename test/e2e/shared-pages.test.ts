/** Shared pages in a real browser: they have no token until one is needed, and links lead to private pages and back. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab } from "./browser.ts";
import { join } from "node:path";
import { startBuilt, type BuiltApp } from "./built-app.ts";
import { root, startDemo, temporaryFolder } from "./demo-server.ts";

let app: BuiltApp;
let browser: Browser;

before(async () => {
  process.env["SVC_SITE_URL"] = "https://example.com";
  app = await startBuilt("static");
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.close();
});

const reported = (page: Page, text: string): Promise<unknown> =>
  page.waitForFunction((wanted) => document.querySelector("#like")?.textContent === wanted, text);
const onPage = (page: Page, heading: string): Promise<unknown> =>
  page.waitForFunction((wanted) => document.querySelector("h1")?.textContent === wanted, heading);

describe("a shared page", () => {
  it("has no token and no cookie until a handler calls an action, which fetches one once", async () => {
    const tab = await openTab(browser);
    const fetched: string[] = [];
    tab.page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
    await tab.page.goto(`${app.url}/shared`);
    assert.deepEqual(await tab.page.context().cookies(), []);
    await tab.page.click("#like");
    await reported(tab.page, "liked");
    await tab.page.click("#like");
    await tab.page.waitForLoadState("networkidle");
    assert.equal(fetched.filter((path) => path === "/_svc/token").length, 1);
    assert.equal(fetched.filter((path) => path === "/_svc/action/like").length, 2);
    assert.deepEqual(
      (await tab.page.context().cookies()).map(({ name }) => name),
      ["__svc-csrf"],
    );
    await tab.close();
  });

  it("fetches its token again if that fails at first", async () => {
    const tab = await openTab(browser);
    await tab.page.route("**/_svc/token", (route) => route.abort(), { times: 1 });
    await tab.page.goto(`${app.url}/shared`);
    await tab.page.click("#like");
    await reported(tab.page, "liked");
    tab.takeComplaints();
    await tab.close();
  });

  for (const isTouched of [false, true]) {
    it(`links to a private page and back, ${isTouched ? "after" : "before"} an event`, async () => {
      const tab = await openTab(browser);
      const { page } = tab;
      await page.goto(`${app.url}/shared`);
      if (isTouched) {
        await page.click("#like");
        await reported(page, "liked");
      }
      await page.click("a");
      await onPage(page, "Own");
      await page.fill("#name", "Ada");
      await page.waitForFunction(() => document.querySelector("output")?.textContent === "Ada");
      await page.click("#like");
      await reported(page, "liked");
      await page.click("a");
      await onPage(page, "Shared");
      await page.click("#like");
      await reported(page, "liked");
      await tab.close();
    });
  }

  it("is reached from a private page, whose token stays valid", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(`${app.url}/own`);
    await page.click("#like");
    await reported(page, "liked");
    await page.click("a");
    await onPage(page, "Shared");
    await page.click("#like");
    await reported(page, "liked");
    await tab.close();
  });
});

describe("a shared page in development", () => {
  it("calls actions too, is revalidated each time, and the log names the reason why another is not shared", async () => {
    const data = temporaryFolder();
    const env = { NODE_ENV: "development" };
    const server = await startDemo({
      app: join(root, "test/fixtures/static"),
      command: "dev",
      dataDir: data.path,
      env,
    });
    try {
      const tab = await openTab(browser);
      const answer = await tab.page.goto(`${server.url}/shared`);
      assert.equal(answer?.headers()["cache-control"], "private, no-cache");
      await tab.page.click("#like");
      await reported(tab.page, "liked");
      await tab.page.goto(`${server.url}/mistaken`);
      assert.match(
        server.output(),
        /The page \/mistaken is declared public, but .* used data of the visitor: .*cookies/,
      );
      await tab.close();
    } finally {
      await server.stop();
      data.remove();
    }
  });
});
