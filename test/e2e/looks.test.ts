/** The operators' screens for whoever looks: forced colours, no motion, large text, narrow and wide windows, keys alone. The widgets of graphs are on them. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { App, Started } from "svckit";
import { opsSample, orderInput, runTo, until } from "../contract/ops-app.ts";
import { launchBrowser, openTab, seriousViolations } from "./browser.ts";

let app: App;
let started: Started;
let browser: Browser;
let paths: string[];
let running: string;

before(async () => {
  app = opsSample({ more: { demo: true } });
  started = await app.start({ host: "127.0.0.1", port: 0 });
  browser = await launchBrowser();
  const failed = await runTo(app, "order", orderInput(7), "failed");
  const done = await runTo(app, "order", orderInput(3), "done");
  const { snapshot } = await app.engine.start("sync-catalogue", null);
  running = snapshot.graph_id;
  await until(async () => (await app.engine.snapshot(running))?.nodes[0]?.status === "running", "that it runs");
  const hook = await app.webhooks.create({ url: `${started.url}/_svc/demo/webhook-inbox`, events: ["graph.done"] });
  const { delivery_id: delivery } = await app.webhooks.ping(hook.registration.id);
  paths = [
    "",
    "/runs",
    "/runs?worker=nobody",
    "/runs/bulk?status=failed&which=all&step=retry",
    `/runs/${failed}?node=charge&tab=attempts`,
    `/runs/${running}`,
    `/runs/${done}?view=events`,
    "/queues",
    "/schedules",
    "/webhooks",
    `/deliveries/${delivery}`,
    `/deliveries/${delivery}/replay`,
    "/workers",
    "/requests",
    "/audit",
    "/settings",
  ];
});
after(async () => {
  await browser.close();
  await started.close();
});

/** Goes through all screens. @returns what is wrong, by screen. */
async function onEach(
  look: (page: Page) => Promise<readonly string[]>,
  options: BrowserContextOptions = {},
  of: readonly string[] = paths,
): Promise<string[]> {
  const tab = await openTab(browser, options);
  const problems: string[] = [];
  for (const path of of) {
    await tab.page.goto(`${started.url}/_svc/ops${path}`);
    await tab.page.locator("#ops-live:not([hidden])").waitFor({ state: "attached" });
    for (const problem of await look(tab.page)) problems.push(`${path || "/"}: ${problem}`);
  }
  await tab.close();
  return problems;
}

/** In the page: what sticks out of the window, or is cut off in its box. */
function tooLarge(): string[] {
  const problems: string[] = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) problems.push(`${root.scrollWidth - root.clientWidth} px too wide`);
  for (const element of document.querySelectorAll<HTMLElement>(
    "main :is(a, button, th, td, h1, h2, p, label, summary)",
  )) {
    const { overflowX, overflowY, textOverflow } = getComputedStyle(element);
    // Cut with dots and told in full by a title, or scrolled, is not lost.
    if (overflowX !== "hidden" && overflowX !== "clip" && overflowY !== "hidden") continue;
    const isCut = element.scrollHeight > element.clientHeight + 2 || element.scrollWidth > element.clientWidth + 2;
    const isReported = textOverflow === "ellipsis" && element.closest("[title],[aria-label]") !== null;
    if (isCut && !isReported && element.clientWidth > 1) problems.push(`cut: ${element.outerHTML.slice(0, 120)}`);
  }
  return problems;
}

describe("the screens", () => {
  it("fit windows of 360 to 2,560 px with lines that one can read, and hold text that is twice as large", async () => {
    const problems = await onEach(async (page) => {
      const found: string[] = [];
      // 640: 1,280 made twice as large.
      for (const width of [360, 640, 768, 1440, 2560]) {
        await page.setViewportSize({ width, height: 900 });
        for (const problem of await page.evaluate(tooLarge)) found.push(`${problem} at ${width}`);
      }
      const longest = await page.evaluate(() => {
        const ends = [...document.querySelectorAll("main p")].flatMap((line) => {
          const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
          const widths: number[] = [];
          while (texts.nextNode()) {
            const range = document.createRange();
            range.selectNodeContents(texts.currentNode);
            widths.push(...[...range.getClientRects()].map(({ width }) => width));
          }
          return widths.map((width) => width / parseFloat(getComputedStyle(line).fontSize));
        });
        return Math.max(0, ...ends);
      });
      // An em is two letters or so.
      if (longest > 60) found.push(`a line of ${Math.round(longest)} em at 2560`);
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
      for (const problem of await page.evaluate(tooLarge)) found.push(`${problem} with text of 200 %`);
      return found;
    });
    assert.deepEqual(problems, []);
  });

  it("tell states by sign and word, and show edges and the focus, where colours are forced", async () => {
    const problems = await onEach(
      async (page) => {
        // Of axe's rules the one that colours decide; the others are held in both themes (ops.test.ts).
        const found = await seriousViolations(page, ["color-contrast"]);
        const mute = await page.evaluate(() => {
          const isMute = (state: Element): boolean =>
            state.textContent.trim() === "" || getComputedStyle(state, "::before").content === "none";
          const states = [...document.querySelectorAll(".state[data-tone]")].filter(
            (state) => !state.querySelector("svg"),
          );
          const unseen = [...document.querySelectorAll(".svc-edge, .svc-node-card")].filter(
            (line) => getComputedStyle(line).stroke === "none",
          );
          return [...states.filter(isMute), ...unseen].map(
            (element) => `says nothing: ${element.outerHTML.slice(0, 120)}`,
          );
        });
        return [...found, ...mute];
      },
      { forcedColors: "active", colorScheme: "dark" },
    );
    assert.deepEqual(problems, []);
  });

  it("stand still for who wants no motion, and only then", async () => {
    const moving = (page: Page): Promise<string[]> =>
      page.evaluate(() =>
        document
          .getAnimations()
          .filter(({ playState }) => playState === "running")
          .map((each) => `moves: ${(each as CSSAnimation).animationName ?? "transition"}`),
      );
    assert.deepEqual(
      await onEach(moving, { reducedMotion: "reduce" }, ["", "/runs", `/runs/${running}`, "/workers"]),
      [],
    );
    const tab = await openTab(browser, { reducedMotion: "no-preference" });
    await tab.page.goto(`${started.url}/_svc/ops/runs/${running}`);
    assert.notDeepEqual(await moving(tab.page), []);
    await tab.close();
  });

  for (const forcedColors of ["none", "active"] as const)
    it(`are walked by Tab from the first thing to the last, the focus seen at each${forcedColors === "active" ? ", colours forced" : ""}`, async () => {
      // With colours forced one of each kind is enough: what is marked how is told by few rules.
      const of = forcedColors === "active" ? [paths[1]!, paths[4]!] : paths;
      const problems = await onEach(walk, { forcedColors }, of);
      assert.deepEqual(problems, []);
    });
});

interface Stop {
  html: string;
  isSeen: boolean;
  isMarked: boolean;
}

interface Walk {
  stops: Stop[];
  /** The focus came to where it has been. */
  isOver: boolean;
}

/** In the page: notes each element that the focus comes to. */
function watchFocus(): void {
  const walk: Walk = ((window as unknown as { walk: Walk }).walk = { stops: [], isOver: false });
  const been = new Set<Element>();
  // In a picture it is the shape inside that shows it; of a box to tick, what stands around it.
  const isMarked = (element: Element): boolean =>
    [element, element.parentElement!, ...element.querySelectorAll("*")].some((each) => {
      const { outlineStyle, outlineWidth, strokeWidth } = getComputedStyle(each);
      const isOutlined = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
      return isOutlined || (each.closest("svg") !== null && parseFloat(strokeWidth) >= 2);
    });
  addEventListener("focusin", ({ target }) => {
    const element = target as Element;
    walk.isOver ||= been.has(element);
    if (walk.isOver) return;
    been.add(element);
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
    const isInside = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
    walk.stops.push({
      html: element.outerHTML.slice(0, 140),
      isSeen: width > 0 && height > 0 && isInside && getComputedStyle(element).visibility === "visible",
      isMarked: isMarked(element),
    });
  });
}

/** More than a screen has. */
const MOST_STOPS = 300;

async function walk(page: Page): Promise<readonly string[]> {
  await page.evaluate(watchFocus);
  const reported = (): Promise<Walk> => page.evaluate(() => (window as unknown as { walk: Walk }).walk);
  let so: Walk;
  do {
    for (let press = 0; press < 20; press++) await page.keyboard.press("Tab");
    so = await reported();
  } while (!so.isOver && so.stops.length < MOST_STOPS);
  const { stops } = so;
  return [
    ...stops.filter(({ isSeen }) => !isSeen).map(({ html }) => `unseen: ${html}`),
    ...stops.filter(({ isMarked }) => !isMarked).map(({ html }) => `unmarked: ${html}`),
    ...(stops.length < 10 ? [`only ${stops.length} stops`] : []),
    ...(so.isOver ? [] : ["no end"]),
  ];
}
