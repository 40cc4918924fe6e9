/** flow.js in Chromium, with the production CSP: a followed graph. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { createApp, html, route, type App, type Started } from "svckit";
import { graph, worker } from "svckit/graph";
import { launchBrowser, openTab, seenAs } from "./browser.ts";

const DEADLINE_MS = 30_000;
const env = {
  NODE_ENV: "production",
  SVC_DATABASE_URL: "memory:",
  SVC_SECRET: "s".repeat(32),
  SVC_LOG_LEVEL: "silent",
};

/** Gates at which workers wait until the test opens them. The first caller creates the gate. */
const gates = new Map<string, { opened: Promise<void>; releaseHeld: () => void }>();
function gate(name: string): { opened: Promise<void>; releaseHeld: () => void } {
  let known = gates.get(name);
  if (!known) {
    let releaseHeld = (): void => undefined;
    known = { opened: new Promise((done) => (releaseHeld = done)), releaseHeld: () => releaseHeld() };
    gates.set(name, known);
  }
  return known;
}

const list = worker("list", async (_input: unknown, ctx) => {
  await gate("list").opened;
  ctx.log("info", "three <b>found</b>");
  return ["a", "b", "c"];
});
const look = worker("look", async (name: string) => {
  await gate(name).opened;
  return name;
});
/** Performs a step per item, and fails for the items in this set. */
const broken = new Set<string>();
const carry = worker("carry", { retry: { max: 2, base: "1ms" } }, async (name: string, ctx) => {
  await ctx.step("lift", () => name);
  if (broken.has(name) || (name === "y" && ctx.attempt === 1)) throw new Error(`${name} was dropped`);
  return name;
});
const move = graph("move", (g) => {
  const names = g.node(
    "list",
    worker("boxes", () => ["x", "y", "z"]),
  );
  return g.map("look", carry, names, (found) => found);
});
const audit = graph("audit", (g) => {
  const names = g.node("list", list);
  return g.map("look", look, names, (found) => found);
});
const hidden = worker("hidden", async () => {
  await gate("hidden").opened;
});
const failing = worker("failing", { retry: { max: 1 } }, async () => {
  await gate("failing").opened;
  throw new Error("no");
});

const flowPage = route("GET", "/flow/:id", async (ctx) => {
  const id = ctx.params["id"] ?? "";
  const snapshot = await app.engine.snapshot(id);
  const src = `${app.eventsUrl(id)}&after=0`.replaceAll("&", "&amp;");
  const isOver = snapshot?.status === "done" || snapshot?.status === "failed";
  return html(
    `<!doctype html><title>Flow</title><h1>${isOver ? "Over" : "Active"}</h1>` +
      `<svc-flow src="${src}" data-status="${snapshot?.status}"${ctx.query.has("reload") && !isOver ? " reload" : ""}>` +
      `<p role="status" data-flow="status">${snapshot?.status}</p>` +
      `<p id="list" data-flow-node="list">list <b data-flow="status">pending</b></p>` +
      `<p id="look" data-flow-node="look" data-done="0" data-total="0">look <b data-flow="status"></b> ` +
      `<i data-flow="done">0</i> of <i data-flow="total">0</i><progress data-flow="progress"></progress></p>` +
      `<ol data-flow="log"></ol></svc-flow>` +
      `<script type="module" src="/_svc/flow.js" nonce="${ctx.nonce}"></script>`,
  );
});

const app: App = createApp({ routes: [flowPage], workers: [failing, hidden], graphs: [audit, move], env });
let started: Started;
let browser: Browser;

before(async () => {
  started = await app.start({ host: "127.0.0.1", port: 0 });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await started?.close();
});

/** Collects the sequence numbers of the page's events in its variable `seqs`. */
async function collectSeqs(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const collected = globalThis as { seqs?: number[] };
    collected.seqs = [];
    addEventListener("svc:flow", (event) => collected.seqs?.push((event as CustomEvent<{ seq: number }>).detail.seq));
  });
}

describe("flow.js", () => {
  const begin = async (worker: string): Promise<string> => (await app.engine.start(worker, null)).snapshot.graph_id;

  it("updates the server's markup with the state of a graph and its nodes", { timeout: DEADLINE_MS }, async () => {
    const id = await begin("audit");
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(`${started.url}/flow/${id}`);
    await page.locator('svc-flow[data-live][data-status="running"]').waitFor();
    await page.locator('#list[data-status="running"]', { hasText: "list running" }).waitFor();
    gate("list").releaseHeld();
    await page.locator("#list", { hasText: "list done" }).waitFor();
    await page.locator('#look[data-total="3"]', { hasText: "look running 0 of 3" }).waitFor();
    // A worker's message is text.
    assert.equal(await page.locator('li[data-level="info"]').innerHTML(), "three &lt;b&gt;found&lt;/b&gt;");
    gate("a").releaseHeld();
    await page.locator("#look", { hasText: "look running 1 of 3" }).waitFor();
    await page.locator('#look progress[value="1"][max="3"]').waitFor();
    gate("b").releaseHeld();
    gate("c").releaseHeld();
    await page.locator('svc-flow[data-status="done"]:not([data-live])', { hasText: "look done 3 of 3" }).waitFor();
    assert.equal(await page.getByRole("status").textContent(), "done");
    await tab.close();
  });

  it("counts an item once, even if it was retried and has steps", { timeout: DEADLINE_MS }, async () => {
    broken.add("z");
    const id = await begin("move");
    await app.engine.idle();
    const first = await openTab(browser);
    await first.page.goto(`${started.url}/flow/${id}`);
    await first.page.locator('svc-flow[data-status="failed"]:not([data-live])').waitFor();
    assert.match((await first.page.locator("#look").textContent()) ?? "", /^look failed 2 of 3/);
    await first.close();
    broken.clear();
    await app.engine.retry(id);
    await app.engine.idle();
    const second = await openTab(browser);
    await second.page.goto(`${started.url}/flow/${id}`);
    await second.page.locator('svc-flow[data-status="done"]:not([data-live])').waitFor();
    assert.match((await second.page.locator("#look").textContent()) ?? "", /^look done 3 of 3/);
    await second.close();
  });

  it(
    "dispatches each event once, and reloads the page at the end if the markup asks for it",
    { timeout: DEADLINE_MS },
    async () => {
      const id = await begin("failing");
      const tab = await openTab(browser);
      const { page } = tab;
      await page.addInitScript(() => {
        const seen: unknown[] = [];
        addEventListener("svc:flow", (event) => {
          seen.push((event as CustomEvent<{ seq: number }>).detail.seq);
          sessionStorage.setItem("seen", seen.join());
        });
      });
      await page.goto(`${started.url}/flow/${id}?reload`);
      await page.locator("svc-flow[data-live]").waitFor();
      gate("failing").releaseHeld();
      await page.locator("h1", { hasText: "Over" }).waitFor();
      await page.locator('svc-flow[data-status="failed"]').waitFor();
      const seqs = String(await page.evaluate("sessionStorage.getItem('seen')")).split(",");
      assert.deepEqual(
        seqs,
        seqs.map((_, at) => String(at + 1)),
      );
      await tab.close();
    },
  );

  it("follows a retried graph past its first end", { timeout: DEADLINE_MS }, async () => {
    const id = await begin("failing");
    gate("failing").releaseHeld();
    await app.engine.idle();
    await app.engine.retry(id);
    await app.engine.idle();
    const tab = await openTab(browser);
    const { page } = tab;
    await page.addInitScript(() => {
      const counts = globalThis as { ends?: number };
      addEventListener("svc:flow", (event) => {
        const { type } = (event as CustomEvent<{ type: string }>).detail;
        if (type === "graph.failed") counts.ends = (counts.ends ?? 0) + 1;
      });
    });
    await page.goto(`${started.url}/flow/${id}`);
    await page.waitForFunction(() => (globalThis as { ends?: number }).ends === 2);
    await page.locator('svc-flow[data-status="failed"]:not([data-live])').waitFor();
    await tab.close();
  });

  it("continues after a response that is not a stream, from its last event", { timeout: DEADLINE_MS }, async () => {
    const id = await begin("failing");
    gate("failing").releaseHeld();
    await app.engine.idle();
    const tab = await openTab(browser);
    const { page } = tab;
    await collectSeqs(page);
    const away = { status: 502, body: "nobody is behind this" };
    const answers = [
      { contentType: "text/event-stream", body: 'retry: 1\nid: 1\ndata: {"seq":1,"type":"graph.queued"}\n\n' },
      // The browser retries the broken stream, and then the script asks why it was rejected.
      away,
      away,
    ];
    const asked: (string | null)[] = [];
    await page.route("**/events?*", async (route) => {
      asked.push(new URL(route.request().url()).searchParams.get("after"));
      const answer = answers.shift();
      await (answer ? route.fulfill(answer) : route.continue());
    });
    await page.goto(`${started.url}/flow/${id}`);
    const lastSeq = (await app.engine.snapshot(id))?.last_seq ?? 0;
    await page.waitForFunction((last) => (globalThis as { seqs?: number[] }).seqs?.at(-1) === last, lastSeq);
    const seqs = await page.evaluate(() => (globalThis as { seqs?: number[] }).seqs);
    assert.deepEqual(
      seqs,
      Array.from({ length: lastSeq }, (_, at) => at + 1),
    );
    assert.deepEqual(asked, ["0", "0", "0", "1"]);
    assert.ok(tab.takeComplaints().every((complaint) => complaint.includes("502")));
    await tab.close();
  });

  it("has no connection while the page is hidden, and misses nothing", { timeout: DEADLINE_MS }, async () => {
    const id = await begin("hidden");
    const tab = await openTab(browser);
    const { page } = tab;
    await page.clock.install();
    await collectSeqs(page);
    const asked: (string | null)[] = [];
    page.on("request", (request) => {
      if (request.resourceType() === "eventsource") asked.push(new URL(request.url()).searchParams.get("after"));
    });
    await page.goto(`${started.url}/flow/${id}`);
    await page.locator('svc-flow[data-live][data-status="running"]').waitFor();
    // The second connection continues behind what the first one brought.
    await page.waitForFunction(() => ((globalThis as { seqs?: number[] }).seqs ?? []).length > 0);
    await seenAs(page, false);
    const left = page.waitForEvent("requestfailed", (request) => request.resourceType() === "eventsource");
    await page.clock.fastForward(10_000);
    await left;
    gate("hidden").releaseHeld();
    await app.engine.idle();
    await seenAs(page, true);
    await page.locator('svc-flow[data-status="done"]:not([data-live])').waitFor();
    // There is nothing to follow after the end of a graph.
    await seenAs(page, false);
    await page.clock.fastForward(10_000);
    await seenAs(page, true);
    assert.equal(asked.length, 2);
    assert.ok(Number(asked[1]) > 0);
    await tab.close();
  });
});
