/** Workflows on the operator screens: palette, saved views, payload search, previews, and use without script. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { App, Started } from "svckit";
import { createReceiver, type Receiver } from "svckit/testing";
import { opsSample, orderInput, runTo, until } from "../contract/ops-app.ts";
import { launchBrowser, openTab, seriousViolations } from "./browser.ts";

let app: App;
let started: Started;
let browser: Browser;
let receiver: Receiver;
let done: string;

const at = (path: string): string => `${started.url}/_svc/ops${path}`;

before(async () => {
  const env = { SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8", SVC_WEBHOOK_SECRET: "webhook-secret-of-the-sample" };
  app = opsSample({ env, more: { webhookSchedule: ["0s"] } });
  started = await app.start({ host: "127.0.0.1", port: 0 });
  receiver = await createReceiver();
  browser = await launchBrowser();
  await runTo(app, "order", orderInput(7), "failed");
  done = await runTo(app, "order", orderInput(3), "done");
});
after(async () => {
  await browser.close();
  await started.close();
  await receiver.close();
});

/** Waits until the script has started. */
function alive(page: Page): Promise<void> {
  return page.locator("#ops-live:not([hidden])").waitFor({ state: "attached" });
}

const MODES = [
  ["with", true],
  ["without", false],
] as const;

describe("Search on the operator screens", () => {
  it("has a palette that loads on first use and works by keyboard", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    const loaded: string[] = [];
    page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
    await page.goto(at("/queues"));
    await alive(page);
    assert.ok(!loaded.includes("/_svc/ops-palette.js"));
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Go to" });
    await page.getByRole("option", { name: "Overview", exact: true, selected: true }).waitFor();
    assert.ok(loaded.includes("/_svc/ops-palette.js"));
    assert.equal(await field.evaluate((input) => input === document.activeElement), true);
    assert.deepEqual(await seriousViolations(page), []);
    await page.keyboard.press("Escape");
    await page.locator("dialog.palette:not([open])").waitFor({ state: "attached" });
    await page.getByRole("link", { name: "Go to…" }).click();
    await field.fill("runs of");
    await page.getByRole("option", { name: /^Runs of/, selected: true }).waitFor();
    await field.press("ArrowDown");
    const active = await field.getAttribute("aria-activedescendant");
    assert.equal(await page.locator(`#${active}`).getAttribute("aria-selected"), "true");
    assert.equal(active, "ops-place-1");
    await field.fill(done);
    await page.getByRole("option", { name: `Open run ${done}`, selected: true }).waitFor();
    await field.press("Enter");
    await page.waitForURL(at(`/runs/${done}`));
    await tab.close();
  });

  it("opens the first result of the typed text on Enter, not an outdated one", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(at("/queues"));
    await alive(page);
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Go to" });
    await page.getByRole("option", { name: "Overview", exact: true, selected: true }).waitFor();
    let answer = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/[?]q=g_/, async (route) => {
      await isHeld;
      await route.continue().catch(() => undefined);
    });
    await field.fill(done);
    assert.equal(await page.getByRole("option", { selected: true }).count(), 0);
    await field.press("Enter");
    assert.equal(page.url(), at("/queues"));
    answer();
    await page.waitForURL(at(`/runs/${done}`));
    await tab.close();
  });

  it("marks payload matches while typing, with the same result as the server", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(at(`/runs/${done}`));
    await alive(page);
    await page.getByRole("searchbox", { name: "Find" }).fill("LINE-1");
    await page.locator("output", { hasText: "1 found" }).waitFor();
    const marked = (): Promise<string[]> => page.locator("[data-found]").allTextContents();
    const instantly = await marked();
    await page.keyboard.press("Enter");
    await page.waitForURL(/find=LINE-1/);
    assert.deepEqual([instantly.length, await marked()], [1, instantly]);
    await tab.close();
  });
});

describe("A view of the runs list", () => {
  for (const [word, javaScriptEnabled] of MODES)
    it(`can be saved, opened and deleted, ${word} script`, async () => {
      const tab = await openTab(browser, { javaScriptEnabled });
      const { page } = tab;
      await page.goto(at("/runs"));
      assert.equal(await page.getByText("Save this view").count(), 0, "without filters");
      await page.goto(at("/runs?status=failed&worker=order"));
      await page.getByText("Save this view").click();
      await page.getByLabel("Name", { exact: true }).fill("Lost orders");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      const views = page.getByRole("list", { name: "Saved views" });
      await views.getByRole("link", { name: "Lost orders" }).waitFor();
      await page.goto(at("/runs"));
      await views.getByRole("link", { name: "Lost orders" }).click();
      await page.waitForURL(at("/runs?status=failed&worker=order"));
      assert.equal(await views.getByRole("link").getAttribute("aria-current"), "page");
      if (javaScriptEnabled) assert.deepEqual(await seriousViolations(page), []);
      await views.getByRole("button", { name: "Delete the view Lost orders" }).click();
      await page.getByText("Save this view").waitFor();
      assert.equal(await views.count(), 0);
      await tab.close();
    });
});

describe("A new webhook", () => {
  for (const [word, javaScriptEnabled] of MODES)
    it(`is checked before it is added, and added if its address is allowed, ${word} script`, async () => {
      const tab = await openTab(browser, { javaScriptEnabled });
      const { page } = tab;
      const check = async (url: string): Promise<void> => {
        await page.getByLabel("URL", { exact: true }).fill(url);
        await page.getByRole("button", { name: /^Check/ }).click();
        await page.waitForURL(/\/webhooks\/add\?/);
      };
      await page.goto(at("/webhooks"));
      await check("http://169.254.169.254/latest/meta-data/");
      await page
        .getByRole("alert")
        .getByText(/resolves to an address of the local link.*Rejected by the rule/)
        .waitFor();
      assert.equal(await page.getByRole("button", { name: "Add the webhook" }).count(), 0);
      if (javaScriptEnabled) assert.deepEqual(await seriousViolations(page), []);
      await check(`${receiver.url}/${word}`);
      await page
        .getByRole("status")
        .getByText(/of this machine.*allowed because it is in the exempt ranges/)
        .waitFor();
      const kept = async (): Promise<number> => (await app.webhooks.list(new URLSearchParams())).total;
      const before = await kept();
      await page.getByRole("button", { name: "Add the webhook" }).click();
      await page.getByText("The webhook is active.").waitFor();
      assert.equal(await kept(), before + 1);
      await tab.close();
    });
});

describe("An existing webhook", () => {
  for (const [word, javaScriptEnabled] of MODES)
    it(`shows its responses, can be edited without losing input, and is removed after confirmation, ${word} script`, async () => {
      const url = `${receiver.url}/kept-${word}`;
      const headers = { authorization: "Bearer credential-of-the-receiver" };
      const { registration } = await app.webhooks.create({ url, events: ["graph.done"], headers });
      const { id } = registration;
      await app.webhooks.ping(id);
      await until(async () => (await app.webhooks.figures(id)).attempts === 1, "the ping");
      const tab = await openTab(browser, { javaScriptEnabled });
      const { page } = tab;
      await page.goto(at(`/webhooks/${id}`));
      assert.match(
        (await page.locator("dl.facts").innerText()).replaceAll(/\s+/g, " "),
        /Last response 2\d\d .*p99 \d+ ms/,
      );
      await page.getByRole("link", { name: "Edit…" }).click();
      if (javaScriptEnabled) assert.deepEqual(await seriousViolations(page), []);
      assert.doesNotMatch(await page.content(), /credential-of-the-receiver/);
      await page.getByLabel("URL", { exact: true }).fill("http://10.0.0.1/");
      await page.getByLabel("Description").fill("The till");
      await page.getByLabel(/^Graphs or workers/).fill("order, sync-catalogue");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("alert").getByText("URL refused").waitFor();
      assert.equal(await page.getByLabel("Description").inputValue(), "The till");
      await page.getByLabel("URL", { exact: true }).fill(url);
      await page.getByLabel("graph.failed").check();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The webhook is updated").waitFor();
      const kept = await app.webhooks.get(id);
      assert.deepEqual(
        [kept.events, kept.workers, kept.description, kept.header_names],
        [["graph.done", "graph.failed"], ["order", "sync-catalogue"], "The till", ["authorization"]],
      );
      await page.getByRole("link", { name: "Remove…" }).click();
      await page.getByText("It has no pending deliveries").waitFor();
      if (javaScriptEnabled) assert.deepEqual(await seriousViolations(page), []);
      await page.getByRole("button", { name: "Remove" }).click();
      await page.getByText("The webhook is removed.").waitFor();
      await assert.rejects(app.webhooks.get(id), { code: "SVC_NOT_FOUND" });
      await tab.close();
    });
});

describe("Permanently failed deliveries", () => {
  it("are previewed before they are resent: the list of them, and every byte of one", async () => {
    receiver.reply(500, 500);
    const { registration } = await app.webhooks.create({ url: `${receiver.url}/again`, events: ["graph.paused"] });
    const lost: string[] = [];
    for (let count = 0; count < 2; count++) lost.push((await app.webhooks.ping(registration.id)).delivery_id);
    const isLost = async (id: string): Promise<boolean> => (await app.webhooks.delivery(id)).status === "failed";
    for (const id of lost) await until(() => isLost(id), "the failure");
    const before = receiver.deliveries.length;
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(at(`/deliveries/${lost[0]}`));
    await page.getByRole("link", { name: "Preview request" }).click();
    await page
      .getByRole("region", { name: "Request" })
      .getByText(/^POST \/\S*again HTTP\/1\.1/)
      .waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await page.goto(at(`/webhooks/${registration.id}`));
    await page.getByRole("link", { name: "Resend failed deliveries…" }).click();
    await page.getByRole("heading", { name: "Resend 2 deliveries?" }).waitFor();
    assert.equal(await page.getByRole("row", { name: /^failed/ }).count(), 2);
    assert.deepEqual(await seriousViolations(page), []);
    assert.equal(receiver.deliveries.length, before);
    await page.getByRole("button", { name: "Resend 2" }).click();
    await page.getByText("Resending 2 deliveries.").waitFor();
    const sent = (await receiver.received(before + 2, 30_000)).slice(before);
    assert.deepEqual(sent.map(({ headers }) => String(headers["x-svc-delivery"])).sort(), lost.sort());
    await tab.close();
  });
});

describe("A screen with an active run", () => {
  it("reloads itself without script until the visitor stops that", async () => {
    const { snapshot } = await app.engine.start("sync-catalogue", null);
    const path = `/runs/${snapshot.graph_id}`;
    const isRunning = async (): Promise<boolean> =>
      (await app.engine.snapshot(snapshot.graph_id))?.nodes[0]?.status === "running";
    await until(isRunning, "the run to start");
    const tab = await openTab(browser, { javaScriptEnabled: false });
    const { page } = tab;
    // The same page with a shorter interval.
    await page.route(at(path), async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replace(
        'http-equiv="refresh" content="15"',
        'http-equiv="refresh" content="1"',
      );
      await route.fulfill({ response: answer, body });
    });
    let loads = 0;
    page.on("request", (request) => (loads += request.url() === at(path) ? 1 : 0));
    await page.goto(at(path));
    await until(async () => loads >= 2, "the reload");
    await page.getByRole("link", { name: "Turn it off" }).click();
    await page.waitForURL(`${at(path)}?still=1`);
    assert.equal(await page.locator("meta[http-equiv=refresh]").count(), 0);
    await page.getByRole("link", { name: "Turn it on" }).waitFor();
    await tab.close();
    const scripted = await openTab(browser);
    await scripted.page.goto(at(path));
    await alive(scripted.page);
    assert.equal(await scripted.page.locator("meta[http-equiv=refresh]").count(), 0);
    await scripted.close();
    await app.engine.cancel(snapshot.graph_id);
  });
});
