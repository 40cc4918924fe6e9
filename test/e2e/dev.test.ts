/** `svc dev` as an author uses it: an open page follows the source and keeps its state. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab, type Tab } from "./browser.ts";
import { holdBack } from "./hostile-app.ts";
import { follower, startDevApp, type DevApp } from "./dev-app.ts";

const DESK = "pages/desk.tsx";

let app: DevApp;
let browser: Browser;
let tab: Tab;
let page: Page;
let original: Record<string, string>;
let loads: number;

before(async () => {
  app = await startDevApp("follow");
  original = Object.fromEntries([DESK, "app.tsx", "words.ts", "public/desk.css"].map((file) => [file, app.read(file)]));
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await app?.stop();
});

beforeEach(async () => {
  tab = await openTab(browser);
  ({ page } = tab);
  loads = 0;
  page.on("domcontentloaded", () => loads++);
  await page.goto(`${app.url}/desk`);
});

afterEach(async () => {
  for (const [file, text] of Object.entries(original)) if (app.read(file) !== text) app.write(file, text);
  await tab.close();
  await untilServed("desk", "<h1>Desk</h1>");
});

/** The server switches to the new app on its own. Its responses show which one is running. */
async function untilServed(path: string, text: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await fetch(`${app.url}/${path}`, { headers: { accept: "text/html" } });
    if ((await answer.text()).includes(text)) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.fail(`${path} never had ${text}`);
}

const count = (section: string, text: string): Promise<void> =>
  page.locator(`#${section} .count`, { hasText: new RegExp(`^${text}$`) }).waitFor();
const add = (section: string): Promise<void> => page.locator(`#${section} button`).click();

describe("an edit under svc dev", () => {
  it("of a handler takes effect at the next event, in an awake scope, and signals keep their values", async () => {
    await add("one");
    await count("one", "Count: 2");
    const followed = await follower(page, "#one");
    app.edit(DESK, "count.value += 1", "count.value += 100");
    await followed();
    await count("one", "Count: 2");
    await add("one");
    await count("one", "Count: 102");
    await add("two");
    await count("two", "Count: 110");
    assert.equal(loads, 1);
  });

  it("of markup and text morphs the page, and signals keep their values", async () => {
    await add("one");
    await add("two");
    await count("two", "Count: 11");
    app.edit(DESK, "Count: {count.value}", "<b>Number</b> {count.value}");
    await count("one", "Number 2");
    await count("two", "Number 11");
    await add("two");
    await count("two", "Number 12");
    assert.equal(loads, 1);
  });

  it("after another keeps the state from before both", async () => {
    await add("one");
    await page.getByLabel("Draft").fill("second");
    await page.getByRole("button", { name: "Note", exact: true }).click();
    for (const heading of ["First edit", "Second edit", "Third edit"]) {
      app.write(DESK, (original[DESK] ?? "").replace("<h1>Desk</h1>", `<h1>${heading}</h1>`));
      await page.getByText(heading).waitFor();
      await count("one", "Count: 2");
      assert.deepEqual(await page.locator("#notes span").allTextContents(), ["first", "second"]);
    }
    assert.equal(loads, 1);
  });

  it("of markup keeps typed input, focus, selection, scroll position, open elements, and playing media", async () => {
    const letter = page.getByLabel("Letter");
    await letter.fill("Dear Ada");
    await letter.evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(2, 5));
    await page.getByText("More").click();
    await page.locator("#long").evaluate((box) => (box.scrollTop = 300));
    await page.locator("#box").evaluate((box: HTMLDialogElement) => box.show());
    await page.locator("#tone").evaluate((tone) => Object.assign(tone, { mark: "the same" }));
    await letter.focus();
    app.edit(DESK, "<h1>Desk</h1>", "<p>new line</p>\n<h1>Desk, edited</h1>");
    await page.getByText("Desk, edited").waitFor();
    const kept = await page.evaluate(() => {
      const field = document.activeElement as HTMLTextAreaElement;
      return {
        focused: field.getAttribute("aria-label"),
        typed: field.value,
        selected: [field.selectionStart, field.selectionEnd],
        isOpen: document.querySelector("details")?.open,
        isShown: document.querySelector("dialog")?.open,
        scrolled: document.querySelector("#long")?.scrollTop,
        tone: (document.querySelector("#tone") as unknown as { mark: string }).mark,
        mount: document.querySelector("#mount")?.textContent,
      };
    });
    assert.deepEqual(kept, {
      focused: "Letter",
      typed: "Dear Ada",
      selected: [2, 5],
      isOpen: true,
      isShown: true,
      scrolled: 300,
      tone: "the same",
      mount: "filled by script",
    });
    assert.equal(loads, 1);
  });

  it("keeps rows created in the browser, and text typed into them", async () => {
    await page.getByLabel("Draft").fill("second");
    await page.getByRole("button", { name: "Note", exact: true }).click();
    await page.getByLabel("Remark").nth(1).fill("typed in the second row");
    await page.getByLabel("Draft").fill("third, not yet");
    app.edit(DESK, "<span>{note.text}</span>", "<em>{note.text}!</em>");
    await page.locator("#notes em", { hasText: "second!" }).waitFor();
    assert.deepEqual(await page.locator("#notes em").allTextContents(), ["first!", "second!"]);
    assert.equal(await page.getByLabel("Remark").nth(1).inputValue(), "typed in the second row");
    assert.equal(await page.getByLabel("Draft").inputValue(), "third, not yet");
    await page.getByRole("button", { name: "Note", exact: true }).click();
    await page.locator("#notes em", { hasText: "third, not yet!" }).waitFor();
    assert.equal(await page.getByLabel("Draft").inputValue(), "");
    assert.equal(loads, 1);
  });

  it("lets running handlers continue with the signals that the page shows", async () => {
    await page.route("**/_svc/action/greet", async (route) => {
      app.edit(DESK, "<h1>Desk</h1>", "<h1>Meanwhile</h1>");
      await page.getByText("Meanwhile").waitFor();
      await route.continue();
    });
    await page.getByRole("button", { name: "Greet" }).click();
    await page.locator(".said", { hasText: "Hello, Ada" }).waitFor();
  });

  it("runs effects of awake scopes once, with the new code", async () => {
    await page.locator("#ticker button").click();
    await page.locator(".seen", { hasText: /^at 1$/ }).waitFor();
    const followed = await follower(page, "#one");
    app.edit(DESK, "`at ${now}`", "`now ${now}`");
    await followed();
    await page.locator("#ticker button").click();
    await page.locator(".seen", { hasText: /^now 2$/ }).waitFor();
  });

  it("that adds an effect over a kept signal runs it with the signal's current value", async () => {
    await add("one");
    await add("one");
    await count("one", "Count: 3");
    app.edit(
      DESK,
      "const count = signal(props.start);",
      "const count = signal(props.start); const double = signal(0); effect(() => { double.value = count.value * 2; });",
      ["Count: {count.value}", "Count: {count.value} and {double.value}"],
    );
    await count("one", "Count: 3 and 6");
    await count("two", "Count: 10 and 20");
    await add("one");
    await count("one", "Count: 4 and 8");
  });

  it("that adds an effect to a scope that was asleep runs it with the current value of a signal from outside", async () => {
    await page.locator("#ticker button").click();
    app.edit(
      DESK,
      '<p class="seen">{seen.value}</p>',
      '<p class="seen">{seen.value}</p><Follower ticks={ticks} />',
      [
        "function Ticker() {",
        `function Follower({ ticks }: { ticks: Signal<number> }) {
          const text = signal("");
          effect(() => { text.value = "follows " + ticks.value; });
          return <p class="follower">{text.value}</p>;
        }
        function Ticker() {`,
      ],
      ["onLoad, signal, store", "onLoad, signal, store, type Signal"],
    );
    await page.locator(".follower", { hasText: /^follows 1$/ }).waitFor();
  });

  it("of onLoad runs it again, after its cleanup; other edits do not", async () => {
    const runs = (): Promise<string | undefined> =>
      page.locator("#mount").evaluate((element: HTMLElement) => element.dataset["runs"]);
    const hasRun = (text: string): Promise<unknown> =>
      page.waitForFunction((wanted) => document.querySelector<HTMLElement>("#mount")?.dataset["runs"] === wanted, text);
    const body = (name: string): string =>
      `const note = (text: string) => { element.dataset["runs"] = (element.dataset["runs"] ?? "") + text; };
       note("${name} "); return () => note("undo-${name} ");`;
    app.edit(DESK, 'element.append("filled by script");', body("first"));
    await hasRun("first ");
    app.edit(DESK, "<h1>Desk</h1>", "<h1>Other</h1>");
    await page.getByText("Other").waitFor();
    assert.equal(await runs(), "first ");
    app.edit(DESK, body("first"), body("second"));
    await hasRun("first undo-first second ");
  });

  it("that passes a handler as a prop whose helper prevents a default action too late is reported in the page", async () => {
    app.edit(DESK, "      <Mount />", "      <Pressed onPress={(event) => prevent(event)} />", [
      "function Ticker() {",
      `const prevent = (event: Event): void => event.preventDefault();
      function Pressed({ onPress }: { onPress: (event: Event) => void }) {
        return <input aria-label="Pressed" onKeyDown={onPress} />;
      }
      function Ticker() {`,
    ]);
    await page.getByLabel("Pressed").waitFor();
    await page.reload();
    const release = await holdBack(page);
    await page.getByLabel("Pressed").press("a");
    release();
    await page.locator("svc-fault").waitFor({ state: "attached" });
    assert.match(tab.takeComplaints().join("\n"), /SVC302: preventDefault\(\) of this keydown event came too late/);
  });

  it("of an initial value changes only signals that were never set", async () => {
    await add("one");
    app.edit(DESK, "signal(props.start)", "signal(props.start * 1000)");
    await count("two", "Count: 10000");
    await count("one", "Count: 2");
    await add("two");
    await count("two", "Count: 10001");
  });

  it("that removes a signal logs a warning and keeps the others", async () => {
    const warnings: string[] = [];
    page.on("console", (message) => void (message.type() === "warning" && warnings.push(message.text())));
    await add("one");
    await page.locator("#ticker button").click();
    app.edit(
      DESK,
      "signal(props.start)",
      "signal(props.start), extra = signal(0)",
      ['const seen = signal("never");', 'const seen = { value: "plain" };'],
      ["seen.value = `at ${now}`;", "void now;"],
      [
        '      <button type="button" onClick={() => (count.value += 1)}>',
        '<i>{extra.value}</i><button type="button" onClick={() => (count.value += 1)}>',
      ],
    );
    await page.locator("#one i", { hasText: "0" }).waitFor();
    await count("one", "Count: 2");
    assert.deepEqual(warnings, ['svc: "seen" of Ticker (pages/desk.tsx) was removed by this edit; its value is lost.']);
  });

  it("of a stylesheet swaps it, without a moment unstyled", async () => {
    await page.locator("h1").evaluate((heading) => Object.assign(heading, { mark: 1 }));
    app.edit("public/desk.css", "rgb(1, 2, 3)", "rgb(4, 5, 6)");
    await page.waitForFunction(
      () => getComputedStyle(document.querySelector("h1") as Element).color === "rgb(4, 5, 6)",
    );
    await page.waitForFunction(() => document.querySelectorAll("link[rel=stylesheet]").length === 1);
    // The next morph keeps the new stylesheet.
    app.edit(DESK, "<h1>Desk</h1>", "<h1>Styled</h1>");
    await page.getByText("Styled").waitFor();
    assert.equal(await page.locator("h1").evaluate((heading) => getComputedStyle(heading).color), "rgb(4, 5, 6)");
    assert.equal(loads, 1);
  });

  it("of a module behind an action takes effect at the next call", async () => {
    app.edit("words.ts", "Hello", "Good morning");
    // The page does not show when the server has applied the edit, so the test calls until it has.
    for (let attempt = 0, said = ""; !said.includes("Good morning"); attempt++) {
      assert.ok(attempt < 200, said);
      const answered = page.waitForResponse(/greet/);
      await page.getByRole("button", { name: "Greet" }).click();
      said = await (await answered).text();
    }
    await page.locator(".said", { hasText: "Good morning, Ada" }).waitFor();
  });

  it("of app.tsx adds and removes pages, without restarting", async () => {
    const context = await browser.newContext();
    const other = await context.newPage();
    await other.goto(`${app.url}/more`);
    await other.getByText("Nothing is at /more").waitFor();
    app.write("pages/more.tsx", "export const More = () => <h1>More pages</h1>;");
    app.edit("app.tsx", "import { PlainPage", 'import { More } from "./pages/more.tsx";\nimport { PlainPage', [
      "pages: [",
      'pages: [page("/more", { title: "More", view: () => <More /> }),',
    ]);
    await other.getByText("More pages").waitFor();
    app.write("app.tsx", original["app.tsx"]);
    app.write("pages/more.tsx", undefined);
    await other.getByText("Nothing is at /more").waitFor();
    await context.close();
  });

  it("that gives a page its first handler makes it interactive without a reload", async () => {
    const plain = app.read("pages/plain.tsx");
    await page.goto(`${app.url}/plain`);
    loads = 0;
    await page.getByLabel("Free").fill("stays");
    app.write(
      "pages/plain.tsx",
      'import { signal } from "svckit";\n' +
        plain
          .replace("  return (", "  const n = signal(1);\n  return (")
          .replace("Nothing happens here.", "n is {n.value}")
          .replace("<input", "<button onClick={() => n.value++}>More</button><input"),
    );
    await page.getByRole("button", { name: "More" }).click();
    await page.locator("#text", { hasText: "n is 2" }).waitFor();
    assert.equal(await page.getByLabel("Free").inputValue(), "stays");
    assert.equal(loads, 0);
    app.write("pages/plain.tsx", plain);
    await page.locator("#text", { hasText: "Nothing happens here." }).waitFor();
    await page.goto(`${app.url}/desk`);
  });

  it("reaches a streamed page and its late parts", async () => {
    await page.goto(`${app.url}/late`);
    loads = 0;
    await page.getByRole("button", { name: "Count" }).click();
    await page.locator(".own", { hasText: "late: 1 of 6" }).waitFor();
    const late = app.read("pages/late.tsx");
    app.edit("pages/late.tsx", "<h1>Streamed</h1>", "<h1>Streamed, edited</h1>", [
      "own.value += 1",
      "own.value += 100",
    ]);
    await page.getByText("Streamed, edited").waitFor();
    await page.locator("#total", { hasText: "6" }).waitFor();
    await page.getByRole("button", { name: "Count" }).click();
    await page.locator(".own", { hasText: "late: 101 of 7" }).waitFor();
    await page.locator("#total", { hasText: "7" }).waitFor();
    assert.equal(loads, 0);
    app.write("pages/late.tsx", late);
    await page.goto(`${app.url}/desk`);
  });
});
