/**
 * A page updated in the browser equals the server's page for the same state: after every event the test compares it with a new page,
 * rendered without script from the same state (test/fixtures/compiler).
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab } from "./browser.ts";
import { buildDemo, root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";

const app = join(root, "test/fixtures/compiler");
const folder = temporaryFolder();
let server: DemoServer;
let browser: Browser;

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

/** An event, and its effect on the state. */
interface Step<State> {
  act(page: Page): Promise<unknown>;
  change(state: State): unknown;
}

/** Plays the steps (names, separated by spaces) on a page that begins in `state`. */
async function play<State>(
  path: string,
  state: State,
  steps: Record<string, Step<State>>,
  story: string,
): Promise<void> {
  const urlOf = (): string => `${server.url}${path}?state=${encodeURIComponent(JSON.stringify(state))}`;
  const tab = await openTab(browser);
  const fresh = await openTab(browser, { javaScriptEnabled: false });
  await tab.page.goto(urlOf());
  for (const name of story.split(" ")) {
    const step = steps[name];
    assert.ok(step, `a step is called ${name}`);
    await step.act(tab.page);
    step.change(state);
    await fresh.page.goto(urlOf());
    const expected = await outline(fresh.page);
    await settle(tab.page, expected);
    assert.deepEqual(await outline(tab.page), expected, `after ${name} in "${story}"`);
  }
  await tab.close();
  await fresh.close();
}

const outline = (page: Page): Promise<string[]> => page.evaluate(describeSection);

/** Waits for the code of the first event. Returns after a timeout, so that the comparison reports the difference. */
async function settle(page: Page, expected: string[]): Promise<void> {
  for (let frame = 0; frame < 120; frame++) {
    if (JSON.stringify(await outline(page)) === JSON.stringify(expected)) return;
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
}

/** Runs in the page: its elements, attributes, state properties and texts, without the attributes that only resuming needs. */
function describeSection(): string[] {
  const ofTheProtocol = /^(?:s|b|on:.*|value|checked|selected|disabled|open)$/;
  const lines: string[] = [];
  let text = "";
  const flush = (): void => {
    if (text !== "") lines.push(JSON.stringify(text));
    text = "";
  };
  const visit = (element: Element): void => {
    const attributes = [...element.attributes]
      .filter(({ name }) => !ofTheProtocol.test(name))
      .map(({ name, value }) => `${name}=${JSON.stringify(value)}`)
      .sort();
    const state = ["INPUT", "OPTION", "SELECT", "TEXTAREA"].includes(element.tagName)
      ? ["value", "checked", "selected"].map((name) => `.${name}=${String(Reflect.get(element, name))}`)
      : [];
    flush();
    lines.push(`<${[element.tagName, element.namespaceURI?.slice(-4), ...attributes, ...state].join(" ")}>`);
    // The value of a text area is its content. Its children are the initial value.
    for (const child of element.tagName === "TEXTAREA" ? [] : element.childNodes) {
      if (child instanceof Element) visit(child);
      else if (child instanceof Text) text += child.data;
    }
    flush();
    lines.push(`</${element.tagName}>`);
  };
  const section = document.querySelector("section");
  if (section) visit(section);
  return lines;
}

const click = (name: string) => (page: Page) => page.getByRole("button", { name, exact: true }).click();

describe("rows", () => {
  interface State {
    entries: { id: number; name: string; tags: string[]; isOn: boolean }[];
    query: string;
    isDark: boolean;
    mode: number;
  }
  const start = (): State => ({
    entries: [
      { id: 1, name: "one", tags: ["a", "b"], isOn: true },
      { id: 2, name: "two & <b>", tags: [], isOn: false },
      { id: 3, name: "three", tags: ["c"], isOn: true },
    ],
    query: "",
    isDark: false,
    mode: 0,
  });
  const steps: Record<string, Step<State>> = {
    mode: { act: click("mode"), change: (state) => state.mode++ },
    dark: { act: click("dark"), change: (state) => (state.isDark = !state.isDark) },
    query: { act: click("query"), change: (state) => (state.query = state.query === "" ? "o" : "") },
    add: {
      act: click("add"),
      change: ({ entries }) => entries.push({ id: entries.length + 10, name: "new", tags: ["z"], isOn: true }),
    },
    reverse: { act: click("reverse"), change: (state) => state.entries.reverse() },
    tag: {
      act: click("tag"),
      change: ({ entries: [first] }) => {
        first?.tags.push("new");
        if (first) first.name += "+";
      },
    },
    flipSecond: {
      act: (page) => page.locator("section > ul > li:nth-child(2) > .flip").click(),
      change: ({ entries: [, second] }) => second && (second.isOn = !second.isOn),
    },
    dropFirst: {
      act: (page) => page.locator("section > ul > li:nth-child(1) > .drop").click(),
      change: (state) => state.entries.shift(),
    },
    untagFirst: {
      act: (page) => page.locator("section > ul > li:nth-child(1) ol li").first().click(),
      change: ({ entries: [first] }) => first?.tags.shift(),
    },
    select: { act: (page) => page.locator("select").selectOption("2"), change: (state) => (state.mode = 2) },
  };
  const stories = [
    "mode dark query query add reverse tag flipSecond dropFirst untagFirst mode mode dark",
    "reverse untagFirst tag dropFirst dropFirst",
    "flipSecond flipSecond tag",
    "query add query reverse",
    "select mode untagFirst",
  ];
  for (const story of stories)
    it(`equal the server's after: ${story}`, () => play("/catalogue", start(), steps, story));
});

describe("text, conditions and components", () => {
  interface State {
    count: number;
    isOpen: boolean;
    words: string[];
    isOn: boolean;
    rows: string[][];
    text: string;
  }
  const start = (state: Partial<State> = {}): State => ({
    count: 0,
    isOpen: false,
    words: [],
    isOn: false,
    rows: [["a", "b"], ["c"]],
    text: "",
    ...state,
  });
  const steps: Record<string, Step<State>> = {
    count: { act: click("count"), change: (state) => state.count++ },
    open: { act: click("open"), change: (state) => (state.isOpen = !state.isOpen) },
    push: { act: click("push"), change: ({ words }) => words.push(`x${words.length}`) },
    shift: { act: click("shift"), change: ({ words }) => words.shift() },
    on: { act: click("on"), change: (state) => (state.isOn = !state.isOn) },
    text: { act: click("text"), change: (state) => (state.text = state.text === "" ? "<t> & \n" : "") },
    rows: { act: click("rows"), change: (state) => (state.rows = [["z"], ...state.rows]) },
    one: {
      act: click("one"),
      change: (state) => {
        state.count++;
        state.words.push("one");
      },
    },
    cell: {
      act: (page) => page.locator(".panel span").first().click(),
      change: ({ rows }) => rows.find((row) => row.length > 0)?.shift(),
    },
    type: { act: (page) => page.locator(".panel input").fill("typed"), change: (state) => (state.text = "typed") },
  };
  const stories: [Partial<State>, string][] = [
    [{}, "count count count open push push shift on on text rows cell"],
    [{}, "text text open count push one rows cell cell type text"],
    [{}, "on push count count open open on shift text"],
    [{}, "rows open cell on push"],
    [
      { isOpen: true, isOn: true, count: 3, words: ["p", "q"], text: "T" },
      "shift count cell rows push on open open type on",
    ],
    [{ isOpen: true, count: 1, words: ["p"] }, "count shift count push cell on open"],
  ];
  for (const [state, story] of stories) {
    it(`equal the server's from ${JSON.stringify(state)} after: ${story}`, () =>
      play("/pieces", start(state), steps, story));
  }
});

describe("bound fields", () => {
  interface State {
    name: string;
    size: number | null;
    note: string;
    isOn: boolean;
    color: string;
    toppings: string[];
    one: string;
    many: string[];
    rows: { id: number; text: string; isDone: boolean }[];
  }
  const start = (): State => ({
    name: "Ada",
    size: 3,
    note: "a\n<b>",
    isOn: true,
    color: "red",
    toppings: ["ham"],
    one: "b",
    many: ["x", "z"],
    rows: [
      { id: 1, text: "one", isDone: true },
      { id: 2, text: "two", isDone: false },
    ],
  });
  const fill = (selector: string, text: string) => (page: Page) => page.locator(selector).fill(text);
  const steps: Record<string, Step<State>> = {
    name: { act: fill("#name", "Grace"), change: (state) => (state.name = "Grace") },
    again: { act: fill("#again", "Again"), change: (state) => (state.name = "Again") },
    size: { act: fill("#size", "1.5"), change: (state) => (state.size = 1.5) },
    noSize: { act: fill("#size", ""), change: (state) => (state.size = null) },
    note: { act: fill("#note", "<x>\n"), change: (state) => (state.note = "<x>\n") },
    on: { act: (page) => page.locator("#on").click(), change: (state) => (state.isOn = !state.isOn) },
    green: { act: (page) => page.locator("#green").check(), change: (state) => (state.color = "green") },
    egg: { act: (page) => page.locator("#egg").check(), change: ({ toppings }) => toppings.push("egg") },
    noHam: {
      act: (page) => page.locator("#ham").uncheck(),
      change: (state) => (state.toppings = state.toppings.filter((topping) => topping !== "ham")),
    },
    one: { act: (page) => page.locator("#one").selectOption("a"), change: (state) => (state.one = "a") },
    many: {
      act: (page) => page.locator("#many").selectOption(["y", "z"]),
      change: (state) => (state.many = ["y", "z"]),
    },
    row: {
      act: fill("li:nth-child(1) .text", "changed"),
      change: ({ rows: [first] }) => first && (first.text = "changed"),
    },
    done: {
      act: (page) => page.locator("li:last-child .done").click(),
      change: ({ rows }) => {
        const last = rows.at(-1);
        if (last) last.isDone = !last.isDone;
      },
    },
    add: { act: click("add"), change: ({ rows }) => rows.push({ id: rows.length + 1, text: "new", isDone: true }) },
    set: {
      act: click("set"),
      change: (state) =>
        Object.assign(state, { name: "Set", size: 10, color: "blue", toppings: [], one: "a", many: ["y"] }),
    },
  };
  const stories = [
    "name again size note on on noSize green egg noHam one many row done add done set name egg",
    "set add row name on on again",
    "on on again size",
    "many egg green one set noSize",
  ];
  for (const story of stories) it(`equal the server's after: ${story}`, () => play("/form", start(), steps, story));
});
