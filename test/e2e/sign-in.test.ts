/** A visitor signs in and out in Chromium, by script and by form, while the server's secret is rotated. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab } from "./browser.ts";
import { buildDemo, root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";

const OLD = "o".repeat(32);
const NEW = "n".repeat(32);

const app = join(root, "test/fixtures/sign-in");
const folder = temporaryFolder();
let browser: Browser;
let server: DemoServer;

const start = async (env: Record<string, string>, port = 0): Promise<void> => {
  server = await startDemo({ app, dataDir: join(folder.path, "data"), env, port });
};

/** Replaces the process by another one at the same address. */
const restart = async (env: Record<string, string>): Promise<void> => {
  const { port } = new URL(server.url);
  await server.stop();
  await start(env, Number(port));
};

const reports = (page: Page, text: string): Promise<void> => page.locator("output", { hasText: text }).waitFor();
const greets = (page: Page, name: string): Promise<void> => page.locator("h1", { hasText: `Hello ${name}` }).waitFor();

before(async () => {
  await buildDemo(app);
  await start({ SVC_SECRET: OLD });
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  folder.remove();
});

describe("A visitor", () => {
  it("stays signed in during a rotation of the secret, even on an open page, and can sign out", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(server.url);
    await greets(page, "stranger");
    // Signing in invalidates the page's CSRF token; the next call has the new one.
    await page.click("#sign-in");
    await reports(page, "done: Ada");
    await page.click("#count");
    await reports(page, "done: 1");

    await restart({ SVC_SECRET: NEW, SVC_SECRET_PREVIOUS: OLD });
    await page.click("#count");
    await reports(page, "done: 2");
    await page.reload();
    await greets(page, "Ada");

    await restart({ SVC_SECRET: NEW });
    await page.click("#count");
    await reports(page, "done: 3");
    await page.reload();
    await greets(page, "Ada");

    const kept = await page.context().cookies();
    await page.click("#sign-out");
    await greets(page, "stranger");
    const names = (await page.context().cookies()).map(({ name }) => name);
    assert.deepEqual([kept.length, names], [2, ["__svc-csrf"]]);
    await tab.close();
  });

  it("can sign in by script and then submit a form of the same page", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(server.url);
    await page.click("#sign-in");
    await reports(page, "done: Ada");
    await page.fill("[name=name]", "Grace");
    await page.click("#submit");
    await greets(page, "Grace");
    await tab.close();
  });

  it("can sign in and out without JavaScript", async () => {
    const tab = await openTab(browser, { javaScriptEnabled: false });
    const { page } = tab;
    await page.goto(server.url);
    await page.fill("[name=name]", "Grace");
    await page.click("#submit");
    await greets(page, "Grace");
    await page.click("#sign-out");
    await greets(page, "stranger");
    await tab.close();
  });

  it("is rejected on pages opened before signing in elsewhere, until they are reloaded", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(server.url);
    const other = await page.context().newPage();
    await other.goto(server.url);
    await other.click("#sign-in");
    await reports(other, "done: Ada");
    await page.click("#count");
    await reports(page, "Your session has expired. Reload the page.");
    assert.match(tab.takeComplaints().join("\n"), /403/);
    await page.reload();
    await page.click("#count");
    await reports(page, "done: 1");
    await tab.close();
  });
});
