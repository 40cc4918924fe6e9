/** Effects and error boundaries in a real browser, with the production policy (test/fixtures/runtime). */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab } from "./browser.ts";
import { buildDemo, root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";

const app = join(root, "test/fixtures/runtime");
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

/** Opens a path, runs `story`, and fails on any browser error. */
async function onPage(path: string, story: (page: Page, scripts: string[]) => Promise<void>): Promise<void> {
  const tab = await openTab(browser);
  await tab.page.goto(server.url + path);
  await story(tab.page, tab.scripts);
  await tab.close();
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

describe("an effect", () => {
  it("runs on the server, and in the browser when another component changes what it read", () =>
    onPage("/effects", async (page) => {
      const log = page.locator("#log");
      assert.equal(await log.textContent(), "2; ");
      await button(page, "Count").click();
      await log.filter({ hasText: "2; 4 with 0; " }).waitFor();
      await button(page, "Other").click();
      assert.equal(await log.textContent(), "2; 4 with 0; undo 4; 4 with 1; ");
    }));

  it("does not run when its component wakes", () =>
    onPage("/effects", async (page) => {
      await button(page, "Here").click();
      await page.locator("#log", { hasText: "here" }).waitFor();
      assert.equal(await page.locator("#log").textContent(), "2; here; ");
    }));

  it("follows the fields of a store that it read", () =>
    onPage("/effects", async (page) => {
      const theme = page.locator("#theme");
      assert.equal(await theme.textContent(), "light after 1");
      await button(page, "Unread").click();
      await page.locator("[data-svc-pending]").waitFor({ state: "detached" });
      await button(page, "Theme").click();
      await theme.filter({ hasText: "dark" }).waitFor();
      assert.equal(await theme.textContent(), "dark after 2");
    }));
});

describe("the cleanup that onLoad returns", () => {
  it("runs when its element is removed", () =>
    onPage("/effects", async (page) => {
      await page.locator("#removable[data-loaded]").waitFor();
      assert.equal(await page.locator("html[data-undone]").count(), 0);
      await button(page, "Remove").click();
      await page.locator("html[data-undone]").waitFor({ state: "attached" });
    }));
});

/** Script paths without the hash of the build. */
const named = (scripts: string[]): string[] => scripts.map((path) => path.replace(/-[0-9a-f]{8}\.js$/, ""));

describe("an island", () => {
  it("is fetched when it becomes visible, and wakes without an event", () =>
    onPage("/islands", async (page, scripts) => {
      await page.waitForLoadState("networkidle");
      assert.ok(!named(scripts).includes("/_svc/handler/gauge"));
      const loaded = page.waitForResponse((response) => response.url().includes("/handler/gauge"));
      await page.locator("#seen").scrollIntoViewIfNeeded();
      await loaded;
      await button(page, "seen 1").click();
      await page.locator("#seen output", { hasText: /^2$/ }).waitFor();
    }));

  for (const moment of ["eager", "idle"]) {
    it(`is fetched at its moment: ${moment}`, () =>
      onPage(`/island-${moment}`, async (page, scripts) => {
        await page.waitForLoadState("networkidle");
        assert.ok(named(scripts).includes("/_svc/handler/gauge"));
        assert.equal(await page.locator(`#${moment} output`).textContent(), "1");
        await button(page, `${moment} 1`).click();
        await page.locator(`#${moment} output`, { hasText: /^2$/ }).waitFor();
      }));
  }
});

describe("content passed to a component", () => {
  it("is rendered in its slot and keeps the bindings of its author", () =>
    onPage("/islands", async (page) => {
      assert.equal(await page.locator("#card h2").textContent(), "0 likes");
      await button(page, "Like").click();
      await page.locator("#card h2", { hasText: "1 likes" }).waitFor();
      await button(page, "Close").click();
      await page.locator('#card[data-open="false"]').waitFor();
    }));
});

describe("a function passed to a component", () => {
  const picked = (page: Page, text: string | RegExp) => page.locator("#picked", { hasText: text }).waitFor();

  it("runs in the scope of its author, also through components that pass it on", () =>
    onPage("/callbacks", async (page) => {
      await button(page, "Pick a").click();
      await picked(page, /^picked a 1, was $/);
      await button(page, "Pick b").click();
      await picked(page, /^picked b 1, was PICKED A 1, WAS $/);
    }));

  it("has the values of its list row, can be a handler, and can be called by effects", () =>
    onPage("/callbacks", async (page) => {
      await button(page, "Clear d").click();
      await page.locator("#clears", { hasText: "1" }).waitFor();
      await button(page, "Pick d").click();
      await picked(page, /^dd$/);
      await button(page, "Pick c").click();
      await picked(page, /^cc$/);
      await button(page, "Pick c").click();
      await picked(page, /^changed 2$/);
    }));

  it("may call server actions", () =>
    onPage("/callbacks", async (page) => {
      await button(page, "Pick quotient").click();
      await picked(page, /^6$/);
    }));

  it("may be omitted", () =>
    onPage("/callbacks", async (page) => {
      await button(page, "Clear quotient").click();
      await button(page, "Pick quotient").click();
      await picked(page, /^6$/);
    }));
});

describe("a portal", () => {
  const dialog = (page: Page) => page.locator("#modals .dialog");

  it("created in the browser is in its target, bound to its author, and disappears with its branch", () =>
    onPage("/portals", async (page) => {
      assert.equal(await dialog(page).count(), 0);
      await button(page, "Toggle").click();
      await dialog(page).waitFor();
      await button(page, "Click").click();
      assert.equal(await dialog(page).locator("p").textContent(), "1 clicks");
      assert.equal(await page.locator("#dialogs output").textContent(), "1");
      assert.equal(await page.locator("#heard").textContent(), "modals ");
      await button(page, "Close").click();
      assert.equal(await dialog(page).count(), 0);
      await button(page, "Toggle").click();
      assert.equal(await dialog(page).locator("p").textContent(), "1 clicks");
    }));

  it("of the server is resumed", () =>
    onPage("/portals-open", async (page) => {
      assert.equal(await page.locator("#modals").evaluate((target) => target.lastElementChild?.className), "dialog");
      await button(page, "Click").click();
      await dialog(page).locator("p", { hasText: "1 clicks" }).waitFor();
      assert.equal(await page.locator("#dialogs output").textContent(), "1");
      await button(page, "Toggle").click();
      assert.equal(await dialog(page).count(), 0);
    }));

  it("of a row belongs to the row, and disappears with it", () =>
    onPage("/portals", async (page) => {
      await button(page, "Count a").click();
      await page.locator("#rows i", { hasText: "1" }).waitFor();
      await button(page, "Row b").click();
      await button(page, "Count b").click();
      assert.deepEqual(await page.locator("#rows i").allTextContents(), ["1", "1"]);
      assert.deepEqual(await page.locator("body > .of-row button").allTextContents(), [
        "Count a",
        "Remove a",
        "Count b",
        "Remove b",
      ]);
      await button(page, "Remove a").click();
      assert.deepEqual(await page.locator("body > .of-row button").allTextContents(), ["Count b", "Remove b"]);
      assert.deepEqual(await page.locator("#rows i").allTextContents(), ["1"]);
    }));

  it("of constant content is in its target without script, and works", () =>
    onPage("/portals", async (page) => {
      await page.locator("#late").getByRole("button", { name: "Note" }).click();
      await page.locator("#note", { hasText: "1 notes" }).waitFor();
    }));
});

/** Like `onPage`, but the browser must report exactly these errors. */
async function reporting(path: string, errors: string[], story: (page: Page) => Promise<void>): Promise<void> {
  const tab = await openTab(browser);
  const reported: string[] = [];
  tab.page.on("pageerror", (error) => reported.push(error.message));
  await tab.page.goto(server.url + path);
  await story(tab.page);
  assert.deepEqual(reported, errors);
  await tab.close().catch((error: Error) => assert.equal(error.message.match(/page error/g)?.length, errors.length));
}

describe("an error boundary", () => {
  const caught = (page: Page) => page.locator("#caught output");

  it("shows its fallback when a handler throws, and brings the content back as it was", () =>
    reporting("/failing", ["thrown by a handler"], async (page) => {
      await button(page, "Works 0").click();
      await button(page, "Works 1").waitFor();
      await button(page, "Throw").click();
      await caught(page).filter({ hasText: "thrown by a handler" }).waitFor();
      assert.equal(await page.locator("main #handlers").count(), 0);
      assert.equal(await page.locator("main").textContent(), "thrown by a handlerResetFixRenameAda");
      await button(page, "Reset").click();
      await button(page, "Works 1").click();
      await button(page, "Works 2").waitFor();
      assert.equal(await page.locator("#caught").count(), 0);
    }));

  it("catches a handler's promise", () =>
    reporting("/failing", ["rejected by a handler"], async (page) => {
      await button(page, "Reject").click();
      await caught(page).filter({ hasText: "rejected by a handler" }).waitFor();
    }));

  it("catches a failing binding, and shows the content once the cause is fixed", () =>
    reporting("/failing", Array(3).fill("Cannot read properties of null (reading 'name')"), async (page) => {
      await button(page, "Lose").click();
      await caught(page).waitFor();
      await button(page, "Fix").click();
      await page.locator("#dialog i", { hasText: "5" }).waitFor();
      await page.locator("#profile b", { hasText: "GRACE" }).waitFor();
      assert.equal(await page.locator("#outside output").textContent(), "Grace");
    }));

  it("shows its fallback again while the content still fails, and leaves the rest of the page working", () => {
    const message = "Cannot read properties of null (reading 'name')";
    return reporting("/failing", Array(6).fill(message), async (page) => {
      await button(page, "Lose").click();
      await button(page, "Reset").click();
      await caught(page).waitFor();
      await button(page, "Rename").click();
      await page.locator("#outside output", { hasText: "Lovelace" }).waitFor();
      await button(page, "Reset").click();
      await page.locator("#profile b", { hasText: "LOVELACE" }).waitFor();
    });
  });

  it("catches a row that can't be rendered", () =>
    reporting("/failing", ["Cannot read properties of null (reading 'trim')"], async (page) => {
      await button(page, "Bad row").click();
      await caught(page).waitFor();
    }));

  it("catches an error in a portal of its content, and hides the portal too", () =>
    reporting("/failing", ["thrown in a portal"], async (page) => {
      await button(page, "Open").click();
      await button(page, "Throw there").click();
      await caught(page).filter({ hasText: "thrown in a portal" }).waitFor();
      assert.equal(await page.locator("body > #moved").isVisible(), false);
      await button(page, "Reset").click();
      await page.locator("body > #moved").waitFor();
    }));

  it("keeps hidden content up to date", () =>
    reporting("/failing", ["thrown by a handler"], async (page) => {
      await button(page, "Throw").click();
      await caught(page).waitFor();
      await button(page, "Rename").click();
      await page.locator("#outside output", { hasText: "Lovelace" }).waitFor();
      await button(page, "Reset").click();
      await page.locator("#profile b", { hasText: "LOVELACE" }).waitFor();
    }));

  it("catches a failing effect", () =>
    reporting("/failing", ["thrown by an effect"], async (page) => {
      await button(page, "Bad effect").click();
      await caught(page).waitFor();
    }));

  it("inside another boundary is the one that shows, with a server-rendered fallback that may contain components", () =>
    reporting("/failing", ["thrown inside"], async (page) => {
      assert.equal(await page.locator("#apology").count(), 0);
      await button(page, "Throw inside").click();
      await button(page, "Sorry 1").click();
      await button(page, "Sorry 2").waitFor();
      assert.equal(await page.locator("#caught").count(), 0);
      assert.equal(await page.locator("#handlers").count(), 1);
    }));

  it("that the browser created catches errors of handlers, bindings, effects and components, and restores its content", () =>
    reporting(
      "/created-failing",
      ["thrown by a handler", "Invalid count value: -98", "thrown by an effect", "thrown by a component"],
      async (page) => {
        await button(page, "Open").click();
        await button(page, "Clicks 0").click();
        await button(page, "Throw").click();
        await caught(page).filter({ hasText: "thrown by a handler" }).waitFor();
        assert.equal(await page.locator("#parts:visible").count(), 0);
        await button(page, "Reset").click();
        await button(page, "Clicks 1").click();
        await button(page, "Clicks 2").waitFor();
        for (const kind of ["binding", "effect"]) {
          await button(page, `Bad ${kind}`).click();
          await caught(page).waitFor();
          await button(page, "Repair").click();
          await button(page, "Reset").click();
          await button(page, "Clicks 2").waitFor();
        }
        await button(page, "Bad function").click();
        await button(page, "Open").click();
        await button(page, "Open").click();
        await caught(page).filter({ hasText: "thrown by a component" }).waitFor();
        await button(page, "Repair").click();
        await button(page, "Reset").click();
        await button(page, "Clicks 0").click();
        await button(page, "Throw").waitFor();
        await button(page, "Open").click();
        assert.equal(await page.locator("svc-kept").count(), 0);
        assert.equal(await page.locator("#parts").count(), 0);
      },
    ));

  it("whose fallback the server rendered requests the page again", () =>
    reporting("/failing-server", [], async (page) => {
      assert.equal(await caught(page).textContent(), "broken on the server");
      assert.equal(await page.locator("#handlers").count(), 0);
      const asked = page.waitForRequest((request) => request.isNavigationRequest());
      await button(page, "Reset").click();
      await asked;
    }));
});
