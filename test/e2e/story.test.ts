/** The main job, end to end: a lockfile is entered on a page, a graph audits it, and a report and a signed webhook result. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { verify } from "@octokit/webhooks-methods";
import type { Browser, Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { createReceiver, type Received, type Receiver } from "svckit/testing";
import { launchBrowser, openTab, savePicture, seriousViolations } from "./browser.ts";
import { buildDemo, root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";
import { startGraph, steerQueue } from "./graph-api.ts";

const LOCKFILE = join(root, "package-lock.json");
const SECRET = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const lockfile = JSON.parse(readFileSync(LOCKFILE, "utf8")) as { packages: Record<string, unknown> };
const packageCount = Object.keys(lockfile.packages).length - 1;

const folder = temporaryFolder();
let receiver: Receiver;
let server: DemoServer;
let browser: Browser;

before(async () => {
  await buildDemo();
  receiver = await createReceiver();
  server = await startDemo({
    dataDir: folder.path,
    env: {
      SVC_WEBHOOK_URLS: receiver.url,
      SVC_WEBHOOK_SECRET: SECRET,
      SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
    },
  });
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  await receiver?.close();
  folder.remove();
});

const graphIdOf = (page: Page): string => new URL(page.url()).pathname.replace("/audits/", "");
const figure = (page: Page, name: string) => page.locator(".figures div", { hasText: name }).locator("dd");
const firstPackage = (page: Page) => page.locator(".packages tbody tr").first().locator("th");

describe("an audit started from the form", () => {
  it("ends with a report that sorts and filters, and a webhook whose signature two other libraries verify", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(server.url);
    await page.getByLabel("Lockfile", { exact: true }).setInputFiles(LOCKFILE);
    await page.getByRole("button", { name: "Start audit" }).click();
    await page.getByRole("heading", { name: "Audit of svc" }).waitFor();
    assert.match(graphIdOf(page), /^g_[0-9a-z]{26}$/i);
    assert.equal(await figure(page, "Packages").first().textContent(), String(packageCount));

    assert.equal(
      await page.locator('a[href^="/_svc/ops"]').count(),
      0,
      "in production the page does not link to the operator screens",
    );

    await sortsAndFilters(page);
    await savePicture(page, "audit-light");
    await page.emulateMedia({ colorScheme: "dark" });
    await savePicture(page, "audit-dark");

    const delivery = await deliveryOf(graphIdOf(page));
    const payload = JSON.parse(delivery.body) as Record<string, unknown>;
    assert.deepEqual([payload["event"], payload["worker"], payload["status"]], ["graph.done", "audit", "done"]);
    assert.equal((payload["result"] as { totals: { packages: number } }).totals.packages, packageCount);
    assert.equal(await verify(SECRET, delivery.body, String(delivery.headers["x-svc-signature"])), true);
    const standard = new Webhook(Buffer.from(SECRET).toString("base64"));
    assert.doesNotThrow(() => standard.verify(delivery.body, delivery.headers as Record<string, string>));
    await tab.close();
  });

  it("is shown live, node by node, without a reload before its end", async () => {
    // Delayed until the page is open.
    await steerQueue(server.url, "parse", "pause");
    const graph = await startGraph(server.url, { worker: "audit", input: { lockfile } });
    const tab = await openTab(browser);
    const { page } = tab;
    const sentences: string[] = [];
    await page.exposeFunction("report", (sentence: string) => sentences.push(sentence));
    await page.addInitScript(watchStatus);
    let loads = 0;
    page.on("load", () => loads++);
    const follows = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith("/events"));
    await page.goto(`${server.url}/audits/${graph.graph_id}`);
    await page.getByText("Reading the lockfile.").waitFor();
    assert.equal(await page.locator(".node", { hasText: "parse" }).locator(".node-state").textContent(), "waiting");
    await follows;
    await steerQueue(server.url, "parse", "resume");
    await page.getByRole("heading", { name: "Audit of svc" }).waitFor();
    assert.ok(
      sentences.some((sentence) => sentence.startsWith("Inspecting the packages")),
      `seen: ${sentences.join(" | ")}`,
    );
    assert.equal(loads, 2, "the page loaded once before the audit's end and once after it");
    await tab.close();
  });

  it("works without JavaScript: the form starts it, and a reload link shows its progress", async () => {
    const tab = await openTab(browser, { javaScriptEnabled: false });
    const { page } = tab;
    await page.goto(server.url);
    await page.getByRole("button", { name: "own lockfile" }).click();
    const done = page.getByRole("heading", { name: "Audit of svc" });
    const reload = page.getByRole("link", { name: "Reload to see progress" });
    for (let reloads = 0; reloads < 200; reloads++) {
      await done.or(reload).first().waitFor();
      if (await done.isVisible()) break;
      await reload.click();
    }
    assert.equal(await figure(page, "Packages").first().textContent(), String(packageCount));
    assert.equal(await page.locator(".packages tbody tr").count(), packageCount);
    assert.equal(await page.getByLabel("Search").isVisible(), false, "controls that need script are not shown");
    assert.deepEqual(tab.scripts, []);
    await tab.close();
  });

  it("of a broken lockfile fails once, names the broken line, and sends the webhook", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(server.url);
    await page.getByLabel("Or paste its text").fill('{\n  "name": "shop",,\n}');
    await page.getByRole("button", { name: "Start audit" }).click();
    await page.getByRole("heading", { name: "The audit failed in “parse”" }).waitFor();
    assert.match((await page.locator("#failure").textContent()) ?? "", /line 2, column 18/);
    const delivery = await deliveryOf(graphIdOf(page));
    const payload = JSON.parse(delivery.body) as { event: string; error: { reason: string; node: string } };
    assert.deepEqual([payload.event, payload.error.reason, payload.error.node], ["graph.failed", "error", "parse"]);
    await tab.close();
  });

  for (const javaScriptEnabled of [true, false])
    it(`is refused above the form when the input is empty, with${javaScriptEnabled ? "" : "out"} JavaScript`, async () => {
      const tab = await openTab(browser, { javaScriptEnabled });
      const { page } = tab;
      await page.goto(server.url);
      await page.getByLabel("Or paste its text").fill("  ");
      await page.getByRole("button", { name: "Start audit" }).click();
      const refusal = page.getByRole("alert").filter({ hasText: "Choose a lockfile or paste its text." });
      await refusal.and(page.locator(":focus")).waitFor();
      assert.equal(await page.getByLabel("Or paste its text").inputValue(), "  ", "the typed text is kept");
      // The accessibility checker is a script.
      if (javaScriptEnabled) assert.deepEqual(await seriousViolations(page), []);
      for (const complaint of tab.takeComplaints()) assert.match(complaint, /422/);
      await tab.close();
    });

  it("that does not exist shows a page that says so", async () => {
    const response = await fetch(`${server.url}/audits/g_00000000000000000000000000`, {
      headers: { accept: "text/html" },
    });
    assert.equal(response.status, 404);
    assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
  });
});

/** The webhook of this graph, once it has arrived. */
async function deliveryOf(graphId: string): Promise<Received> {
  for (;;) {
    const found = receiver.deliveries.find((delivery) => delivery.body.includes(graphId));
    if (found) return found;
    await receiver.received(receiver.deliveries.length + 1);
  }
}

async function sortsAndFilters(page: Page): Promise<void> {
  const rows = page.locator(".packages tbody tr");
  assert.equal(await rows.count(), packageCount);
  assert.equal(await firstPackage(page).textContent(), "@parcel/watcher", "the heaviest is first");
  await page.getByRole("button", { name: "Package", exact: true }).click();
  await page.locator('th[aria-sort="ascending"]', { hasText: "Package" }).waitFor();
  const names = await page.locator(".packages tbody th").allTextContents();
  assert.deepEqual(names, [...names].sort());
  await page.getByRole("button", { name: "Package", exact: true }).click();
  await page.locator('th[aria-sort="descending"]', { hasText: "Package" }).waitFor();
  assert.equal(await firstPackage(page).textContent(), names.at(-1));
  await page.getByLabel("Search").fill("ESBUILD");
  await page.getByText(/^\d+ of \d+$/).waitFor();
  assert.ok((await page.locator(".packages tbody th").allTextContents()).every((name) => name.includes("esbuild")));
  await page.getByLabel("Show").selectOption("high");
  assert.deepEqual(await page.locator(".packages tbody th").allTextContents(), ["esbuild"]);
  await page.getByLabel("Search").fill("no such package");
  await page.getByText("No package matches.").waitFor();
  await page.getByLabel("Search").fill("");
  await page.getByLabel("Show").selectOption("all");
  assert.equal(await rows.count(), packageCount);
}

/** Runs in the page: passes every text of the status line to the test. */
function watchStatus(): void {
  const report = (window as unknown as { report: (sentence: string) => void }).report;
  document.addEventListener("DOMContentLoaded", () => {
    const status = document.querySelector("[role=status]");
    if (!status) return;
    new MutationObserver(() => report(status.textContent ?? "")).observe(status, {
      characterData: true,
      childList: true,
      subtree: true,
    });
  });
}
