/** Live updates of an open operator screen, and the visitor's state that survives them. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import type { Browser, Page, Request } from "playwright-core";
import type { App, Started } from "svckit";
import { opsSample, orderInput, until } from "../contract/ops-app.ts";
import { launchBrowser, openTab } from "./browser.ts";

describe("An open operator screen", () => {
  let app: App;
  let started: Started;
  let browser: Browser;
  let receiver: Server;
  let status = 503;

  /** Opens a screen and waits for its change stream. */
  const watch = async (page: Page, path: string): Promise<void> => {
    await page.goto(`${started.url}/_svc/ops${path}`);
    await page.locator("#ops-live", { hasText: /^live$/ }).waitFor();
    await page.evaluate(() => Object.assign(window, { isTheSame: true }));
  };
  const isTheSame = (page: Page): Promise<boolean> => page.evaluate(() => "isTheSame" in window);

  const running = async (): Promise<string> => {
    const { snapshot } = await app.engine.start("sync-catalogue", null);
    const id = snapshot.graph_id;
    await until(async () => (await app.engine.snapshot(id))?.nodes[0]?.status === "running", "the run to start");
    return id;
  };

  /** An order that waits for its approval as soon as the queue `approve` is resumed. */
  const aboutToWait = async (): Promise<string> => {
    await app.engine.queues.pause("approve");
    const { snapshot } = await app.engine.start("order", orderInput(5, 30));
    const id = snapshot.graph_id;
    const isPicked = async (): Promise<boolean> =>
      (await app.engine.snapshot(id))?.nodes.filter(({ status: each }) => each === "done").length === 14;
    await until(isPicked, "the other nodes");
    return id;
  };

  before(async () => {
    app = opsSample({ env: { SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" } });
    started = await app.start({ host: "127.0.0.1", port: 0 });
    browser = await launchBrowser();
    receiver = createServer((_, answer) => answer.writeHead(status).end());
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    await browser.close();
    await started.close();
    receiver.close();
  });

  it("updates the allowed actions, the error and the node when the run fails", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    const id = await running();
    await watch(page, `/runs/${id}?tab=output`);
    await page.locator("#node", { hasText: "No output: the status is running." }).waitFor();
    await app.engine.cancel(id);
    await page.getByRole("button", { name: "Retry", exact: true }).waitFor();
    assert.ok(await page.getByRole("button", { name: /^Cancel: / }).isDisabled());
    await page.locator(".notice", { hasText: "cancelled" }).waitFor();
    await page.locator("#node", { hasText: "No output: the status is failed." }).waitFor();
    assert.ok(await isTheSame(page));
    await tab.close();
  });

  it("shows the signal form when the run starts waiting, and keeps half-typed fields", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    const id = await aboutToWait();
    await watch(page, `/runs/${id}`);
    const why = page.locator('[data-live="steps"]').getByLabel(/^Reason/);
    await why.fill("it stands st");
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await app.engine.queues.resume("approve");
    const signal = page.locator("#signal");
    await signal.getByLabel(/^Payload/).fill('{"ok": fal');
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await app.engine.pause(id);
    await page.locator('[data-live="head"]', { hasText: "paused" }).waitFor();
    assert.equal(await signal.getByLabel(/^Payload/).inputValue(), '{"ok": fal');
    assert.equal(await why.inputValue(), "it stands st");
    await why.fill("");
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.getByRole("button", { name: "Resume", exact: true }).waitFor();
    assert.ok(await isTheSame(page));
    await app.engine.cancel(id);
    await tab.close();
  });

  it("keeps folds, focus, scroll positions and the selected tab when their part is replaced", async () => {
    const tab = await openTab(browser, { viewport: { width: 1280, height: 420 } });
    const { page } = tab;
    const id = await running();
    await app.engine.cancel(id);
    const order = await aboutToWait();
    await watch(page, `/runs/${order}?view=events&node=charge&tab=input`);
    const pane = page.locator("#node");
    const lines = pane.locator("summary", { hasText: "lines:" });
    const isOpen = (): Promise<boolean> =>
      lines.evaluate((summary) => (summary.parentElement as HTMLDetailsElement).open);
    const before = await isOpen();
    await lines.click();
    await pane.evaluate((element) => (element.scrollTop = 60));
    const scrolled = await pane.evaluate((element) => element.scrollTop);
    await page.evaluate(() => document.querySelector("#node .payload")?.setAttribute("data-old", ""));
    assert.ok(scrolled > 0);
    await app.engine.cancel(order);
    await pane.locator(".payload:not([data-old])").waitFor();
    assert.equal(await isOpen(), !before);
    assert.ok(await lines.evaluate((summary) => summary === document.activeElement));
    assert.equal(await pane.evaluate((element) => element.scrollTop), scrolled);
    assert.equal(await pane.locator("[aria-current=page]").textContent(), "Input");
    await tab.close();
  });

  it("loads only the scripts that sizes.json counts for a run", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await watch(page, `/runs/${await running()}`);
    await page.locator(".svc-tools").first().waitFor({ state: "attached" });
    await page.locator(".splitter").first().waitFor({ state: "attached" });
    assert.deepEqual(tab.scripts.toSorted(), [
      "/_svc/flow-graph.js",
      "/_svc/flow-live.js",
      "/_svc/ops-splitter.js",
      "/_svc/ops.js",
    ]);
    await tab.close();
  });

  it("refreshes again after a refresh that timed out", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    const path = `/runs/${await running()}`;
    await page.addInitScript(() => {
      const { prototype } = XMLHttpRequest;
      const timeout = Object.getOwnPropertyDescriptor(prototype, "timeout");
      // Shortens the timeout to a third of a second for the hanging request only: others may need longer on a busy machine.
      Object.defineProperty(prototype, "timeout", {
        ...timeout,
        set(this: XMLHttpRequest, ms: number) {
          timeout?.set?.call(this, "isHurried" in window ? ms / 90 : ms);
        },
      });
    });
    await watch(page, path);
    await page.evaluate(() => Object.assign(window, { isHurried: true }));
    const isRefresh = (request: Request): boolean => request.resourceType() === "xhr";
    await page.route(`**${path}`, () => undefined, { times: 1 });
    const [first] = await Promise.all([
      page.waitForRequest(isRefresh),
      page.evaluate(() => dispatchEvent(new Event("online"))),
    ]);
    await page.locator("#ops-live", { hasText: "offline" }).waitFor();
    await page.evaluate(() => Reflect.deleteProperty(window, "isHurried"));
    const [second] = await Promise.all([
      page.waitForRequest((request) => isRefresh(request) && request !== first),
      page.evaluate(() => dispatchEvent(new Event("online"))),
    ]);
    assert.equal((await second.response())?.status(), 200);
    await page.locator("#ops-live", { hasText: /^live$/ }).waitFor();
    await tab.leave();
  });

  it("updates the state of a webhook and of a delivery", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    const { port } = receiver.address() as AddressInfo;
    const { registration } = await app.webhooks.create({ url: `http://127.0.0.1:${port}/`, events: ["graph.done"] });
    const { delivery_id: delivery } = await app.webhooks.ping(registration.id);
    await watch(page, `/deliveries/${delivery}`);
    const facts = page.locator('[data-live="facts"]');
    await facts.getByText("retrying", { exact: true }).waitFor();
    await facts.getByText("Next attempt").waitFor();
    status = 200;
    await app.webhooks.replay(delivery);
    await facts.getByText("delivered").waitFor();
    await facts.getByText("Next attempt").waitFor({ state: "detached" });
    assert.ok(await isTheSame(page));
    await watch(page, `/webhooks/${registration.id}`);
    await app.webhooks.update(registration.id, { enabled: false });
    await page.getByRole("button", { name: "Enable", exact: true }).waitFor();
    assert.ok(await page.getByRole("button", { name: /^Ping: / }).isDisabled());
    assert.ok(await isTheSame(page));
    await tab.close();
  });
});
