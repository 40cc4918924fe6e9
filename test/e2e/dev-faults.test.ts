/** What `svc dev` tells of mistakes: in front of the page that is open, on a page of its own, with the way to the editor. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
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
 * What is told to the console: a page that is answered with 500, code that is asked for again under the name it had before it
 * was mended, errors that a test has planted. Nothing else may be.
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

/** @returns `line:column` of `text` in the page's source as it is now. */
function placeOf(text: string): string {
  const before = app.read(DESK).split(text)[0] ?? "";
  return `${before.split("\n").length}:${before.length - before.lastIndexOf("\n")}`;
}

const dialog = () => page.getByRole("alertdialog");

describe("a mistake under svc dev", () => {
  it("that does not compile is shown in front of the page, with code, place and frame, and goes when it is mended", async () => {
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

  it("that only shows while the page is rendered is told with its place: nesting over components, a value that can't travel", async () => {
    const added = [
      "function Outer(props: { when: Date }) { return <p><Inner {...props} /></p>; }",
      "class Socket {}",
      "function Wired(props: { by: Socket }) { return <b onClick={() => console.log(props.by)}>x</b>; }",
    ];
    const withHeading = (heading: string): string =>
      `${original.replace("<h1>Desk</h1>", heading)}\n${added.join("\n")}\n`;
    // Of another file: what one of the same file writes counts as its caller's.
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

  it("has the focus while it is shown; Escape puts it away and gives the focus back", async () => {
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

  it("opens the editor at its place", async () => {
    app.edit(DESK, "<h1>Desk</h1>", "<p><div>x</div></p>");
    await dialog().getByRole("link").click();
    for (let attempt = 0; attempt < 200 && !existsSync(opened); attempt++)
      await page.evaluate(() => new Promise(requestAnimationFrame));
    const [line, column] = placeOf("<div>x").split(":");
    assert.equal(readFileSync(opened, "utf8").trim(), `${join(app.folder, DESK)} ${line} ${column}`);
    assert.equal(page.url(), `${app.url}/desk`);
  });

  it("is told on a page of its own where no page is open, without script too, and the page follows once it is mended", async () => {
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

  it("that throws while the page is rendered shows the line of the source, on page and in front of it", async () => {
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

  it("that throws in a handler shows the line of the source, and the page goes on", async () => {
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

  it("that gives two rows one key is told by the browser too", async () => {
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

  it("that only the browser's code has is shown at once, with the way it came", async () => {
    app.write("disk.ts", 'import { readFileSync } from "node:fs"; export const read = () => readFileSync("x").length;');
    app.edit(DESK, "import { greet", 'import { read } from "../disk.ts";\nimport { greet');
    await page.locator("#one button").click();
    app.edit(DESK, HANDLER, "(count.value += read())");
    await dialog().getByText("SVC104", { exact: true }).waitFor();
    await dialog().getByText("node:fs").first().waitFor();
    app.write(DESK, original);
    app.write("disk.ts", undefined);
    await dialog().waitFor({ state: "detached" });
  });
});
