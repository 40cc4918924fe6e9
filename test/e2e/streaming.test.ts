/** Streamed pages in a real browser, with the production policy. Tests open a gate for each deferred part. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchBrowser, openTab, type Tab } from "./browser.ts";
import { buildDemo, root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";

const app = join(root, "test/fixtures/runtime");
const folder = temporaryFolder();
let server: DemoServer;
let browser: Browser;
let runs = 0;

before(async () => {
  await buildDemo(app);
  server = await startDemo({ app, dataDir: join(folder.path, "data") });
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  folder.remove();
});

/** Lets a part arrive, or fail. */
type Report = (name: string, value?: string, isFailure?: boolean) => Promise<void>;

/** Opens a page up to its first part and fails on any browser error. @param prepare gets the empty tab before the page */
async function onStream(
  path: string,
  story: (page: Page, report: Report, tab: Tab) => Promise<void>,
  { prepare, ...options }: BrowserContextOptions & { prepare?: (page: Page) => Promise<unknown> } = {},
  { url }: { url: string } = server,
): Promise<void> {
  const run = `${path}-${++runs}`;
  const tab = await openTab(browser, options);
  await prepare?.(tab.page);
  const report: Report = async (name, value = name, isFailure = false) => {
    const query = new URLSearchParams({ run, name, value, ...(isFailure ? { fail: "" } : {}) });
    await (await fetch(`${url}/gate?${query}`)).text();
  };
  await tab.page.goto(`${url}${path}?run=${encodeURIComponent(run)}`, { waitUntil: "commit" });
  await story(tab.page, report, tab);
  await tab.close();
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const ALL = ["one", "two", "row", "list", "bad", "worse"];

describe("a page with browser code", () => {
  it("forgets a boundary that showed its fallback in a pending part, so that the page can become another page", () =>
    onStream("/failing-meanwhile", async (page, report, tab) => {
      await button(page, "Throw").click();
      await page.locator("#sorry").waitFor();
      assert.equal(await page.locator("svc-kept").count(), 1);
      await report("piece");
      await page.locator("#come").waitFor();
      assert.equal(await page.locator("svc-kept").count(), 0);
      assert.ok(tab.takeComplaints().every((complaint) => complaint.includes("thrown meanwhile")));
    }));

  it("answers events before its parts arrive, and places the parts in any order", () =>
    onStream("/streaming", async (page, report) => {
      const asked: string[] = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname.replace(/-[0-9a-f]{8}/, "")));
      const first = page.waitForResponse("**/_svc/core.js");
      await button(page, "Count 0").click();
      await (await first).finished();
      assert.ok(asked.includes("/_svc/stream.js") && asked.includes("/_svc/handler/streaming.js"), "beside core");
      await button(page, "Count 1").waitFor();
      assert.equal(await page.locator("#wait-one").textContent(), "one is on its way");
      await report("two");
      await page.locator("#two b", { hasText: "two: 1" }).waitFor();
      assert.equal(await page.locator("#wait-two").count(), 0);
      assert.equal(await page.locator("#wait-one").count(), 1);
      assert.equal(await page.locator("#two").getAttribute("data-tone"), "plain");
      await report("one");
      await page.locator("#one b", { hasText: "one: 1" }).waitFor();
      assert.equal(await page.locator("#one").getAttribute("data-tone"), "loud");
      await report("row", "a row");
      await page.locator("tbody > #row", { hasText: "a row" }).waitFor();
      assert.equal(await page.locator("#wait-row").count(), 0);
      const order = await page
        .locator("main > :is(section, #between, table)")
        .evaluateAll((found) => found.map(({ id }) => id));
      assert.deepEqual(order, ["one", "between", "two", ""]);
      for (const name of ALL) await report(name);
      await page.waitForLoadState("load");
      assert.equal(await page.locator("[data-svc-piece], [data-svc-wait], svc-wait").count(), 0);
    }));

  it("runs handlers and moments of a part, with the signals of the page", () =>
    onStream("/streaming", async (page, report) => {
      await report("one");
      await page.locator("#one").waitFor();
      await page.locator("#one output", { hasText: "1" }).waitFor();
      await button(page, "one 0").click();
      await button(page, "one 1").waitFor();
      await button(page, "Count 0").click();
      await page.locator("#one b", { hasText: "one: 1" }).waitFor();
      await report("two");
      await page.locator("#two b", { hasText: "two: 1" }).waitFor();
      // An event type that no element of the first part has.
      await button(page, "Add ten to two").dblclick();
      await page.locator("#one b", { hasText: "one: 11" }).waitFor();
      await button(page, "Count 11").waitFor();
      for (const name of ALL) await report(name);
      await page.waitForLoadState("load");
      assert.equal(await page.locator("#one output").textContent(), "1", "onLoad ran once");
    }));

  it("ends up equal to the same page without streaming", () =>
    onStream("/streaming", async (page, report) => {
      // Scope numbers follow the order of writing, and streamed scopes name the stream part.
      const written = (): Promise<string> =>
        page.evaluate(() =>
          document.querySelector("main")!.outerHTML.replaceAll(/ s="\d+ ([^"]*?)(?: stream)?"/g, ' s="$1"'),
        );
      for (const name of ["worse", "two", "list", "row", "one"]) await report(name);
      await report("bad", "no luck", true);
      await page.locator("#caught").waitFor();
      await page.waitForLoadState("load");
      await page.locator("#one output", { hasText: "1" }).waitFor();
      await page.locator("#two output", { hasText: "1" }).waitFor();
      const streamed = await written();
      const answer = await page.reload();
      assert.doesNotMatch((await answer?.text()) ?? "", /data-svc-(?:piece|wait)/);
      await page.locator("#one output", { hasText: "1" }).waitFor();
      await page.locator("#two output", { hasText: "1" }).waitFor();
      assert.equal(streamed, await written());
    }));

  it("loads only the loader without events, and wakes parts when their values change", () =>
    onStream("/streaming", async (page, report, { scripts }) => {
      for (const name of ["list", "row", "bad", "worse"]) await report(name);
      await page.locator("#row").waitFor();
      assert.deepEqual(scripts, ["/_svc/loader.js"]);
      await button(page, "Unshift").click();
      await page.locator("#items > li", { hasText: "2 done" }).waitFor();
      assert.deepEqual(await page.locator("#items > li").allTextContents(), ["2 done", "1 open"]);
      for (const name of ALL) await report(name);
    }));

  it("updates a list that arrives after its data changed", () =>
    onStream("/streaming", async (page, report) => {
      await button(page, "Unshift").click();
      await button(page, "Unshift").click();
      await report("list");
      await page.locator("#items > li", { hasText: "3 done" }).waitFor();
      assert.deepEqual(await page.locator("#items > li").allTextContents(), ["3 done", "2 done", "1 open"]);
      await button(page, "Unshift").click();
      await page.locator("#items > li", { hasText: "4 done" }).waitFor();
      for (const name of ALL) await report(name);
    }));

  it("shows the fallback of a failed part, logs the error, and continues", () =>
    onStream("/streaming", async (page, report) => {
      await report("bad", "no luck", true);
      await page.locator("#caught", { hasText: "no luck" }).waitFor();
      await report("worse", "a secret", true);
      await page.locator("#fallback").waitFor();
      assert.match(server.output(), /"reqId":"[^"]+"[^\n]*"page":"\/streaming"[^\n]*"message":"a secret"/);
      for (const name of ALL) await report(name);
      await page.locator("#two").waitFor();
    }));

  it("shows everything without script, and hides the placeholders", () =>
    onStream(
      "/streaming",
      async (page, report) => {
        await page.locator("#between").waitFor();
        assert.equal(await page.locator("#wait-one").isVisible(), false);
        for (const name of ALL) await report(name);
        await page.waitForLoadState("load");
        for (const id of ["#one", "#two", "#row", "#items"]) assert.equal(await page.locator(id).isVisible(), true, id);
      },
      { javaScriptEnabled: false },
    ));

  it("runs visibility handlers in parts, including later ones", () =>
    onStream("/late-moments", async (page, report, { scripts }) => {
      await button(page, "Count 0").waitFor();
      assert.ok(!scripts.includes("/_svc/moments.js"));
      await report("one");
      await page.locator("#one #seen", { hasText: /^seen$/ }).waitFor();
      await report("two");
      await page.locator("#two #seen", { hasText: /^seen$/ }).waitFor();
    }));

  it("may have browser code only in a part", () =>
    onStream("/late", async (page, report, { scripts }) => {
      await page.getByRole("heading", { name: "Late" }).waitFor();
      assert.deepEqual(scripts, []);
      await report("one");
      await page.locator("#one output", { hasText: "1" }).waitFor();
      await button(page, "Add ten to one").dblclick();
      await page.locator("#one b", { hasText: "one: 15" }).waitFor();
    }));
});

describe("a page without browser code", () => {
  it("arrives in order, without any script", () =>
    onStream("/in-order", async (page, report, { scripts }) => {
      await page.getByRole("heading", { name: "In order" }).waitFor();
      await report("two");
      await report("one");
      await page.locator("#two", { hasText: "two" }).waitFor();
      assert.equal(await page.locator("#last").count(), 0);
      await report("inner");
      await page.locator("#last").waitFor();
      await page.waitForLoadState("load");
      assert.deepEqual(await page.locator("main > p").allTextContents(), ["one", "two inner", "last"]);
      assert.equal(await page.locator("script, svc-wait, template, noscript").count(), 0);
      assert.deepEqual(scripts, []);
    }));
});

describe("a resource", () => {
  it("arrives with the page as a part, and is fetched again when its source changes", () =>
    onStream("/resource", async (page, report, { scripts }) => {
      await page.locator("#wait").waitFor();
      await report("one", "a,b");
      await page.locator("#words", { hasText: "ab" }).waitFor();
      await page.waitForLoadState("networkidle");
      assert.deepEqual(scripts, ["/_svc/loader.js"]);
      await button(page, "Two").click();
      await page.locator("#first", { hasText: "first: a …" }).waitFor();
      await report("two", "b,c,d");
      await page.locator("#words", { hasText: "bcd" }).waitFor();
      await page.locator("#count", { hasText: "3 fine" }).waitFor();
      await page.locator("#first", { hasText: "first: b ." }).waitFor();
    }));

  it("is not fetched again in the browser if the server has fetched it", () =>
    onStream("/resource", async (page, report) => {
      const asked: string[] = [];
      page.on("request", (request) => {
        if (request.method() === "POST") asked.push(request.url());
      });
      await report("one", "a");
      await page.locator("#words").waitFor();
      await button(page, "Other 0").click();
      await button(page, "Other 1").waitFor();
      assert.deepEqual(asked, []);
      await button(page, "Again").click();
      await page.waitForRequest((request) => request.method() === "POST").catch(() => undefined);
      assert.equal(asked.length, 1);
    }));

  it("keeps the value of the last of several fetches, in any order of responses", () =>
    onStream("/resource", async (page, report) => {
      await report("one", "a");
      await page.locator("#words").waitFor();
      await button(page, "Two").click();
      await button(page, "Three").click();
      await report("three", "three");
      await page.locator("#words", { hasText: "three" }).waitFor();
      await report("two", "two");
      await button(page, "Other 0").click();
      await button(page, "Other 1").waitFor();
      assert.equal(await page.locator("#words").textContent(), "three");
    }));

  it("keeps its value when a fetch fails, and exposes the error", () =>
    onStream("/resource", async (page, report, { takeComplaints }) => {
      await report("one", "a");
      await page.locator("#words").waitFor();
      await button(page, "Two").click();
      await report("two", "a secret", true);
      await page.locator("#count", { hasText: "1 " }).filter({ hasNotText: "fine" }).waitFor();
      assert.equal(await page.locator("#words").textContent(), "a");
      await button(page, "Three").click();
      await report("three", "c");
      await page.locator("#count", { hasText: "1 fine" }).waitFor();
      takeComplaints();
    }));

  it("that arrives while the page is in use is applied, and its pending state ends", () =>
    onStream("/resource-shown", async (page, report) => {
      await page.locator("#busy", { hasText: "busy" }).waitFor();
      await button(page, "Other 0").click();
      await button(page, "Other 1").waitFor();
      await report("one", "a,b");
      await page.locator("#words", { hasText: "ab" }).waitFor();
      await page.locator("#busy", { hasText: "idle" }).waitFor();
      await button(page, "Two").click();
      await page.locator("#busy", { hasText: "busy" }).waitFor();
      await report("two", "c");
      await page.locator("#words", { hasText: "c" }).waitFor();
      await page.locator("#busy", { hasText: "idle" }).waitFor();
    }));

  it("ends its pending state on arrival, even if no event has happened", () =>
    onStream("/resource-shown", async (page, report) => {
      await page.locator("#busy", { hasText: "busy" }).waitFor();
      await report("one", "a,b");
      await page.locator("#busy", { hasText: "idle" }).waitFor();
      assert.equal(await page.locator("#words").textContent(), "ab");
    }));

  it("ends its pending state when the loader is the last script to load", () => {
    const prepare = (page: Page): Promise<unknown> => {
      const stream = page.waitForResponse("**/_svc/stream.js");
      return page.route("**/_svc/loader.js", async (route) => {
        await (await stream).finished();
        await route.continue();
      });
    };
    return onStream(
      "/resource-shown",
      async (page, report) => {
        await report("one", "a,b");
        await page.locator("#busy", { hasText: "idle" }).waitFor();
        await button(page, "Two").click();
        await report("two", "b,c");
        await page.locator("#words", { hasText: "bc" }).waitFor();
      },
      { prepare },
    );
  });

  it("that failed on the server shows the catch, reveals no secret, and can be fetched again", () =>
    onStream("/resource-shown", async (page, report) => {
      await report("one", "a secret", true);
      await page.locator("#caught").waitFor();
      await page.locator("#busy", { hasText: "idle" }).waitFor();
      assert.doesNotMatch(await page.content(), /a secret/);
    }));

  it("that the browser never fetches again needs no script", () =>
    onStream("/fetched", async (page, report, { scripts }) => {
      await report("one", "a,b");
      await page.locator("#words", { hasText: "a b" }).waitFor();
      await page.waitForLoadState("load");
      assert.deepEqual(scripts, []);
    }));
});

describe("a streamed page under svc dev", () => {
  it("has working parts, handlers and resources", async () => {
    const dev = await startDemo({
      app,
      command: "dev",
      dataDir: join(folder.path, "dev"),
      env: { NODE_ENV: "development" },
    });
    try {
      const stream = async (page: Page, report: Report): Promise<void> => {
        await button(page, "Count 0").click();
        await button(page, "Count 1").waitFor();
        await report("one");
        await page.locator("#one b", { hasText: "one: 1" }).waitFor();
        await button(page, "one 0").click();
        await button(page, "one 1").waitFor();
        for (const name of ALL) await report(name);
        await page.waitForLoadState("load");
      };
      await onStream("/streaming", stream, {}, dev);
      const fetching = async (page: Page, report: Report): Promise<void> => {
        await report("one", "a,b");
        await page.locator("#words", { hasText: "ab" }).waitFor();
        await button(page, "Two").click();
        await report("two", "b,c");
        await page.locator("#words", { hasText: "bc" }).waitFor();
      };
      await onStream("/resource-shown", fetching, {}, dev);
    } finally {
      await dev.stop();
    }
  });
});
