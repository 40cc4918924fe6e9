/** Errors under `svc dev`: over the open page, on a page of their own, and with a link to the editor. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { APIResponse, Browser, Page } from "playwright-core";
import { launchBrowser, openTab, seriousViolations, type Tab } from "./browser.ts";
import { temporaryFolder } from "./demo-server.ts";
import { follower, startDevApp, type DevApp } from "./dev-app.ts";

const DESK = "pages/desk.tsx";
const HANDLER = "(count.value += 1)";

const tools = temporaryFolder();
const opened = join(tools.path, "opened");
let app: DevApp;
let browser: Browser;
let tab: Tab;
let page: Page;
let original: string;

before(async () => {
  mkdirSync(tools.path, { recursive: true });
  const editor = join(tools.path, "editor");
  writeFileSync(editor, `#!/bin/sh\necho "$@" > ${opened}.part && mv ${opened}.part ${opened}\n`);
  chmodSync(editor, 0o755);
  app = await startDevApp("faults", { LAUNCH_EDITOR: editor });
  original = app.read(DESK);
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await app?.stop();
  tools.remove();
});

beforeEach(async () => {
  tab = await openTab(browser);
  ({ page } = tab);
  await page.goto(`${app.url}/desk`);
  await page.locator("#mount", { hasText: "filled" }).waitFor();
});

/**
 * The expected console errors: a page answered with 500, code requested under its name from before the fix, and planted errors.
 * Any other error fails the test.
 */
afterEach(async () => {
  app.write(DESK, original);
  await page.goto("about:blank");
  const complaint = await tab.close().then(
    () => "",
    (error: Error) => error.message.replace(/^.*\n/, ""),
  );
  const others = complaint
    .split("\n")
    .filter((line) => !/^$|status of (?:500|404)|^page error: .*(?:planted|SVC202)|^ {4}at /.test(line));
  assert.deepEqual(others, []);
});

/** @returns `line:column` of `text` in the current source of the page */
function placeOf(text: string): string {
  const before = app.read(DESK).split(text)[0] ?? "";
  return `${before.split("\n").length}:${before.length - before.lastIndexOf("\n")}`;
}

const dialog = () => page.getByRole("alertdialog");

describe("an error under svc dev", () => {
  it("of the compiler is shown over the page, with code, location and code frame, and disappears once it is fixed", async () => {
    await page.locator("#one button").click();
    app.edit(DESK, HANDLER, "(total += count.value)", ["signal(props.start);", "signal(props.start); let total = 0;"]);
    await dialog().getByText("SVC101").waitFor();
    await dialog()
      .getByRole("heading", { name: /"total" is a let variable/ })
      .waitFor();
    await dialog().getByText("Write const total = signal").waitFor();
    await dialog()
      .getByRole("link", { name: `${DESK}:${placeOf("total +=")}` })
      .waitFor();
    assert.match(await dialog().locator("pre").innerText(), /> +\d+ \| .*total \+= count\.value/);
    assert.deepEqual(await seriousViolations(page), []);
    app.write(DESK, original);
    await dialog().waitFor({ state: "detached" });
    await page.locator("#one .count", { hasText: "Count: 2" }).waitFor();
  });

  it("of a file with several mistakes is shown with all of them, each with its name and location", async () => {
    app.edit(DESK, "<h1>Desk</h1>", '<h1 className="desk" onclick="x()">Desk</h1>');
    await dialog().getByText("Compile error 1 of 2: property-attribute").waitFor();
    await dialog().getByText("Compile error 2 of 2: invalid-handler").waitFor();
    for (const text of ["className=", "onclick="])
      await dialog()
        .getByRole("link", { name: `${DESK}:${placeOf(text)}` })
        .waitFor();
    assert.equal(await dialog().locator("pre").count(), 2);
    assert.deepEqual(await seriousViolations(page), []);
    app.write(DESK, original);
    await dialog().waitFor({ state: "detached" });
  });

  it("of rendering is shown with its location: invalid nesting across components, a value that can't be serialized", async () => {
    const added = [
      "function Outer(props: { when: Date }) { return <p><Inner {...props} /></p>; }",
      "class Socket {}",
      "function Wired(props: { by: Socket }) { return <b onClick={() => console.log(props.by)}>x</b>; }",
    ];
    const withHeading = (heading: string): string =>
      `${original.replace("<h1>Desk</h1>", heading)}\n${added.join("\n")}\n`;
    // In another file, because content of the same file counts as its caller's.
    const inner = "export function Inner(_props: { when: Date }) { return <div>nested</div>; }";
    app.write("pages/inner.tsx", inner);
    app.write(DESK, `import { Inner } from "./inner.tsx";\n${withHeading("<Outer when={new Date()} />")}`);
    await dialog().getByText("SVC203").waitFor();
    await dialog()
      .getByRole("link", { name: `pages/inner.tsx:1:${inner.indexOf("<div>") + 1}` })
      .waitFor();
    app.write(DESK, withHeading("<Wired by={new Socket()} />"));
    await dialog().getByText("SVC201").waitFor();
    await dialog()
      .getByRole("link", { name: `${DESK}:${placeOf("props.by")}` })
      .waitFor();
    app.write(DESK, original);
    app.write("pages/inner.tsx", undefined);
    await dialog().waitFor({ state: "detached" });
  });

  it("has the focus while it is shown, and Escape closes it and restores the focus", async () => {
    await page.getByLabel("Letter").focus();
    app.edit(DESK, "<h1>Desk</h1>", "<p><div>x</div></p>");
    await dialog().getByText("SVC108").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), "SVC-FAULT");
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Letter");
    await page.locator("#one button").click();
    await page.locator("#one .count", { hasText: "Count: 2" }).waitFor();
  });

  it("stays while the page applies an earlier edit", async () => {
    const chunk = (await page.locator("#one").getAttribute("s"))?.split(" ")[1] ?? assert.fail("the scope has a chunk");
    // Chunks of a later edit have another number at the end of their name.
    const isNew = (url: URL): boolean =>
      /\/handler\/desk-[^/]+\.js$/.test(url.pathname) && !url.pathname.endsWith(`${/-\d+$/.exec(chunk)?.[0]}.js`);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const answers: Promise<APIResponse>[] = [];
    await page.route(isNew, async (route) => {
      const answer = route.fetch();
      answers.push(answer);
      const response = await answer;
      await released;
      await route.fulfill({ response });
    });
    const asked = page.waitForRequest((request) => isNew(new URL(request.url())));
    app.edit(DESK, "<h1>Desk</h1>", "<h1>Table</h1>");
    await asked;
    // The page asks for all its chunks at once. Their code must be built before the source has the error.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    await Promise.all(answers);
    app.edit(DESK, "<h1>Table</h1>", "<p><div>x</div></p>");
    await dialog().getByText("SVC108").waitFor();
    release();
    await page.locator("h1", { hasText: "Table" }).waitFor();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    assert.equal(await dialog().getByText("SVC108").count(), 1);
    await page.unroute(isNew);
    app.write(DESK, original);
    await dialog().waitFor({ state: "detached" });
  });

  it("opens the editor at its location", async () => {
    app.edit(DESK, "<h1>Desk</h1>", "<p><div>x</div></p>");
    await dialog().getByRole("link").click();
    for (let attempt = 0; attempt < 200 && !existsSync(opened); attempt++)
      await page.evaluate(() => new Promise(requestAnimationFrame));
    const [line, column] = placeOf("<div>x").split(":");
    assert.equal(readFileSync(opened, "utf8").trim(), `${join(app.folder, DESK)} ${line} ${column}`);
    assert.equal(page.url(), `${app.url}/desk`);
  });

  it("has a page of its own when no page is open, also without script, and the page reloads once it is fixed", async () => {
    app.edit(DESK, "<h1>Desk</h1>", "<p><div>x</div></p>");
    await dialog().waitFor();
    const response = await page.goto(`${app.url}/desk`);
    assert.equal(response?.status(), 500);
    await page.locator("main").getByText("SVC108").waitFor();
    assert.equal(await dialog().count(), 0);
    assert.deepEqual(await seriousViolations(page), []);
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const other = await plain.newPage();
    await other.goto(`${app.url}/desk`);
    assert.match(await other.locator("main").innerText(), new RegExp(`SVC108[^]*${DESK}:${placeOf("<div>x")}`));
    app.write(DESK, original);
    await page.locator("#one").waitFor();
    await other.locator("#one").waitFor();
    await plain.close();
  });

  it("thrown during rendering shows the source line, on its own page and over the open one", async () => {
    app.edit(DESK, "  const draft", "  if (notes) throw new RangeError(`planted`);\n  const draft");
    await dialog().getByText("RangeError", { exact: true }).waitFor();
    const place = `${DESK}:${placeOf("new RangeError")}`;
    await dialog().getByRole("link", { name: place, exact: true }).waitFor();
    await page.reload();
    await page.locator("main").getByRole("link", { name: place, exact: true }).waitFor();
    assert.match(app.output(), new RegExp(`RangeError: planted\\n +at Notes \\(.*${place}\\)`));
    app.write(DESK, original);
    await page.locator("#one").waitFor();
  });

  it("thrown in a handler shows the source line, and the page keeps working", async () => {
    const followed = await follower(page, "#one");
    app.edit(DESK, HANDLER, "{ if (count.value > 0) throw new RangeError(`planted`); }");
    await followed();
    await page.locator("#one button").click();
    await dialog().getByText("Error in the browser").waitFor();
    const place = `${DESK}:${placeOf("new RangeError")}`;
    await dialog().getByRole("link", { name: place, exact: true }).waitFor();
    await dialog().getByRole("button", { name: "Close" }).click();
    await page.locator("#ticker button").click();
    await page.locator(".seen", { hasText: "at 1" }).waitFor();
    assert.match(app.output(), new RegExp(`Error in the browser ${place} RangeError: planted`));
  });

  it("about a duplicate row key is reported by the browser too", async () => {
    const followed = await follower(page, "#one");
    app.edit(DESK, "<li>\n            <span>", "<li key={note.text}>\n            <span>");
    await followed();
    await page.getByRole("button", { name: "Note" }).click();
    await page.getByRole("button", { name: "Note" }).click();
    await dialog()
      .getByRole("heading", { name: /item 2 of a list has the same key as an earlier item, ""/ })
      .waitFor();
    await dialog().getByRole("button", { name: "Close" }).click();
  });

  it("in browser-only code is shown immediately, with its import chain, and not on pages that lack the code", async () => {
    const other = await openTab(browser);
    await other.page.goto(`${app.url}/plain`);
    app.write("disk.ts", 'import { readFileSync } from "node:fs"; export const read = () => readFileSync("x").length;');
    app.edit(DESK, "import { greet", 'import { read } from "../disk.ts";\nimport { greet');
    await page.locator("#one button").click();
    app.edit(DESK, HANDLER, "(count.value += read())");
    await dialog().getByText("SVC104", { exact: true }).waitFor();
    await dialog().getByText("node:fs").first().waitFor();
    for (let visit = 0; visit < 2; visit++) {
      // The page listens too. It gets the fault no later than this listener.
      await other.page.evaluate(async (events) => {
        const source = new EventSource(events);
        await new Promise((resolve) => source.addEventListener("fault", resolve));
        source.close();
        await new Promise(requestAnimationFrame);
      }, "/_svc/dev/events");
      assert.equal(await other.page.getByRole("alertdialog").count(), 0);
      await other.page.reload();
    }
    await other.close();
    app.write(DESK, original);
    app.write("disk.ts", undefined);
    await dialog().waitFor({ state: "detached" });
  });
});
