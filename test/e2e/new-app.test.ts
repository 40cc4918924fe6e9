/** `svc new` from the published package: the new app type-checks, builds, passes its own tests, serves, and is used in a browser. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab, seriousViolations } from "./browser.ts";
import { startDemo, type DemoServer } from "./demo-server.ts";
import { packedApp, run, type PackedApp } from "./packed-app.ts";

/** Part of the type check: the built app in a server of Express, as in docs/guide/mounting.md. */
const MOUNT = `import express from "express";
import app from "./dist/server/app.js";

await app.boot({ dist: "dist" });
const site = express();
site.use(app.handler);
site.get("/own", (req, res) => void res.send(req.path));
`;

describe("an app that svc new has written", () => {
  let packed: PackedApp;
  let shop: string;
  let tests: string;
  let server: DemoServer;
  let browser: Browser;

  before(async () => {
    packed = await packedApp("shop");
    shop = packed.app;
    writeFileSync(join(shop, "server.ts"), MOUNT);
    tests = await run("npm", ["test"], shop);
    const env = { SVC_SITE_URL: "https://shop.example" };
    server = await startDemo({ app: shop, cli: packed.cli, dataDir: join(packed.folder, "data"), env });
    browser = await launchBrowser();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    packed?.remove();
  });

  it("depends on the given tarball", () => {
    const { name, dependencies } = JSON.parse(readFileSync(join(shop, "package.json"), "utf8")) as {
      name: string;
      dependencies: Record<string, string>;
    };
    assert.deepEqual(
      [name, dependencies["svckit"]?.replace(/[\d.]+tgz$/, "<version>.tgz")],
      ["shop", "file:../svckit-<version>.tgz"],
    );
  });

  it("builds, has no type errors, also mounted in Express, and passes its own tests", () => {
    assert.match(tests, /^Built .* browser chunk/m);
    assert.match(tests, /# pass 3\b/);
    assert.match(tests, /# fail 0\b/);
  });

  it("answers 200 under the production policy", async () => {
    const response = await fetch(server.url);
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-security-policy") ?? "", /script-src 'self' 'nonce-/);
    await response.text();
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it(`counts, starts the graph, shows it live, and passes axe, in ${colorScheme}`, async () => {
      const tab = await openTab(browser, { colorScheme });
      await tab.page.goto(server.url);
      await tab.page.click("text=Add 1");
      await tab.page.getByText("Count: 1, doubled: 2").waitFor();
      assert.deepEqual(await seriousViolations(tab.page), []);
      await order(tab.page);
      await tab.page.getByText("served: 3").waitFor();
      await tab.page.getByText("3 of 3 nodes done").waitFor();
      assert.deepEqual(await seriousViolations(tab.page), []);
      await tab.close();
    });
  }

  it("accepts an order without JavaScript, and hides controls that would need it", async () => {
    const tab = await openTab(browser, { javaScriptEnabled: false });
    await tab.page.goto(server.url);
    assert.equal(await tab.page.getByText("Add 1").isVisible(), false);
    await order(tab.page);
    assert.match(await tab.page.innerText("noscript"), /Reload the page/);
    assert.match(await tab.page.innerText("main"), /boil/);
    await tab.close();
  });
});

async function order(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Order" }).click();
  await page.waitForURL(/\/orders\/\w+$/);
}
