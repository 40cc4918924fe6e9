/**
 * The operator screens in forced colors, without motion, with large text, in narrow and wide windows, and by keyboard. They include the
 * graph widgets.
 */
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
  await until(async () => (await app.engine.snapshot(running))?.nodes[0]?.status === "running", "the run to start");
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

/** Visits all screens. @returns the problems, by screen */
async function onEach(
  check: (page: Page) => Promise<readonly string[]>,
  options: BrowserContextOptions = {},
  of: readonly string[] = paths,
): Promise<string[]> {
  const tab = await openTab(browser, options);
  const problems: string[] = [];
  for (const path of of) {
    await tab.page.goto(`${started.url}/_svc/ops${path}`);
    await tab.page.locator("#ops-live:not([hidden])").waitFor({ state: "attached" });
    for (const problem of await check(tab.page)) problems.push(`${path || "/"}: ${problem}`);
  }
  await tab.close();
  return problems;
}

/** Runs in the page: finds elements that overflow the window or are clipped by their box. */
function tooLarge(): string[] {
  const problems: string[] = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) problems.push(`${root.scrollWidth - root.clientWidth} px too wide`);
  for (const element of document.querySelectorAll<HTMLElement>(
    "main :is(a, button, th, td, h1, h2, p, label, summary)",
  )) {
    const { overflowX, overflowY, textOverflow } = getComputedStyle(element);
    // Text with an ellipsis and a title, and scrollable content, is not lost.
    if (overflowX !== "hidden" && overflowX !== "clip" && overflowY !== "hidden") continue;
    const isCut = element.scrollHeight > element.clientHeight + 2 || element.scrollWidth > element.clientWidth + 2;
    const isReported = textOverflow === "ellipsis" && element.closest("[title],[aria-label]") !== null;
    if (isCut && !isReported && element.clientWidth > 1) problems.push(`cut: ${element.outerHTML.slice(0, 120)}`);
  }
  return problems;
}

describe("The operator screens", () => {
  it("fit windows of 360 to 2,560 px with readable line lengths, and text of twice the size", async () => {
    const problems = await onEach(async (page) => {
      const found: string[] = [];
      // 640: 1,280 zoomed to 200 %.
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
      // An em is about two letters.
      if (longest > 60) found.push(`a line of ${Math.round(longest)} em at 2560`);
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
      for (const problem of await page.evaluate(tooLarge)) found.push(`${problem} with text of 200 %`);
      return found;
    });
    assert.deepEqual(problems, []);
  });

  it("show states by sign and word, edges and the focus in forced colors", async () => {
    const problems = await onEach(
      async (page) => {
        // Only the axe rule that depends on colors; ops.test.ts checks the others in both themes.
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

  it("do not move with reduced motion, and only then", async () => {
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
    it(`can be traversed by Tab with a visible focus${forcedColors === "active" ? " in forced colors" : ""}`, async () => {
      // In forced colors two screens are enough, because few rules style the focus.
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
  /** Whether the focus returned to an element it had before. */
  isOver: boolean;
}

/** Runs in the page: records each focused element. */
function watchFocus(): void {
  const walk: Walk = ((window as unknown as { walk: Walk }).walk = { stops: [], isOver: false });
  const been = new Set<Element>();
  // In a picture the shape inside shows the focus; at a checkbox, its surroundings.
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

/** More than any screen has. */
const MOST_STOPS = 300;

async function walk(page: Page): Promise<readonly string[]> {
  await page.evaluate(watchFocus);
  const reported = (): Promise<Walk> => page.evaluate(() => (window as unknown as { walk: Walk }).walk);
  let state: Walk;
  do {
    for (let press = 0; press < 20; press++) await page.keyboard.press("Tab");
    state = await reported();
  } while (!state.isOver && state.stops.length < MOST_STOPS);
  const { stops } = state;
  return [
    ...stops.filter(({ isSeen }) => !isSeen).map(({ html }) => `unseen: ${html}`),
    ...stops.filter(({ isMarked }) => !isMarked).map(({ html }) => `unmarked: ${html}`),
    ...(stops.length < 10 ? [`only ${stops.length} stops`] : []),
    ...(state.isOver ? [] : ["no end"]),
  ];
}
