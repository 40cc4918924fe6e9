/** The demo's other pages in a real browser: resuming, shipped scripts and accessibility. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab, savePicture, seriousViolations } from "./browser.ts";
import { API_KEY, buildDemo, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";
import { graphEvents, startGraph } from "./graph-api.ts";

const folder = temporaryFolder();
let server: DemoServer;
let browser: Browser;

before(async () => {
  await buildDemo();
  server = await startDemo({ dataDir: folder.path, env: { SVC_WEBHOOK_SECRET: "b".repeat(64) } });
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  folder.remove();
});

describe("/counter", () => {
  it("loads the loader alone, then the core and its own code at the first click", async () => {
    const tab = await openTab(browser);
    await tab.page.goto(`${server.url}/counter`, { waitUntil: "networkidle" });
    assert.deepEqual(tab.scripts, ["/_svc/loader.js"]);
    await tab.page.getByRole("button", { name: "Add 1" }).click();
    await tab.page.getByText("Count: 1").waitFor();
    const [chunk, core, ...more] = tab.scripts.slice(1).sort((left, right) => right.length - left.length);
    assert.match(chunk ?? "", /^\/_svc\/handler\/counter-[\w-]+\.js$/);
    assert.equal(core, "/_svc/core.js");
    assert.deepEqual(more, []);
    await tab.close();
  });

  it("counts in both directions and keeps derived values in step", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(`${server.url}/counter`);
    for (let click = 0; click < 3; click++) await page.getByRole("button", { name: "Add 1" }).click();
    await page.getByRole("button", { name: "Subtract 1" }).click();
    await page.getByText("Count: 2").waitFor();
    assert.equal(await page.getByText("Double: 4").isVisible(), true);
    await tab.close();
  });

  it("has an inline stub of 200 bytes at most, and no other inline script", async () => {
    const html = await (await fetch(`${server.url}/counter`)).text();
    const inline = [...html.matchAll(/<script nonce="[^"]*">(.*?)<\/script>/gs)].map((match) => match[1] ?? "");
    assert.equal(inline.length, 1);
    assert.ok(Buffer.byteLength(inline[0] ?? "") <= 200, `${inline[0]?.length} bytes`);
  });

  it("counts clicks made while every script is still loading, each once", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    let release: () => void = () => {};
    const held = new Promise<void>((done) => (release = done));
    await page.route("**/*.js", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${server.url}/counter`, { waitUntil: "commit" });
    const add = page.getByRole("button", { name: "Add 1" });
    for (let click = 0; click < 3; click++) await add.click({ noWaitAfter: true });
    assert.equal(await page.getByText("Count: 0").isVisible(), true);
    release();
    await page.getByText("Count: 3").waitFor();
    await tab.close();
  });

  it("never runs its component again, and the code it loads contains no markup", async () => {
    const tab = await openTab(browser);
    const arrived = tab.page.waitForResponse((response) => response.url().includes("/_svc/handler/counter-"));
    await tab.page.goto(`${server.url}/counter`);
    await tab.page.getByRole("button", { name: "Add 1" }).click();
    const code = await (await arrived).text();
    assert.doesNotMatch(code, /Subtract|counter-heading|<section/);
    await tab.close();
  });
});

describe("/todo", () => {
  const rows = (page: Page) => page.locator(".todo-list li");
  const texts = (page: Page) => page.locator(".todo-list .text").allTextContents();

  it("adds typed text, trims it, and ignores empty input", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(`${server.url}/todo`);
    const input = page.getByLabel("What needs doing?");
    await input.fill("  Write <b>tests</b> & ship  ");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText("3 left").waitFor();
    assert.equal((await texts(page)).at(-1), "Write <b>tests</b> & ship");
    assert.equal(await input.inputValue(), "");
    await input.press("Enter");
    assert.equal(await rows(page).count(), 4);
    assert.equal(new URL(page.url()).search, "", "the form was not sent");
    await tab.close();
  });

  it("toggles and removes rows of the server and of the browser, and keeps the other elements", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(`${server.url}/todo`);
    await rows(page)
      .nth(2)
      .evaluate((row) => row.setAttribute("data-mine", ""));
    await page.getByLabel("What needs doing?").fill("New");
    await page.getByLabel("What needs doing?").press("Enter");
    await page.getByLabel("Done: New").check();
    await page.getByLabel("Done: Replace what is deprecated").check();
    await page.getByText("1 left").waitFor();
    assert.match((await rows(page).nth(1).getAttribute("class")) ?? "", /done/);
    await page.getByLabel("Remove: Read the lockfile").click();
    await page.getByLabel("Remove: New").click();
    assert.deepEqual(await texts(page), ["Replace what is deprecated", "Ask about unknown licences"]);
    assert.equal(await page.locator("li[data-mine]").count(), 1);
    await tab.close();
  });

  it("filters all, active and done, and shows a message when nothing is left", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(`${server.url}/todo`);
    await page.getByRole("button", { name: "Done", exact: true }).click();
    await page.locator('button[aria-pressed="true"]', { hasText: "Done" }).waitFor();
    assert.deepEqual(await texts(page), ["Read the lockfile"]);
    // A click, not uncheck(), because the row disappears with its box.
    await page.getByLabel("Done: Read the lockfile").click();
    await page.getByText("Nothing here.").waitFor();
    await page.getByRole("button", { name: "Active", exact: true }).click();
    assert.equal(await rows(page).count(), 3);
    assert.equal(await page.getByText("Nothing here.").count(), 0);
    await page.getByRole("button", { name: "All", exact: true }).click();
    assert.equal(await page.locator('.segments [aria-pressed="true"]').textContent(), "All");
    await tab.close();
  });

  it("edits in place: Enter and blur keep the text, Escape drops it, an empty text removes the row", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(`${server.url}/todo`);
    const edit = page.locator(".todo-list .edit");
    await page.getByRole("button", { name: "Read the lockfile", exact: true }).click();
    await edit.fill("Read it twice");
    await edit.press("Enter");
    await page.getByRole("button", { name: "Read it twice", exact: true }).click();
    await edit.fill("dropped");
    await edit.press("Escape");
    assert.equal((await texts(page))[0], "Read it twice");
    await page.getByRole("button", { name: "Ask about unknown licences", exact: true }).click();
    await edit.fill("Left by clicking elsewhere");
    await page.getByLabel("What needs doing?").click();
    await page.getByRole("button", { name: "Left by clicking elsewhere", exact: true }).waitFor();
    await page.getByRole("button", { name: "Replace what is deprecated", exact: true }).click();
    await edit.fill(" ");
    await edit.press("Enter");
    assert.deepEqual(await texts(page), ["Read it twice", "Left by clicking elsewhere"]);
    await tab.close();
  });

  it("puts the caret into the edited text", async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(`${server.url}/todo`);
    await page.getByRole("button", { name: "Read the lockfile", exact: true }).click();
    await page.locator(".todo-list .edit:focus").waitFor();
    await tab.close();
  });
});

describe("/static", () => {
  it("ships no script, no state and no marker", async () => {
    const html = await (await fetch(`${server.url}/static`)).text();
    assert.doesNotMatch(html, /<script|svc-state| on:|<!--/);
    const tab = await openTab(browser);
    await tab.page.goto(`${server.url}/static`, { waitUntil: "networkidle" });
    assert.deepEqual(tab.scripts, []);
    await tab.close();
  });
});

describe("the action echo", () => {
  const call = (headers: Record<string, string>) =>
    fetch(`${server.url}/_svc/action/echo`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ args: [1, "two", { three: [3] }] }),
    });

  it("returns its arguments to a caller with a CSRF token", async () => {
    const response = await fetch(`${server.url}/counter`);
    const cookie = response.headers.getSetCookie().map((line) => line.split(";")[0]);
    const token = /"csrf_token":"([^"]+)"/.exec(await response.text())?.[1] ?? "";
    const answer = await call({ cookie: cookie.join("; "), "x-svc-csrf": token });
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), { ok: true, value: [1, "two", { three: [3] }], error: null });
  });

  it("refuses a caller without one", async () => {
    const answer = await call({});
    assert.equal(answer.status, 403);
    assert.deepEqual(await answer.json(), { ok: false, value: null, error: "Forbidden" });
  });
});

describe("/_svc/demo", () => {
  it("sends a signed sample through the real delivery path and shows the received request", async () => {
    for (const javaScriptEnabled of [true, false]) {
      const tab = await openTab(browser, { javaScriptEnabled });
      const { page } = tab;
      await page.goto(`${server.url}/_svc/demo`);
      await page.getByRole("button").first().click();
      await page.getByText("graph.done").first().waitFor();
      const text = (await page.locator("body").textContent()) ?? "";
      assert.match(text, /"worker"/);
      assert.match(text, /x-svc-signature/i);
      if (javaScriptEnabled) {
        await savePicture(page, "demo-light");
        await page.emulateMedia({ colorScheme: "dark" });
        await savePicture(page, "demo-dark");
      }
      await tab.close();
    }
  });
});

describe("every page", () => {
  const paths = ["/", "/counter", "/todo", "/static", "/_svc/demo", "/no/such/page"];

  for (const colorScheme of ["light", "dark"] as const) {
    it(`has no serious accessibility violation in the ${colorScheme} scheme`, async () => {
      const lockfile = {
        lockfileVersion: 3,
        packages: { "node_modules/a": { version: "1.0.0", hasInstallScript: true } },
      };
      const done = await startGraph(server.url, { worker: "audit", input: { lockfile } });
      const failed = await startGraph(server.url, { worker: "audit", input: { lockfile: "{" } });
      const waiting = await startGraph(server.url, { worker: "audit", input: { lockfile }, delay_ms: 60_000 });
      for (const graph of [done, failed])
        for await (const event of graphEvents(server.url, graph)) assert.ok(event.seq);
      const audits = [done, failed, waiting].map((graph) => `/audits/${graph.graph_id}`);
      const found: string[] = [];
      for (const path of [...paths, ...audits]) {
        const tab = await openTab(browser, { colorScheme });
        await tab.page.goto(server.url + path);
        found.push(...(await seriousViolations(tab.page)).map((violation) => `${path} ${violation}`));
        if (path === "/") await savePicture(tab.page, `home-${colorScheme}`);
        // Chromium logs a 404 document as an error, although the test requested it.
        await (path === "/no/such/page" ? tab.page.context().close() : tab.close());
      }
      assert.deepEqual(found, []);
      await cancel(waiting.graph_id);
    });
  }

  it("fits a narrow screen without horizontal scrolling", async () => {
    const tab = await openTab(browser, { viewport: { width: 360, height: 720 } });
    for (const path of paths.slice(0, 5)) {
      await tab.page.goto(server.url + path);
      assert.equal(await tab.page.evaluate("document.documentElement.scrollWidth"), 360, path);
    }
    await tab.close();
  });
});

async function cancel(graphId: string): Promise<void> {
  const response = await fetch(`${server.url}/_svc/graphs/${graphId}/cancel`, {
    method: "POST",
    headers: { authorization: `Bearer ${API_KEY}` },
  });
  assert.equal(response.status, 202);
}
