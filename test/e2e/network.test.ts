/** Scripts that fail, arrive late or come from an older build. */
import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openTab } from "./browser.ts";
import { rebuildDemo, root, startDemo, temporaryFolder } from "./demo-server.ts";
import { button, failing, holdBack, hostileApp, isAboutNetwork } from "./hostile-app.ts";

const app = hostileApp();

describe("a script that can't be fetched", () => {
  for (const [what, pattern] of Object.entries({
    core: /core\.js$/,
    "a part": /form\.js$/,
    "a chunk": /handler\/input-/,
    "a shared chunk": /handler\/shared-/,
    "every script but the loader": /_svc\/(?!loader)/,
  })) {
    it(`is retried while events wait in order: ${what}`, async () => {
      const tab = await openTab(app.browser);
      const { page } = tab;
      const failed = await failing(page, pattern, 2);
      await page.goto(`${app.url}/input`);
      await button(page, "Double").click();
      await button(page, "Shout").click();
      await button(page, "Count").click();
      await page.locator("#count", { hasText: /^1$/ }).waitFor();
      assert.equal(await page.locator("output").textContent(), "click WORDS !");
      assert.equal(failed(), 2);
      await button(page, "Count").click();
      assert.equal(await page.locator("#count").textContent(), "2");
      assert.deepEqual(
        tab.takeComplaints().filter((complaint) => !isAboutNetwork(complaint)),
        [],
      );
      await tab.close();
    });
  }

  it("is reported on the element and in the console, and the event still counts when the script arrives", async () => {
    const tab = await openTab(app.browser);
    const { page } = tab;
    await page.clock.install();
    await failing(page, /handler\//, Number.POSITIVE_INFINITY);
    await page.goto(`${app.url}/input`);
    await button(page, "Count").click();
    await page.locator('[data-svc-pending=""]').waitFor();
    let isReported = false;
    page.on("console", (message) => (isReported ||= message.text().startsWith("SVC301")));
    for (let rounds = 0; !isReported && rounds < 200; rounds++) await page.clock.runFor(500);
    await button(page, "Count").and(page.locator('[data-svc-pending="failed"]')).waitFor();
    assert.equal(await page.locator("#count").textContent(), "0");
    await page.unrouteAll();
    await page.clock.runFor(60_000);
    await page.locator("#count", { hasText: /^1$/ }).waitFor();
    assert.equal(await page.locator("[data-svc-pending]").count(), 0);
    assert.ok(tab.takeComplaints().every((text) => isAboutNetwork(text) || text.startsWith("SVC301")));
    await tab.close();
  });

  it("is retried as soon as the browser is online again", async () => {
    const tab = await openTab(app.browser);
    const { page } = tab;
    await page.clock.install();
    await page.goto(`${app.url}/input`);
    await page.waitForLoadState("networkidle");
    // From now on no time passes, so that no timer can trigger the retry.
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.context().setOffline(true);
    await button(page, "Count").click();
    await button(page, "Shout").click();
    await page.locator("[data-svc-pending]").nth(1).waitFor();
    await page.context().setOffline(false);
    await page.locator("output", { hasText: "WORDS !" }).waitFor();
    assert.equal(await page.locator("#count").textContent(), "1");
    assert.ok(tab.takeComplaints().every(isAboutNetwork));
    await tab.close();
  });

  it("is not reported to a visitor who only pointed at an element", async () => {
    const tab = await openTab(app.browser);
    const { page } = tab;
    const failed = await failing(page, /handler\/input/, 1);
    await page.goto(`${app.url}/input`);
    const first = page.waitForEvent("requestfailed");
    await button(page, "Count").hover();
    await first;
    assert.equal(await page.locator("[data-svc-pending]").count(), 0);
    await button(page, "Count").click();
    await page.locator("#count", { hasText: /^1$/ }).waitFor();
    assert.equal(failed(), 1);
    assert.ok(tab.takeComplaints().every(isAboutNetwork));
    await tab.close();
  });
});

describe("a slow network", () => {
  it("costs one round trip for the first event, because all scripts are requested at once", async () => {
    const tab = await openTab(app.browser);
    const { page } = tab;
    await page.goto(`${app.url}/other`);
    await page.waitForLoadState("networkidle");
    const releaseHeld = await holdBack(page);
    await button(page, "Say").click();
    const isAsked = (name: string) => tab.scripts.some((path) => path.startsWith(`/_svc/${name}`));
    await page.waitForRequest(/handler\/other/).catch(() => {});
    for (const name of ["core.js", "handler/other-"]) assert.ok(isAsked(name), name);
    releaseHeld();
    await page.locator("output", { hasText: "OTHER!page …" }).waitFor();
    await tab.close();
  });

  it("like 3G delivers early clicks", async () => {
    const tab = await openTab(app.browser);
    const { page } = tab;
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 300,
      downloadThroughput: 50_000,
      uploadThroughput: 50_000,
    });
    await page.goto(`${app.url}/input`, { waitUntil: "commit" });
    await button(page, "Count").click();
    await button(page, "Count").click();
    await page.locator("#count", { hasText: /^2$/ }).waitFor();
    await tab.close();
  });
});

describe("a page of an older build", () => {
  it("keeps working after a deploy: its chunks, its values, its actions", async () => {
    const folder = temporaryFolder();
    // Inside the repository, so that "svckit" resolves to this package. Its tsconfig.json fits the original folder only.
    const copy = join(root, "out", `hostile-${process.pid}`);
    const filter = (path: string): boolean => !/tsconfig\.json$|dist$|\.svc$/.test(path);
    cpSync(join(root, "test/fixtures/hostile"), copy, { recursive: true, filter });
    const dataDir = join(folder.path, "data");
    await rebuildDemo(copy);
    let server = await startDemo({ app: copy, dataDir });
    const tab = await openTab(app.browser);
    const { page } = tab;
    try {
      await page.goto(`${server.url}/input`);
      const build = await page.locator("html").getAttribute("data-build");
      const port = Number(new URL(server.url).port);
      await server.stop();
      const source = join(copy, "pages/input.tsx");
      writeFileSync(source, readFileSync(source, "utf8").replace("count.value++", "(count.value += 10)"));
      await rebuildDemo(copy);
      server = await startDemo({ app: copy, dataDir, port });
      await button(page, "Count").click();
      await page.locator("#count", { hasText: /^1$/ }).waitFor();
      await button(page, "Ask").click();
      await page.locator("#answer", { hasText: "echo of you" }).waitFor();
      await page.reload();
      assert.notEqual(await page.locator("html").getAttribute("data-build"), build);
      await button(page, "Count").click();
      await page.locator("#count", { hasText: /^10$/ }).waitFor();
      await tab.close();
    } finally {
      await server.stop();
      rmSync(copy, { recursive: true, force: true });
      folder.remove();
    }
  });
});
