/** The graph widgets in Chromium, with the production CSP and running graphs. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { App, Started } from "svckit";
import { launchBrowser, openTab, saidIn, seenAs, seriousViolations, streamsOf, type Tab } from "./browser.ts";
import { createFlowApp, Gates, MANY } from "./flow-app.ts";
import { countFrames, threadMs, type Frames } from "./flow-frames.ts";

const DEADLINE_MS = 30_000;
const HERE = { host: "127.0.0.1", port: 0 };

let browser: Browser;
let app: App;
let started: Started;
let gates: Gates;

before(async () => {
  gates = new Gates();
  app = createFlowApp(gates);
  [browser, started] = await Promise.all([launchBrowser(), app.start(HERE)]);
});
after(async () => {
  await browser?.close();
  await started?.close();
});

/** Orders that occupy workers' slots; cancelled after each test. */
const orders: string[] = [];
afterEach(async () => {
  for (const id of orders.splice(0)) await app.engine.cancel(id).catch(() => undefined);
});

async function begin(of: App, name: string, input: object | number): Promise<string> {
  return (await of.engine.start(name, input as never)).snapshot.graph_id;
}

/** An order in which everything has run except what waits: the parcels from 20 on, charge-card and check-fraud. */
async function settledOrder(parcels: number): Promise<string> {
  const id = await begin(app, "order", { parcels, hasNote: false });
  orders.push(id);
  const running = parcels > 20 ? 7 : 2;
  for await (const _event of app.engine.subscribe(id, 0, AbortSignal.timeout(DEADLINE_MS))) {
    const { nodes = [] } = (await app.engine.snapshot(id)) ?? {};
    const ended = nodes.filter(({ status }) => status === "done" || status === "failed").length;
    if (nodes.filter(({ status }) => status === "running").length === running && ended >= Math.min(parcels, 20)) break;
  }
  return id;
}

async function lastSeq(of: App, id: string): Promise<number> {
  return (await of.engine.snapshot(id))?.last_seq ?? 0;
}

async function open(url: string, options: Parameters<typeof openTab>[1] = {}): Promise<Tab> {
  const tab = await openTab(browser, options);
  await tab.page.goto(url);
  return tab;
}

const isLive = (page: Page) => page.waitForSelector("svc-live[data-live]", { timeout: DEADLINE_MS });
const nodeAt = (page: Page, name: string, status: string) =>
  page.waitForSelector(`.svc-node[data-status="${status}"] [data-node="${name}"]`, { timeout: DEADLINE_MS });

describe("A page that takes a token", () => {
  it("shows and follows its graph for a visitor with a token, with and without script", async () => {
    const id = await settledOrder(3);
    const url = `${started.url}/shared/${id}?token=${app.graphToken(id, "read")}`;
    const plain = await open(url, { javaScriptEnabled: false });
    await plain.page.getByRole("heading", { name: "Order 42" }).waitFor();
    await plain.close();
    const { page, close } = await open(url);
    await page.locator("svc-live[data-live]").first().waitFor({ state: "attached" });
    gates.open(id, "check-fraud");
    await page.locator('[data-part="l:check-fraud"][data-status="done"]').waitFor({ state: "attached" });
    await close();
  });

  it("shows nothing to a stranger, and opens no stream", async () => {
    const id = await settledOrder(3);
    const { page, close } = await open(`${started.url}/shared/${id}`);
    await page.getByText("This run does not exist, or its link has expired").first().waitFor();
    assert.equal(await page.locator("svc-live").count(), 0);
    await close();
  });
});

describe("The page of a graph", () => {
  it("shows picture, summary, list and log of a graph without script", async () => {
    const tab = await open(`${started.url}/jobs/${await settledOrder(128)}`, { javaScriptEnabled: false });
    const text = await tab.page.innerText("main");
    assert.match(
      text,
      /1 of 8 nodes done, 3 running: check-fraud, charge-card, pack-parcel, 1 skipped: gift-note, 1 failed in pack-parcel/,
    );
    assert.match(text, /128 items: 1 failed, 5 running, 103 queued, 19 done/);
    assert.match(text, /node\.ready\s+pack-parcel\/99/);
    assert.equal(await tab.page.locator(".svc-node a[href^='#flow-']:visible").count(), 8);
    assert.equal(await tab.page.locator("[data-form='wide'] .svc-edge[data-state='untaken']").count(), 2);
    assert.equal(await tab.page.locator("[data-pill]:visible, [data-filter]:visible").count(), 0);
    await tab.close();
  });

  it("follows the graph to its end over one connection", async () => {
    const id = await settledOrder(24);
    const tab = await openTab(browser);
    const streams = streamsOf(tab.page);
    await tab.page.goto(`${started.url}/jobs/${id}`);
    await isLive(tab.page);
    await nodeAt(tab.page, "check-fraud", "running");
    gates.open(id, "check-fraud");
    await nodeAt(tab.page, "check-fraud", "done");
    gates.open(id, "charge-card", "pack-parcel");
    await nodeAt(tab.page, "approve", "waiting");
    await tab.page.locator("text=check-fraud").nth(1).waitFor();
    await app.engine.signal(id, "approval", { by: "ada" });
    await nodeAt(tab.page, "ship", "running");
    gates.open(id, "ship");
    await tab.page.waitForSelector(".svc-state [data-status='done']", { timeout: DEADLINE_MS });
    await nodeAt(tab.page, "ship", "done");
    assert.match(
      await tab.page.innerText(".svc-summary"),
      /^6 of 8 nodes done, 1 failed: pack-parcel, 1 skipped: gift-note$/,
    );
    await tab.page.waitForSelector("text=graph.done", { timeout: DEADLINE_MS });
    assert.equal(streams.length, 1);
    assert.deepEqual(await seqs(tab.page), upTo(await lastSeq(app, id)).slice(-(await seqs(tab.page)).length));
    await tab.close();
  });

  it("can be operated with the keyboard: along edges, into the list, zoom in and out", async () => {
    const tab = await open(`${started.url}/jobs/${await settledOrder(3)}`);
    const { page } = tab;
    await isLive(page);
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-node"));
    await page.locator(".svc-view:visible").focus();
    const width = () => page.locator(".svc-picture:visible").evaluate((svg) => svg.clientWidth);
    const before = await width();
    await page.keyboard.press("+");
    assert.ok((await width()) > before);
    await page.keyboard.press("-");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "receive");
    await page.keyboard.press("ArrowRight");
    const second = await focused();
    assert.notEqual(second, "receive");
    await page.keyboard.press("ArrowDown");
    assert.notEqual(await focused(), second);
    await page.keyboard.press("ArrowLeft");
    assert.equal(await focused(), "receive");
    await page.keyboard.press("Enter");
    assert.match(page.url(), /#flow-g_\w+-receive$/);
    await tab.close();
  });

  it("keeps the focus while updates arrive", async () => {
    const id = await begin(app, "chat", 0);
    const tab = await open(`${started.url}/jobs/${id}`);
    const { page } = tab;
    await isLive(page);
    await page.locator("[data-node='chat']").focus();
    gates.open(id, "chat");
    await nodeAt(page, "chat", "done");
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-node")), "chat");
    await tab.close();
  });

  it("has a map for more than 60 nodes, which pans to the clicked position", async () => {
    const id = await begin(app, "long", 0);
    const tab = await open(`${started.url}/jobs/${id}`);
    const { page } = tab;
    await isLive(page);
    assert.equal(await page.locator(".svc-map rect").count(), 63);
    const { width = 0, height = 0 } = (await page.locator(".svc-map").boundingBox()) ?? {};
    await page.locator(".svc-map").click({ position: { x: width - 3, y: height / 2 } });
    assert.ok((await page.locator(".svc-view").evaluate((box) => box.scrollLeft)) > 1000);
    await tab.close();
  });

  it("filters its log by kind and text", async () => {
    const tab = await open(`${started.url}/jobs/${await settledOrder(3)}`);
    const { page } = tab;
    await isLive(page);
    await page.selectOption("[data-filter] select", "log");
    assert.deepEqual(await page.locator(".svc-event:visible .svc-event-text").allInnerTexts(), [
      "order of <b>3</b> parcels",
    ]);
    await page.fill("[data-filter] [type=search]", "nothing like it");
    assert.equal(await page.locator(".svc-event:visible").count(), 0);
    await tab.close();
  });

  it("keeps its elements few and its frames short during 10,000 events, with the CPU throttled four times", async (t) => {
    const id = await begin(app, "chat", 10_000);
    const tab = await openTab(browser);
    await tab.page.addInitScript(countFrames);
    const client = await tab.page.context().newCDPSession(tab.page);
    await client.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    // Thread time of the page: independent of the machine's other load.
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
    await tab.page.goto(`${started.url}/jobs/${id}`);
    await isLive(tab.page);
    const before = await threadMs(client);
    // Only now: on a busy machine the graph could end before the page has come.
    gates.open(id, "chat");
    await tab.page.waitForSelector("text=graph.done", { timeout: 2 * DEADLINE_MS });
    const rows = await seqs(tab.page);
    assert.ok(rows.length <= 300, `${rows.length} rows`);
    assert.deepEqual(
      rows,
      [...new Set(rows)].sort((a, b) => a - b),
    );
    const total = await lastSeq(app, id);
    assert.equal(rows.at(-1), total);
    assert.equal(Number(await tab.page.getAttribute("[data-before]", "data-before")) + rows.length, total);
    const elements = await tab.page.evaluate(() => document.querySelectorAll("svc-live *").length);
    const took = (await threadMs(client)) - before;
    const { slices, mostRows, tasks } = await tab.page.evaluate(() => (window as unknown as { frames: Frames }).frames);
    t.diagnostic(
      `${total} events: ${elements} elements, ${slices} frames with updates, of ${(took / slices).toFixed(1)} ms of the page's thread each, ` +
        `${mostRows} rows at most; long tasks of ${tasks.map(Math.round).join(", ") || "none"} ms`,
    );
    // The number of steps and the time per frame are limited; layout and other browser work come on top.
    assert.ok(took / slices < 50, `${took} ms for ${slices} slices`);
    assert.ok(mostRows <= 300, `${mostRows} rows at once`);
    await tab.close();
  });
});

/** The sequence numbers of the events in the page. */
async function seqs(page: Page): Promise<number[]> {
  return page.locator("[data-seq]").evaluateAll((rows) => rows.map((row) => Number(row.getAttribute("data-seq"))));
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}

/** Runs in the page: records what live regions announce about the connection. */
function hearStates(): void {
  const heard: string[] = ((window as unknown as { heard: string[] }).heard = []);
  const ears = document.querySelectorAll("[role=status]");
  const hear = new MutationObserver((changes) => {
    for (const { target } of changes)
      if (!/nodes? done/.test(target.textContent ?? "")) heard.push(target.textContent ?? "");
  });
  for (const ear of ears) hear.observe(ear, { childList: true, characterData: true, subtree: true });
}

/** Globals of the pages that tests swap. */
interface Changing {
  become(response: Response): Promise<void>;
  response: Response;
  /** Pending animation frames. */
  frames: FrameRequestCallback[];
}

/** Fetches a page for `become`. */
async function fetchInto(page: Page, url: string): Promise<void> {
  await page.waitForFunction(() => "become" in self);
  await page.evaluate(async (from) => {
    const response = await fetch(from);
    const { status, headers } = response;
    const text = await response.text();
    Object.assign(self, { response: new Response(text, { status, headers }) });
  }, url);
}

const become = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const { become: swap, response } = self as unknown as Changing;
    return swap(response);
  });

/** Completes an order. */
async function finish(id: string): Promise<void> {
  gates.open(id, "check-fraud", "charge-card", "pack-parcel", "ship");
  for await (const { type } of app.engine.subscribe(id, 0, AbortSignal.timeout(DEADLINE_MS)))
    if (type === "node.waiting") await app.engine.signal(id, "approval");
}

describe("A page that is swapped, as after a form", () => {
  it("shows the end of its graph, even if the swapped page was rendered before it", async () => {
    const id = await settledOrder(3);
    const url = `${started.url}/changing/${id}`;
    const { page, close } = await open(url);
    await isLive(page);
    await fetchInto(page, url);
    await finish(id);
    // Twice: at the second time the page knows what the first one wrote.
    for (let times = 0; times < 2; times++) {
      await page.waitForSelector("text=graph.done", { timeout: DEADLINE_MS });
      await nodeAt(page, "ship", "done");
      await page.waitForSelector(".svc-state [data-status='done']");
      await page.waitForSelector("[data-part='l:ship'][data-status='done']");
      assert.deepEqual(await seqs(page), upTo(await lastSeq(app, id)));
      if (times === 0) await become(page);
    }
    await close();
  });

  it("shows no event twice that the new page already contains", async () => {
    const id = await settledOrder(3);
    const url = `${started.url}/changing/${id}`;
    const { page, close } = await open(url);
    await isLive(page);
    await page.evaluate(() => {
      const frames: FrameRequestCallback[] = [];
      Object.assign(self, { frames, requestAnimationFrame: (frame: FrameRequestCallback) => frames.push(frame) });
    });
    await finish(id);
    const last = await lastSeq(app, id);
    await page.waitForSelector(`.svc-events[data-at="${last}"]`, { state: "attached", timeout: DEADLINE_MS });
    await fetchInto(page, url);
    await become(page);
    await page.evaluate(() => {
      const { frames } = self as unknown as Changing;
      for (let frame = frames.shift(); frame; frame = frames.shift()) frame(0);
    });
    assert.deepEqual(await seqs(page), upTo(last));
    await close();
  });

  it("follows the graph of the new page, and no longer the old one", async () => {
    const [id, other] = [await settledOrder(3), await settledOrder(3)];
    const { page, close } = await open(`${started.url}/changing/${id}`);
    await isLive(page);
    await fetchInto(page, `${started.url}/changing/${other}`);
    await become(page);
    await finish(other);
    await nodeAt(page, "ship", "done");
    await page.waitForSelector("text=graph.done", { timeout: DEADLINE_MS });
    assert.deepEqual(await seqs(page), upTo(await lastSeq(app, other)));
    await close();
  });

  it("keeps its tools, its zoom, and its log filter", async () => {
    const id = await settledOrder(3);
    const url = `${started.url}/changing/${id}`;
    const { page, close } = await open(url);
    await isLive(page);
    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.selectOption("[data-filter] select", "log");
    const picture = page.locator(".svc-picture:visible");
    const width = await picture.evaluate((svg) => svg.clientWidth);
    await fetchInto(page, url);
    await become(page);
    await isLive(page);
    assert.equal(await picture.evaluate((svg) => svg.clientWidth), width);
    await page.getByRole("button", { name: "Zoom in" }).click();
    assert.ok((await picture.evaluate((svg) => svg.clientWidth)) > width);
    assert.equal(await page.locator(".svc-tools:visible").count(), 1);
    assert.equal(await page.locator(".svc-event:visible").count(), 1);
    assert.equal(await page.locator("[data-pill]:visible").count(), 2);
    await close();
  });
});

describe("A restart of the server", () => {
  it("neither loses nor duplicates events, and the widgets continue", async (test) => {
    const folder = mkdtempSync(join(tmpdir(), "svc-flow-"));
    const own = new Gates();
    const options = {
      drain: { deadline: "200ms" },
      env: {
        NODE_ENV: "production",
        SVC_DATABASE_URL: `sqlite:${join(folder, "flow.db")}`,
        SVC_SECRET: "s".repeat(32),
        SVC_LOG_LEVEL: "silent",
      },
    };
    const first = createFlowApp(own, options);
    const server = await first.start(HERE);
    const id = await begin(first, "order", { parcels: 3, hasNote: true });
    const tab = await openTab(browser);
    await tab.page.goto(`${server.url}/jobs/${id}`);
    await isLive(tab.page);
    await nodeAt(tab.page, "check-fraud", "running");
    await tab.page.evaluate(hearStates);
    await server.close();
    await tab.page.waitForSelector("svc-live:not([data-live])", { timeout: DEADLINE_MS, state: "attached" });
    // The pill shows when it reconnects, with a growing delay.
    for (const wanted of [/^reconnecting\s*in [12] s$/, /^reconnecting\s*in [348] s$/])
      await tab.page.locator(".svc-flow .svc-pill", { hasText: wanted }).waitFor();
    const second = createFlowApp(own, options);
    const again = await second.start({ host: "127.0.0.1", port: Number(new URL(server.url).port) });
    test.after(() => again.close());
    own.open(id, "check-fraud", "charge-card", "pack-parcel", "ship");
    await nodeAt(tab.page, "approve", "waiting");
    await second.engine.signal(id, "approval");
    await nodeAt(tab.page, "ship", "done");
    await tab.page.waitForSelector("text=graph.done", { timeout: DEADLINE_MS });
    await isLive(tab.page);
    const heard = await tab.page.evaluate(() => (window as unknown as { heard: string[] }).heard);
    // The number of new events is announced there as well, every few seconds.
    assert.deepEqual(
      heard.filter((said) => !/^\d+ new events?$/.test(said)),
      ["reconnecting", "live"],
    );
    assert.deepEqual(await seqs(tab.page), upTo(await lastSeq(second, id)));
    assert.match(await tab.page.innerText(".svc-mark"), /^reconnected, \d+ events since$/);
    // The browser reports refused connections, as expected.
    assert.deepEqual(
      tab.takeComplaints().filter((line) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|ERR_EMPTY/.test(line)),
      [],
    );
    await tab.leave();
    await again.close();
    rmSync(folder, { recursive: true });
  });
});

describe("The widgets", () => {
  it("load only the modules that the page uses", async () => {
    const tab = await open(`${started.url}/ops`);
    await isLive(tab.page);
    assert.deepEqual(tab.scripts, ["/_svc/flow.js", "/_svc/flow-live.js"]);
    await tab.close();
  });

  it("are followed if a module fails to load, and get all rows once it loads", async () => {
    const id = await settledOrder(3);
    const tab = await openTab(browser);
    const { page } = tab;
    await page.route("**/flow-{log,graph}.js", (route) => route.abort());
    await page.goto(`${started.url}/jobs/${id}`);
    await isLive(page);
    gates.open(id, "check-fraud");
    await nodeAt(page, "check-fraud", "done");
    await page.unroute("**/flow-{log,graph}.js");
    await page.locator(".svc-tools:visible").waitFor();
    await page.locator("[data-filter]:visible").waitFor();
    await finish(id);
    await page.waitForSelector("text=graph.done", { timeout: DEADLINE_MS });
    assert.deepEqual(await seqs(page), upTo(await lastSeq(app, id)));
    await tab.close(/ERR_FAILED/);
  });

  it("are followed once their script loads after a failed request", async () => {
    const id = await settledOrder(3);
    const tab = await openTab(browser);
    const { page } = tab;
    await page.route("**/flow-live.js", (route) => route.abort());
    const failed = page.waitForEvent("requestfailed");
    await page.goto(`${started.url}/jobs/${id}`);
    await failed;
    await page.unroute("**/flow-live.js");
    await isLive(page);
    await tab.close(/ERR_FAILED/);
  });

  it("are all followed over several connections if one is not enough, each from its own position", async () => {
    const id = await settledOrder(3);
    const { page, close } = await openTab(browser);
    const streams = streamsOf(page);
    await page.goto(`${started.url}/many/${id}`);
    await page.waitForFunction((many) => document.querySelectorAll("svc-live[data-live]").length === many, MANY);
    const counts = streams.map((url) => new URL(url).searchParams.getAll("on").length);
    assert.deepEqual(counts, [20, MANY - 20]);
    await finish(id);
    await page.waitForFunction(
      ([many, rows]) =>
        [...document.querySelectorAll("[data-rows]")].filter((log) => log.children.length === rows).length === many,
      [MANY, await lastSeq(app, id)] as const,
    );
    assert.equal(streams.length, 2);
    await close();
  });

  it("close their connection some seconds after the page is hidden, and continue from their position", async () => {
    const id = await settledOrder(3);
    const tab = await openTab(browser);
    const { page } = tab;
    await page.clock.install();
    const streams = streamsOf(page);
    await page.goto(`${started.url}/jobs/${id}`);
    await isLive(page);
    await nodeAt(page, "check-fraud", "running");
    const pills = (): Promise<string[]> => page.locator("[data-pill]").allTextContents();
    const said = await saidIn(page);
    await seenAs(page, false);
    const left = page.waitForEvent("requestfailed", (request) => request.url() === streams[0]);
    await page.clock.fastForward(10_000);
    await left;
    assert.deepEqual(new Set(await pills()), new Set(["paused"]));
    assert.equal(await page.locator("svc-live[data-live]").count(), 0);
    await finish(id);
    // A hidden page does not reconnect when the network comes back.
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await page.clock.fastForward(60_000);
    assert.equal(streams.length, 1);
    await seenAs(page, true);
    await nodeAt(page, "ship", "done");
    await page.waitForSelector("text=graph.done", { timeout: DEADLINE_MS });
    assert.deepEqual(await seqs(page), upTo(await lastSeq(app, id)));
    assert.equal(streams.length, 2);
    assert.deepEqual(new Set(await pills()), new Set(["live"]));
    assert.deepEqual(
      (await said()).filter((text) => ["paused", "live"].includes(text)),
      [],
    );
    await tab.close();
  });

  it("keep their connection if the page is hidden only for a moment", async () => {
    const id = await settledOrder(3);
    const tab = await openTab(browser);
    const { page } = tab;
    await page.clock.install();
    const streams = streamsOf(page);
    await page.goto(`${started.url}/jobs/${id}`);
    await isLive(page);
    await seenAs(page, false);
    await page.clock.fastForward(5000);
    await seenAs(page, true);
    await page.clock.fastForward(60_000);
    gates.open(id, "check-fraud");
    await nodeAt(page, "check-fraud", "done");
    assert.equal(streams.length, 1);
    await tab.close();
  });

  it("count elapsed time by the server's clock, even if the browser's clock is off", async () => {
    const id = await settledOrder(3);
    const tab = await openTab(browser);
    const { page } = tab;
    await page.clock.install({ time: Date.now() + 5 * 3_600_000 });
    await page.goto(`${started.url}/jobs/${id}`);
    await isLive(page);
    gates.open(id, "check-fraud");
    await nodeAt(page, "check-fraud", "done");
    const took = page.locator('[data-part="l:charge-card"] .svc-took[data-since]');
    await took.evaluate((element) => (element.textContent = ""));
    await page.clock.runFor(1000);
    await took.filter({ hasText: /^(\d m )?\d+ s$/ }).waitFor();
    await tab.close();
  });

  it("update workers and overview live", async () => {
    const tab = await open(`${started.url}/ops`);
    await isLive(tab.page);
    await app.engine.queues.pause("send-mail", { note: "the server is down" });
    await tab.page.waitForSelector(".svc-workers >> text=paused: the server is down", { timeout: DEADLINE_MS });
    await app.engine.queues.resume("send-mail");
    const { snapshot } = await app.engine.start("chat", 1);
    await tab.page.waitForSelector(`.svc-ops time[title="${snapshot.graph_id}"]`, { timeout: DEADLINE_MS });
    await tab.close();
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it(`have no serious axe violation and fit into 360 pixels, ${colorScheme}`, async () => {
      const id = await settledOrder(128);
      for (const path of [`/jobs/${id}`, "/ops"]) {
        const tab = await open(started.url + path, { colorScheme, viewport: { width: 360, height: 740 } });
        await isLive(tab.page);
        assert.deepEqual(await seriousViolations(tab.page), [], path);
        const width = await tab.page.evaluate(() => document.documentElement.scrollWidth);
        assert.equal(width, 360, path);
        await tab.close();
      }
    });
  }

  it("show a status by shape and word in forced colors", async () => {
    const tab = await open(`${started.url}/jobs/${await settledOrder(3)}`, { forcedColors: "active" });
    await isLive(tab.page);
    const shape = tab.page.locator("[data-form='wide'] [data-node='receive'] .svc-node-shape");
    assert.notEqual(await shape.evaluate((path) => getComputedStyle(path).stroke), "none");
    assert.deepEqual(await seriousViolations(tab.page), []);
    await tab.close();
  });
});
