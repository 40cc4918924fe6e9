/** The operator screens in a browser: live updates, keyboard, without script, narrow windows, accessibility. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { App, Started } from "svckit";
import { createFullStackApp } from "svckit/fullstack";
import { SimulatedClock } from "svckit/testing";
import { localOperator, OPERATOR_KEY, opsSample, orderInput, runTo, until } from "../contract/ops-app.ts";
import { launchBrowser, openTab, seenAs, seriousViolations } from "./browser.ts";

let app: App;
let started: Started;
let browser: Browser;
let failed: string;
let done: string;
let waiting: string;
let delivery: string;

const at = (path: string): string => `${started.url}/_svc/ops${path}`;

/** Starts a run that only ends when it is cancelled. */
async function endless(): Promise<string> {
  const { snapshot } = await app.engine.start("sync-catalogue", null);
  const id = snapshot.graph_id;
  await until(async () => (await app.engine.snapshot(id))?.nodes[0]?.status === "running", "the run to start");
  return id;
}

function phaseIs(id: string, phase: string): Promise<void> {
  return until(async () => (await app.engine.snapshot(id))?.phase === phase, phase);
}

before(async () => {
  app = opsSample({ env: { SVC_EXEC_API_KEY: OPERATOR_KEY }, more: { demo: true } });
  started = await app.start({ host: "127.0.0.1", port: 0 });
  browser = await launchBrowser();
  failed = await runTo(app, "order", orderInput(7), "failed");
  done = await runTo(app, "order", orderInput(3), "done");
  const { snapshot } = await app.engine.start("order", orderInput(5, 30), { tags: ["wholesale"] });
  waiting = snapshot.graph_id;
  const isWaiting = async (): Promise<boolean> =>
    ((await app.engine.snapshot(waiting))?.nodes ?? []).some(
      ({ kind, status }) => kind === "wait" && status === "waiting",
    );
  await until(isWaiting, "the wait");
  const hook = await app.webhooks.create({ url: `${started.url}/_svc/demo/webhook-inbox`, events: ["graph.done"] });
  delivery = (await app.webhooks.ping(hook.registration.id)).delivery_id;
  // Open a stream, and make the rate limit reject a client.
  await fetch(started.url + app.eventsUrl(waiting));
  for (let guess = 0; guess <= 10; guess++)
    await fetch(`${started.url}/_svc/status`, { headers: { authorization: "Bearer guess" } });
  await app.engine.queues.pause("pack", { by: "ada", note: "the belt stands still" });
});
after(async () => {
  await browser.close();
  await started.close();
});

/** Waits until the script has started. */
function alive(page: Page): Promise<void> {
  return page.locator("#ops-live:not([hidden])").waitFor({ state: "attached" });
}

/** Waits until the module for selecting ranges has loaded. */
async function brushed(page: Page): Promise<void> {
  await page.locator("[data-brush]").first().waitFor();
  await page.evaluate(`import("/_svc/ops-brush.js")`);
}

/** Drags along the plot, in shares of its width, without releasing the button. */
async function drag(page: Page, from: number, to: number): Promise<void> {
  const box = (await page.locator("[data-brush]").boundingBox()) ?? assert.fail("there is no plot");
  const y = box.y + box.height / 3;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * to, y, { steps: 3 });
  await page.locator(".brush").waitFor();
}

/** A run that does not exist. */
const MISSING = "/runs/g_01M81TEBC3WXS51NJC17E31197";

/** Every screen, with content. */
function screens(): string[] {
  return [
    "",
    "/runs",
    "?range=day",
    "/runs?worker=nobody",
    "/runs?group=tag",
    MISSING,
    "/runs/bulk?status=failed&which=all&step=retry",
    `/runs/${failed}?node=charge&tab=attempts`,
    `/runs/${waiting}`,
    `/runs/${waiting}?view=events`,
    `/runs/compare?run=${failed}`,
    `/runs/compare?run=${failed}&with=${done}&node=charge`,
    `/runs/${failed}?view=audit&tab=raw`,
    "/queues",
    "/schedules",
    "/webhooks",
    `/deliveries/${delivery}`,
    `/deliveries/${delivery}/replay`,
    "/workers",
    "/requests",
    "/audit",
    "/settings",
    "/go",
  ];
}

describe("The requests screen", () => {
  it("shows open requests and rejected clients, and updates itself", async () => {
    const tab = await openTab(browser);
    await tab.page.goto(at("/requests"));
    await tab.page
      .getByRole("row", { name: /events.* stream/ })
      .first()
      .waitFor();
    await tab.page.getByRole("row", { name: /operator-key/ }).waitFor();
    const leaving = new AbortController();
    const headers = { "x-request-id": "come-later" };
    await fetch(started.url + app.eventsUrl(waiting), { headers, signal: leaving.signal });
    const row = tab.page.getByText("come-later");
    await row.waitFor();
    leaving.abort();
    await row.waitFor({ state: "detached" });
    await tab.close();
  });
});

describe("Every operator screen", () => {
  const themes = [["light"], ["dark", ["color-contrast"]]] as const;
  for (const [colorScheme, rules] of themes)
    it(`is accessible (axe) and does not scroll horizontally from 320 px on, ${colorScheme}`, async () => {
      const tab = await openTab(browser, { colorScheme, viewport: { width: 1280, height: 900 } });
      const problems: string[] = [];
      for (const path of screens()) {
        await tab.page.setViewportSize({ width: 1280, height: 900 });
        await tab.page.goto(at(path));
        for (const problem of await seriousViolations(tab.page, rules)) problems.push(`${path}: ${problem}`);
        for (const width of [320, 360, 768]) {
          await tab.page.setViewportSize({ width, height: 800 });
          const wide = await tab.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          if (wide > 0) problems.push(`${path}: ${wide} px too wide at ${width}`);
        }
      }
      assert.deepEqual(problems, []);
      // One of the screens is that of a run that does not exist.
      assert.deepEqual(
        tab.takeComplaints().filter((line) => !line.includes("404") || !line.includes(MISSING)),
        [],
      );
      await tab.close();
    });

  it("can be reached by keyboard", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(at(""));
    await alive(page);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent?.trim()), "Skip to content");
    const titles = {
      r: "Runs",
      q: "Queues",
      s: "Schedules",
      w: "Webhooks",
      k: "Workers",
      n: "Requests",
      a: "Audit trail",
      e: "Settings",
      o: "Overview",
    };
    for (const [key, title] of Object.entries(titles)) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      await alive(page);
    }
    await page.goto(at("/runs"));
    await alive(page);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/runs\/g_/);
    await page.goto(at("/runs"));
    await alive(page);
    await page.keyboard.press("/");
    await page.keyboard.type(failed.slice(0, 20));
    await page.keyboard.press("Enter");
    await page.waitForURL(/id=g_/);
    await tab.close();
  });

  it("lets the visitor select a range of durations by dragging or with the arrow keys, and clear it", async () => {
    const tab = await openTab(browser, { viewport: { width: 1280, height: 900 } });
    const { page } = tab;
    await page.goto(at("/runs"));
    await brushed(page);
    const columns = page.locator("[data-brush] svg a");
    // The combined filters of two columns' links.
    const rangeOf = (first: number, last: number): Promise<(string | null)[]> =>
      columns.evaluateAll(
        (all, [from, to]) =>
          (
            [
              [from, "longer"],
              [to, "shorter"],
            ] as const
          ).map(([place, name]) =>
            new URL(all.at(place)?.getAttribute("href") ?? "", location.href).searchParams.get(name),
          ),
        [first, last] as const,
      );
    const inAddress = (): (string | null)[] => {
      const { searchParams } = new URL(page.url());
      return [searchParams.get("longer"), searchParams.get("shorter")];
    };
    await drag(page, 0.02, 0.98);
    await page.keyboard.press("Escape");
    await page.locator(".brush").waitFor({ state: "detached" });
    await page.mouse.up();
    await drag(page, 0.02, 0.98);
    const all = await rangeOf(0, -1);
    await page.mouse.up();
    await page.getByRole("link", { name: "All durations" }).waitFor();
    assert.deepEqual(inAddress(), all);
    await brushed(page);
    await page.locator("[data-brush] svg").dblclick({ position: { x: 2, y: 2 } });
    await page.waitForURL(at("/runs"));
    await brushed(page);
    await columns.first().focus();
    await page.keyboard.press("Shift+ArrowRight");
    const two = await rangeOf(0, 1);
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "All durations" }).waitFor();
    assert.deepEqual(inAddress(), two);
    await tab.close();
  });

  it("lets the visitor zoom a run's timeline by dragging, keys and links, and reset it with Escape", async () => {
    const tab = await openTab(browser, { viewport: { width: 1280, height: 900 } });
    const { page } = tab;
    const whole = at(`/runs/${done}`);
    const shown = (): (string | null)[] => {
      const { searchParams } = new URL(page.url());
      return [searchParams.get("from"), searchParams.get("to")];
    };
    await page.goto(whole);
    await brushed(page);
    await page.locator("[data-brush]").scrollIntoViewIfNeeded();
    await drag(page, 0.5, 0.7);
    await page.mouse.up();
    const all = page.getByRole("link", { name: "Reset zoom" });
    await all.waitFor();
    const [from, to] = shown().map(Number);
    assert.ok(from !== undefined && to !== undefined && 0 < from && from < to, page.url());
    await alive(page);
    await page.keyboard.press("+");
    await page.waitForURL((url) => url.searchParams.get("from") !== String(from));
    await alive(page);
    await page.keyboard.press("Escape");
    await page.waitForURL(whole);
    await tab.close();
    const plain = await openTab(browser, { javaScriptEnabled: false });
    await plain.page.goto(whole);
    await plain.page.getByRole("link", { name: "Zoom in" }).click();
    await plain.page.getByRole("link", { name: "Earlier" }).click();
    await plain.page.getByRole("link", { name: "Reset zoom" }).click();
    await plain.page.waitForURL(whole);
    await plain.close();
  });

  it("ignores shortcuts in text fields, and if they are turned off", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(at("/settings"));
    await alive(page);
    await page.locator("#ops-shortcuts").uncheck();
    await page.reload();
    await alive(page);
    assert.equal(await page.locator("#ops-shortcuts").isChecked(), false);
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    assert.match(page.url(), /settings$/);
    await page.locator("#ops-shortcuts").check();
    await page.goto(at("/runs"));
    await page.getByLabel("Tag", { exact: true }).focus();
    await page.keyboard.type("g r");
    assert.equal(await page.getByLabel("Tag", { exact: true }).inputValue(), "g r");
    await tab.close();
  });
});

describe("A bulk action", () => {
  it("can be undone with and without script, and its page shows the result by itself", async () => {
    const clock = new SimulatedClock();
    const other = opsSample({ ops: { undo: "1s" }, more: { clock } });
    const site = await other.start({ host: "127.0.0.1", port: 0 });
    const { snapshot } = await other.engine.start("sync-catalogue", null);
    const phase = async (): Promise<string | undefined> => (await other.engine.snapshot(snapshot.graph_id))?.phase;
    await until(async () => (await phase()) === "running", "the run to start");
    const confirm = async (page: Page): Promise<void> => {
      await page.goto(`${site.url}/_svc/ops/runs/bulk?which=all&step=cancel`);
      await page.getByRole("button", { name: "Cancel 1" }).click();
      await page.getByRole("heading", { name: "Cancelling 1 run in 1 s" }).waitFor();
    };
    for (const javaScriptEnabled of [false, true]) {
      const tab = await openTab(browser, { javaScriptEnabled });
      await confirm(tab.page);
      if (javaScriptEnabled) assert.deepEqual(await seriousViolations(tab.page), []);
      await tab.page.getByRole("button", { name: "Undo" }).click();
      await tab.page.getByText("Nothing was changed: operator undid it.").waitFor();
      await tab.close();
    }
    await clock.advance(5000);
    assert.equal(await phase(), "running");
    const tab = await openTab(browser);
    await confirm(tab.page);
    await clock.advance(1000);
    await until(async () => {
      await clock.advance(1);
      return (await phase()) === "failed";
    }, "the cancellation");
    await tab.page.getByText("1 run changed.").waitFor();
    await tab.close();
    await site.close();
  });
});

/** Presses a button of the run screen, and waits for the message. */
async function press(page: Page, name: string, reported: RegExp): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByText(reported).waitFor();
}

describe("A run on its screen", () => {
  for (const javaScriptEnabled of [true, false])
    it(`can be paused, resumed, cancelled, retried and terminated ${javaScriptEnabled ? "with" : "without"} script`, async () => {
      const id = await endless();
      const tab = await openTab(browser, { javaScriptEnabled });
      const { page } = tab;
      await page.goto(at(`/runs/${id}`));
      await press(page, "Pause", /Pausing: running nodes/);
      assert.equal(await page.getByRole("button", { name: /^Pause: The run is pausing/ }).isDisabled(), true);
      await press(page, "Resume", /^Resumed\.$/);
      await page
        .getByLabel(/^Reason/)
        .first()
        .fill("not needed");
      await press(page, "Cancel", /Cancelled\./);
      await phaseIs(id, "failed");
      await page.goto(at(`/runs/${id}`));
      await press(page, "Retry", /^Retrying\.$/);
      await phaseIs(id, "running");
      await press(page, "Terminate", /^Terminated\. Nothing was compensated\.$/);
      await phaseIs(id, "failed");
      await tab.close();
    });

  it("can be rerun from a node with another input, as a new run", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(at(`/runs/${failed}?node=charge`));
    await page.getByText("Rerun from here…").click();
    await page.getByLabel(/^Input of the node in the new run/).fill(JSON.stringify(orderInput(2)));
    await page.getByRole("button", { name: "As a new run" }).click();
    await page.getByText("Started a new run from charge.").waitFor();
    assert.match(page.url(), /\/runs\/g_/);
    assert.ok(!page.url().includes(failed));
    await tab.close();
  });
});

describe("Two compared runs", () => {
  for (const javaScriptEnabled of [true, false])
    it(`are selected in the list, and show their differences, ${javaScriptEnabled ? "with" : "without"} script`, async () => {
      const tab = await openTab(browser, { javaScriptEnabled });
      const { page } = tab;
      await page.goto(at("/runs?worker=order"));
      for (const id of [failed, done]) await page.getByRole("checkbox", { name: `Select ${id}` }).check();
      await page.getByRole("button", { name: "Compare selected runs" }).click();
      await page.getByRole("heading", { level: 1, name: "Compare two runs of order" }).waitFor();
      await page.getByRole("link", { name: "charge", exact: true }).click();
      await page.getByRole("heading", { name: "Input and output of charge" }).waitFor();
      const row = page.getByRole("row", { name: /^order / });
      assert.deepEqual((await row.getByRole("cell").allTextContents()).sort(), ['"2026-1003"', '"2026-1007"']);
      await tab.close();
    });

  it("can be reached from a run, whose ID can be copied", async () => {
    const tab = await openTab(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = tab;
    await page.goto(at(`/runs/${done}`));
    await page.getByRole("button", { name: "Copy the ID" }).click();
    await page.getByText("Copied", { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), done);
    await page.getByRole("link", { name: "Compare with another run" }).click();
    await page.getByRole("heading", { level: 1, name: /^Compare .* with…/ }).waitFor();
    await tab.close();
  });
});

describe("The overview", () => {
  it("shows and announces live activity, which can be paused", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(at(""));
    await alive(page);
    const id = await runTo(app, "order", orderInput(37), "failed");
    await page.locator(`.ticker a[title="${id}"]`).first().waitFor();
    await page.locator("[data-ear]", { hasText: /new: .*order/ }).waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Pause", exact: true }).last().click();
    const next = await runTo(app, "order", orderInput(47), "failed");
    await page.locator(`[data-live="latest"] a[title="${next}"]`).waitFor();
    assert.equal(await page.locator(`.ticker a[title="${next}"]`).count(), 0);
    await page.getByRole("button", { name: "Pause", pressed: true }).click();
    await page.locator(`.ticker a[title="${next}"]`).first().waitFor();
    await tab.close();
  });

  it("shows the first run of an app live, in the visitor's time zone", async () => {
    const young = createFullStackApp(
      { env: { SVC_DATABASE_URL: "memory:", SVC_LOG_LEVEL: "error" }, ops: { authorize: localOperator } },
      {},
    );
    const site = await young.start({ host: "127.0.0.1", port: 0 });
    const tab = await openTab(browser, { timezoneId: "Asia/Kolkata" });
    const { page } = tab;
    const overview = await page.context().newPage();
    await overview.goto(`${site.url}/_svc/ops`);
    await page.goto(`${site.url}/_svc/ops/runs`);
    await page.getByRole("button", { name: "Run the demo graph" }).click();
    await page.getByRole("heading", { level: 1, name: "svc-demo" }).waitFor();
    await overview.getByRole("heading", { name: "Live activity" }).waitFor();
    await page.goto(`${site.url}/_svc/ops/settings`);
    await alive(page);
    await page.getByRole("button", { name: "Use this zone" }).click();
    await page.getByText(/^Now: .*(?:IST|GMT\+5:30)$/).waitFor();
    await tab.close();
    await site.close();
  });
});

describe("The content of a screen", () => {
  it("updates live, except for rows in use", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(at("/runs?worker=nightly-report"));
    await page.getByText("No runs match these filters").waitFor();
    await app.engine.start("nightly-report", null);
    await page.getByRole("cell", { name: "done" }).waitFor();
    await page.getByRole("checkbox", { name: /^Select/ }).check();
    await app.engine.start("nightly-report", null);
    await page.getByText("2 runs", { exact: true }).waitFor();
    assert.equal(await page.getByRole("checkbox", { name: /^Select/ }).count(), 1);
    await tab.close();
  });

  it("is fetched only when something it shows has changed", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(at("/runs?worker=nightly-report"));
    await page.getByText("live", { exact: true }).waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    // The screen does not show these changes; the demo's inbox receives an event.
    await app.engine.queues.pause("pick-line");
    await app.engine.queues.resume("pick-line");
    const { snapshot } = await app.engine.start("nightly-report", null);
    await page.locator(`a[title="${snapshot.graph_id}"]`).waitFor();
    const documents = asked.filter((path) => path === "/_svc/ops/runs").length;
    assert.ok(documents === 1 || documents === 2, asked.join());
    assert.ok(!asked.includes("/_svc/live"), asked.join());
    await tab.close();
  });

  it("updates without a page load while its widgets are live", async () => {
    const id = await endless();
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(at(`/runs/${id}`));
    await page.getByText("live", { exact: true }).nth(1).waitFor();
    await page.evaluate(() => Object.assign(window, { isTheSame: true }));
    await app.engine.pause(id);
    await page.locator("[data-live=head]").getByText("pausing").waitFor();
    assert.equal(await page.evaluate(() => "isTheSame" in window), true);
    await app.engine.cancel(id);
    await tab.close();
  });

  it("follows nothing while hidden, and catches up when visible again", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(at("/runs?worker=nightly-report"));
    await page.getByText("live", { exact: true }).waitFor();
    const streams = async (): Promise<number> => (await app.operations.status()).event_streams;
    const before = await streams();
    await seenAs(page, false);
    await until(async () => (await streams()) === before - 1, "the stream to close");
    const { snapshot } = await app.engine.start("nightly-report", null);
    assert.equal(await page.locator(`a[title="${snapshot.graph_id}"]`).count(), 0);
    await seenAs(page, true);
    await page.locator(`a[title="${snapshot.graph_id}"]`).waitFor();
    await tab.close();
  });

  it("shows that it is paused until it follows again, without announcing it", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(at("/runs?worker=nightly-report"));
    const pill = page.locator("#ops-live");
    const says = async (text: string): Promise<string | null> => {
      await pill.getByText(text).waitFor();
      return pill.getAttribute("aria-live");
    };
    await pill.getByText("live", { exact: true }).waitFor();
    let goOn = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => (goOn = resolve));
    await page.route("**/_svc/live?**", async (asked) => {
      await isHeld;
      await asked.continue();
    });
    await seenAs(page, false);
    await seenAs(page, true);
    assert.equal(await says("paused"), "off");
    goOn();
    assert.equal(await says("live"), "off");
    await page.evaluate(() => dispatchEvent(new Event("offline")));
    assert.equal(await says("offline"), null);
    await tab.close();
  });

  it("loses nothing when the server restarts", async () => {
    const first = opsSample();
    const site = await first.start({ host: "127.0.0.1", port: 0 });
    const { port } = new URL(site.url);
    const tab = await openTab(browser);
    await tab.page.goto(`${site.url}/_svc/ops/runs`);
    await tab.page.getByText("live", { exact: true }).waitFor();
    await site.close();
    const second = opsSample();
    const again = await second.start({ host: "127.0.0.1", port: Number(port) });
    const id = await runTo(second, "nightly-report", null, "done");
    await tab.page.locator(`a[title="${id}"]`).waitFor();
    await tab.page.getByText("live", { exact: true }).waitFor();
    await tab.leave();
    await again.close();
  });

  it("says if the server cannot be reached", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(at("/queues"));
    await page.context().setOffline(true);
    await page.getByText(/offline/).waitFor();
    await tab.leave();
  });

  it("updates live in an app that enforces Trusted Types", async () => {
    const strict = opsSample({ more: { security: { trustedTypes: true } } });
    const site = await strict.start({ host: "127.0.0.1", port: 0 });
    const tab = await openTab(browser);
    await tab.page.goto(`${site.url}/_svc/ops/runs`);
    await tab.page.getByText("No runs yet").waitFor();
    await strict.engine.start("nightly-report", null);
    await tab.page.getByRole("cell", { name: "done" }).waitFor();
    await tab.close();
    await site.close();
  });
});
