/** `<Popup>` and `<Modal>` in a real Chromium under the production policy, with and without native support. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { savePicture, seriousViolations } from "./browser.ts";
import { newTab, siteUrl } from "./ui-stage.ts";

async function onPage(
  story: (page: Page, scripts: string[]) => Promise<void>,
  options: BrowserContextOptions = {},
  prepare?: () => void,
): Promise<void> {
  const tab = await newTab({ reducedMotion: "reduce", ...options });
  if (prepare) await tab.page.addInitScript(prepare);
  await tab.page.goto(`${siteUrl()}/overlays`);
  await story(tab.page, tab.scripts);
  await tab.close();
}

/** Simulates a browser with popovers and dialogs, but without anchors, `command` and `closedby`. */
function older(): void {
  const supports = CSS.supports.bind(CSS);
  CSS.supports = (...args: [string, string?]) => args[0] !== "position-area" && supports(...(args as [string]));
  Reflect.deleteProperty(HTMLButtonElement.prototype, "command");
  Reflect.deleteProperty(HTMLDialogElement.prototype, "closedBy");
  addEventListener("DOMContentLoaded", () => {
    const style = new CSSStyleSheet();
    style.replaceSync(".svc-popup{position-area:none!important;position-anchor:none!important}");
    document.adoptedStyleSheets = [style];
    // Hides the behavior that this browser has natively under other names.
    for (const dialog of document.querySelectorAll("dialog")) dialog.closedBy = "closerequest";
  });
}

/** Waits until the element with this text has the focus. */
const focused = (page: Page, text: string): Promise<unknown> =>
  page.waitForFunction((wanted) => (document.activeElement as HTMLElement).innerText === wanted, text);
const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).boundingBox();
  assert.ok(box);
  return box;
};

async function menuByKeys(page: Page): Promise<void> {
  await page.focus("#file-button");
  await page.keyboard.press("ArrowDown");
  await page.locator("#file:popover-open").waitFor();
  await focused(page, "Copy");
  for (const [key, item] of [
    ["ArrowDown", "Cut"],
    ["ArrowDown", "Clear all"],
    ["ArrowDown", "Copy"],
    ["End", "Clear all"],
    ["c", "Copy"],
    ["c", "Cut"],
  ] as const) {
    await page.keyboard.press(key);
    await focused(page, item);
  }
  await page.keyboard.press("Enter");
  await page.locator("output", { hasText: "Cut" }).waitFor();
  assert.equal(await page.locator("#file:popover-open").count(), 0);
  await focused(page, "File");
  await page.keyboard.press("ArrowUp");
  await page.locator("#file:popover-open").waitFor();
  await focused(page, "Clear all");
  await page.keyboard.press("Escape");
  await page.locator("#file:popover-open").waitFor({ state: "detached" });
  await focused(page, "File");
}

async function besideTheirButtons(page: Page): Promise<void> {
  await page.click("#file-button");
  const [button, menu] = [await boxOf(page, "#file-button"), await boxOf(page, "#file")];
  assert.ok(menu.y >= button.y + button.height && menu.y < button.y + button.height + 12, "below");
  assert.ok(Math.abs(menu.x - button.x) <= 6, "begins where the button begins");
  await page.keyboard.press("Escape");
  await page.click("#note-button");
  const [above, note] = [await boxOf(page, "#note-button"), await boxOf(page, "#note")];
  assert.ok(note.y + note.height <= above.y + 1, JSON.stringify({ above, note }));
  // At the upper edge of the window there is no room above.
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.querySelector("#note-button")?.scrollIntoView({ block: "start" }));
  await page.click("#note-button");
  // Not at once in a browser that loads a script for it.
  await page.waitForFunction(() => {
    const [high, flipped] = ["#note-button", "#note"].map((id) => document.querySelector(id)?.getBoundingClientRect());
    return high && flipped && flipped.top >= high.bottom - 1;
  });
  await page.mouse.click(3, 600);
  await page.locator("#note:popover-open").waitFor({ state: "detached" });
}

async function dialogs(page: Page): Promise<void> {
  const width = await page.evaluate(() => document.querySelector("main")?.getBoundingClientRect().width);
  await page.getByText("Delete…").click();
  await page.locator("#project:modal").waitFor();
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY), "hidden");
  assert.equal(await page.evaluate(() => document.querySelector("main")?.getBoundingClientRect().width), width);
  await page.getByText("What goes exactly?").click();
  await page.locator("#more:modal").waitFor();
  // Not by a click beside it, which is turned off.
  await page.mouse.click(3, 3);
  await page.keyboard.press("Escape");
  await page.locator("#more:modal").waitFor({ state: "detached" });
  await focused(page, "What goes exactly?");
  await page.mouse.click(3, 3);
  await page.locator("#project:modal").waitFor({ state: "detached" });
  await focused(page, "Delete…");
  await page.getByText("Delete…").click();
  await page.getByText("Delete it").click();
  await page.locator("#answer", { hasText: "[delete]" }).waitFor();
  await page.getByText("Delete…").click();
  await page.click("#project > form > button");
  await page.locator("#project:modal").waitFor({ state: "detached" });
}

describe("pages without widgets", () => {
  it("have no script, style or byte of them", async () => {
    const html = await (await fetch(`${siteUrl()}/`)).text();
    assert.doesNotMatch(html, /_svc\/|<script|<link(?! rel="stylesheet" href="\/showcase)/);
  });
});

describe("popups and dialogs", () => {
  it("need no script but the one for menu keys, in a browser with native support", () =>
    onPage(async (page, scripts) => {
      await besideTheirButtons(page);
      await dialogs(page);
      assert.deepEqual(
        scripts.filter((path) => path.startsWith("/_svc/ui")),
        ["/_svc/ui-menu.js"],
      );
    }));

  it("stay in the window of a browser that positions them but does not flip them", () =>
    onPage(
      async (page, scripts) => {
        await besideTheirButtons(page);
        assert.ok(scripts.includes("/_svc/ui.js"));
      },
      {},
      () =>
        addEventListener("DOMContentLoaded", () => {
          const style = new CSSStyleSheet();
          style.replaceSync(".svc-popup{position-try-fallbacks:none!important}");
          document.adoptedStyleSheets = [style];
        }),
    ));

  it("are placed beside their buttons, modal, and closed by clicks beside them, without native support", () =>
    onPage(
      async (page, scripts) => {
        await besideTheirButtons(page);
        await dialogs(page);
        assert.deepEqual(scripts.filter((path) => path.startsWith("/_svc/ui")).sort(), [
          "/_svc/ui-menu.js",
          "/_svc/ui.js",
        ]);
      },
      {},
      older,
    ));

  it("are usable by keyboard alone", () =>
    onPage(async (page) => {
      await menuByKeys(page);
      await page.getByText("Delete…").focus();
      await page.keyboard.press("Enter");
      await page.locator("#project:modal").waitFor();
      // The focus cycles inside and never reaches the page behind.
      for (let press = 0; press < 8; press++) {
        await page.keyboard.press("Tab");
        const isInside = await page.evaluate(
          () => document.activeElement === document.body || document.activeElement?.closest("dialog") !== null,
        );
        assert.ok(isInside);
      }
      await page.keyboard.press("Escape");
      await page.locator("#project:modal").waitFor({ state: "detached" });
    }));

  it("open and close without JavaScript, by button and by link", () =>
    onPage(
      async (page) => {
        await page.click("#file-button");
        await page.locator("#file:popover-open").waitFor();
        await page.keyboard.press("Escape");
        await page.getByText("Delete…").click();
        await page.locator("#project:modal").waitFor();
        await page.keyboard.press("Escape");
        await page.getByText("Without script").click();
        await page.locator("#project:target").waitFor();
        await page.locator("#project").getByText("can't be undone").waitFor();
        await page.click("#project > a.svc-modal-close");
        await page.locator("#project").getByText("can't be undone").waitFor({ state: "hidden" });
      },
      { javaScriptEnabled: false },
    ));

  for (const colorScheme of ["light", "dark"] as const) {
    it(`are accessible, in ${colorScheme} and on a phone`, () =>
      onPage(
        async (page) => {
          assert.deepEqual(await seriousViolations(page), []);
          await page.click("#file-button");
          await page.locator("#file:popover-open").waitFor();
          assert.deepEqual(await seriousViolations(page), []);
          await savePicture(page, `ui-menu-${colorScheme}`);
          await page.keyboard.press("Escape");
          await page.getByText("Delete…").click();
          await page.locator("#project:modal").waitFor();
          assert.deepEqual(await seriousViolations(page), []);
          await page.screenshot({ path: `test-results/ui-modal-${colorScheme}.png` });
        },
        { colorScheme, viewport: { width: 360, height: 640 }, reducedMotion: "reduce" },
      ));
  }

  it("are recognizable in forced colors", () =>
    onPage(
      async (page) => {
        await page.click("#file-button");
        await page.locator("#file:popover-open").waitFor();
        await savePicture(page, "ui-menu-forced");
        const outline = await page
          .locator("#file [role=menuitem]")
          .first()
          .evaluate((item) => getComputedStyle(item).outlineStyle);
        assert.equal(outline, "solid");
      },
      { forcedColors: "active" },
    ));
});
