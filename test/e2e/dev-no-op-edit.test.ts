/**
 * An edit without effect changes nothing: every page of the fixtures, after a click on each of its buttons, is the same before and
 * after its source is rendered again with the current values, and no page reloads.
 */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { appendFileSync, cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page, Request } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { buildDemo, root, startDemo, type DemoServer } from "./demo-server.ts";

/** Pages that may differ, with the reason. */
const EXCEPTIONS: Record<string, string> = {
  "/effects": "a handler removes an element from the DOM",
  "/created-failing": "a boundary that has caught an error tries again",
  "/failing": "a boundary that has caught an error tries again",
  "/failing-server": "one that has caught an error on the server loads the page anew",
};
/** The number of concurrent pages. Each has a connection of its own to follow the source. */
const TABS = 8;

declare global {
  /** The number of edits that have reached the page. */
  var followed: number;
}

/** Runs in the page: its complete content, except for the names of builds. */
function outline(): string[] {
  const volatile = new Set(["nonce", "data-build", "value", "checked", "selected", "open", "pt", "s"]);
  const lines: string[] = [];
  const visit = (element: Element): void => {
    // The output of development tools is not part of the page.
    if (
      element.hasAttribute("data-svc-dev") ||
      element.tagName === "SCRIPT" ||
      element.getAttribute("name") === "_csrf"
    )
      return;
    const attributes = [...element.attributes].filter(({ name }) => !volatile.has(name));
    const state = ["value", "checked", "open"].map((name) => String(Reflect.get(element, name)));
    const scope = element.getAttribute("s")?.replace(/-[0-9a-f]{8}-\d+.*/, "");
    lines.push(
      [element.tagName, scope, ...attributes.map(({ name, value }) => `${name}=${value}`).sort(), ...state].join(" "),
    );
    for (const child of element.childNodes) {
      if (child instanceof Element) visit(child);
      else if (child.nodeValue !== "") lines.push(`${child.nodeName} ${child.nodeValue}`);
    }
    lines.push(`/${element.tagName}`);
  };
  visit(document.documentElement);
  return lines;
}

/**
 * Opens a page and clicks every button. If that navigates away, it opens the page once more. The clicks are synthetic, because a
 * real pointer times out on a busy machine and would skip a button, and with it the end of a call that another click began.
 */
async function use(page: Page, url: string): Promise<string[]> {
  await page.goto(url);
  for (const button of await page.locator("button:visible").elementHandles())
    await button.evaluate((element) => (element as HTMLElement).click()).catch(wasLeft);
  return settled(page).catch(async () => {
    await page.goto(url);
    return settled(page);
  });
}

/** An earlier click may have navigated to another page, without this button. */
function wasLeft(error: unknown): void {
  if (!/Execution context was destroyed|because of a navigation|JSHandles can be evaluated only/.test(String(error)))
    throw error;
}

/** The pending action calls by page. `ends` emits an event for each completed call. */
const calls = new WeakMap<Page, { open: Set<Request>; ends: EventEmitter }>();
/** The longest time for a response. Only a failing test reaches it. */
const ANSWER_MS = 30_000;

async function newTab(): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  const [open, ends] = [new Set<Request>(), new EventEmitter()];
  calls.set(page, { open, ends });
  page.on("request", (request) => request.method() === "POST" && open.add(request));
  const end = (request: Request): void => void (open.delete(request) && ends.emit("end"));
  page.on("requestfinished", end);
  page.on("requestfailed", end);
  return page;
}

/** Resolves once the page has no pending calls. */
async function answered(page: Page): Promise<void> {
  const { open, ends } = calls.get(page) ?? assert.fail("the page is not one of the tabs");
  const signal = AbortSignal.timeout(ANSWER_MS);
  while (open.size > 0)
    await once(ends, "end", { signal }).catch(() => {
      const urls = [...open].map((request) => request.url());
      assert.fail(`${page.url()} waits for ${urls.join(", ")}`);
    });
}

/** The content of the page once no code and no response is pending. From now on the page counts edits that reach it. */
async function settled(page: Page): Promise<string[]> {
  await page.waitForFunction(() => !document.querySelector("[data-svc-pending]"));
  await answered(page);
  await page.evaluate(async () => {
    globalThis.followed = 0;
    addEventListener("svc:update", () => globalThis.followed++);
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  });
  return page.evaluate(outline);
}

let browser: Browser;
let tabs: Page[];

before(async () => {
  browser = await launchBrowser();
  tabs = await Promise.all(Array.from({ length: TABS }, newTab));
});

after(() => browser?.close());

describe("every page", () => {
  const fixture = join(root, "test/fixtures/runtime");
  const app = join(root, "out", `dev-no-op-edit-${process.pid}`);
  let server: DemoServer;
  let paths: string[];

  before(async () => {
    await buildDemo(fixture);
    const built = (await import(pathToFileURL(join(fixture, "dist/server/app.js")).href)) as {
      default: { pagePaths: readonly string[] };
    };
    cpSync(fixture, app, { recursive: true, filter: (path) => !/tsconfig\.json$|dist$|\.svc$/.test(path) });
    server = await startDemo({ app, command: "dev", dataDir: join(app, ".svc"), env: { NODE_ENV: "development" } });
    const isWhole = await Promise.all(
      built.default.pagePaths.map(async (path) => {
        const response = await fetch(server.url + path, { headers: { accept: "text/html" } });
        await response.body?.cancel();
        // A streamed page waits for the gates of its own tests.
        return response.headers.get("x-accel-buffering") === null;
      }),
    );
    paths = built.default.pagePaths.filter((path, at) => isWhole[at] && !(path in EXCEPTIONS));
  });

  after(async () => {
    await server?.stop();
    rmSync(app, { recursive: true, force: true });
  });

  it("stays the same after an edit without effect", { timeout: 240_000 }, async () => {
    for (let from = 0; from < paths.length; from += TABS) {
      const opened = paths.slice(from, from + TABS);
      const outlines = await Promise.all(opened.map((path, at) => use(tabs[at] as Page, server.url + path)));
      appendFileSync(join(app, "app.tsx"), `// edit ${from}\n`);
      for (const [at, path] of opened.entries()) {
        const page = tabs[at] as Page;
        await page
          .waitForFunction(() => globalThis.followed > 0, undefined, { timeout: 15_000 })
          .catch(async () => {
            assert.fail(`${path} did not follow\n${server.output().slice(-2000)}\n${await page.content()}`);
          });
        assert.deepEqual(await page.evaluate(outline), outlines[at], path);
      }
    }
    assert.ok(paths.length > 10);
  });
});
