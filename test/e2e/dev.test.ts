/** `svc dev` as an author meets it: the page in a real browser follows the source. */
import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab, type Tab } from "./browser.ts";
import { root, startDemo, type DemoServer } from "./demo-server.ts";

// Inside the repository, so that "svc" is found as the package it is; not in test-results, which Vite does not watch.
const app = join(root, "out", `dev-${process.pid}`);
const source = join(app, "pages/shared-controls.tsx");
let server: DemoServer;
let browser: Browser;
let tab: Tab;
let page: Page;

before(async () => {
  cpSync(join(root, "test/fixtures/runtime"), app, {
    recursive: true,
    // Its tsconfig.json is for where it stands; what is built there is not of this run.
    filter: (path) => !/tsconfig\.json$|dist$|\.svc$/.test(path),
  });
  server = await startDemo({ app, command: "dev", dataDir: join(app, ".svc"), env: { NODE_ENV: "development" } });
  browser = await launchBrowser();
  tab = await openTab(browser);
  ({ page } = tab);
});

after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(app, { recursive: true, force: true });
});

function edit(from: string, to: string): void {
  const text = readFileSync(source, "utf8");
  assert.ok(text.includes(from), `${from} is in the source`);
  writeFileSync(source, text.replace(from, to));
}

describe("svc dev", () => {
  it("serves pages that resume, compiled from source", async () => {
    await page.goto(`${server.url}/shared`);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.locator("#first", { hasText: "4 and 8" }).waitFor();
  });

  it("loads the page anew after an edit, markup and handler", async () => {
    edit("count.value += 1", "count.value += 10");
    edit("\n      Add\n", "\n      Add ten\n");
    await page.getByRole("button", { name: "Add ten" }).click();
    await page.locator("#first", { hasText: "13 and 26" }).waitFor();
  });

  it("shows what does not compile, with its place, and goes on once it does", async () => {
    edit("person.name = field.value;", "person.name = ;");
    await page.goto(`${server.url}/shared`, { waitUntil: "commit" });
    await page.getByText("pages/shared-controls.tsx:").waitFor();
    assert.match(await page.locator("pre").innerText(), /person\.name = ;/);
    assert.match(server.output(), /^Error .*pages\/shared-controls\.tsx:/m);
    edit("person.name = ;", "person.name = `Dr ${field.value}`;");
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("Name").press("Enter");
    await page.locator("#name", { hasText: "Dr Ada" }).waitFor();
    // The page that could not be shown was answered with 500, which Chromium tells the console.
    await assert.rejects(
      tab.close(),
      (error: Error) => !/CSP|page error/.test(error.message) && error.message.includes("500"),
    );
  });
});
