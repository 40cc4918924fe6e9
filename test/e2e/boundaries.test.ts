/** Effects and boundaries in a real browser, with the production policy (test/fixtures/runtime). */
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

/** Opens a path, runs `story`, and fails when the browser complained. */
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

describe("what onLoad leaves to undo", () => {
  it("is undone when its element has gone", () =>
    onPage("/effects", async (page) => {
      await page.locator("#removable[data-loaded]").waitFor();
      assert.equal(await page.locator("html[data-undone]").count(), 0);
      await button(page, "Remove").click();
      await page.locator("html[data-undone]").waitFor({ state: "attached" });
    }));
});

/** Scripts without the hash of the build. */
const named = (scripts: string[]): string[] => scripts.map((path) => path.replace(/-[0-9a-f]{8}\.js$/, ""));

describe("an island", () => {
  it("is fetched when it is seen, and wakes without an event", () =>
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
    it(`is fetched when it is ${moment}`, () =>
      onPage(`/island-${moment}`, async (page, scripts) => {
        await page.waitForLoadState("networkidle");
        assert.ok(named(scripts).includes("/_svc/handler/gauge"));
        assert.equal(await page.locator(`#${moment} output`).textContent(), "1");
        await button(page, `${moment} 1`).click();
        await page.locator(`#${moment} output`, { hasText: /^2$/ }).waitFor();
      }));
  }
});

describe("content handed to a component", () => {
  it("stands in the slot it names and stays its writer's", () =>
    onPage("/islands", async (page) => {
      assert.equal(await page.locator("#card h2").textContent(), "0 likes");
      await button(page, "Like").click();
      await page.locator("#card h2", { hasText: "1 likes" }).waitFor();
      await button(page, "Close").click();
      await page.locator('#card[data-open="false"]').waitFor();
    }));
});

describe("a function given to a component", () => {
  const picked = (page: Page, text: string | RegExp) => page.locator("#picked", { hasText: text }).waitFor();

  it("runs where it was written: it sets what its writer has, through components that hand it on", () =>
    onPage("/callbacks", async (page) => {
      await button(page, "Pick a").click();
      await picked(page, /^picked a 1, was $/);
      await button(page, "Pick b").click();
      await picked(page, /^picked b 1, was PICKED A 1, WAS $/);
    }));

  it("has its own values where a list gives one to each, is a handler itself, and is called by effects", () =>
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

  it("that was left out is nothing", () =>
    onPage("/callbacks", async (page) => {
      await button(page, "Clear quotient").click();
      await button(page, "Pick quotient").click();
      await picked(page, /^6$/);
    }));
});

describe("a portal", () => {
  const dialog = (page: Page) => page.locator("#modals .dialog");

  it("made here stands in its target, bound to its writer, and goes with its branch", () =>
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

  it("of the server's is taken over", () =>
    onPage("/portals-open", async (page) => {
      assert.equal(await page.locator("#modals").evaluate((target) => target.lastElementChild?.className), "dialog");
      await button(page, "Click").click();
      await dialog(page).locator("p", { hasText: "1 clicks" }).waitFor();
      assert.equal(await page.locator("#dialogs output").textContent(), "1");
      await button(page, "Toggle").click();
      assert.equal(await dialog(page).count(), 0);
    }));

  it("of a row is the row's, and goes with it", () =>
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

  it("that never changes stands in its target without script, and works with it", () =>
    onPage("/portals", async (page) => {
      await page.locator("#late").getByRole("button", { name: "Note" }).click();
      await page.locator("#note", { hasText: "1 notes" }).waitFor();
    }));
});

/** As `onPage`, where the browser is to report just these errors. */
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
      assert.equal(await page.locator("main").textContent(), "thrown by a handlerResetMendRenameAda");
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

  it("catches a binding, and shows it mended", () =>
    reporting("/failing", Array(3).fill("Cannot read properties of null (reading 'name')"), async (page) => {
      await button(page, "Lose").click();
      await caught(page).waitFor();
      await button(page, "Mend").click();
      await page.locator("#dialog i", { hasText: "5" }).waitFor();
      await page.locator("#profile b", { hasText: "GRACE" }).waitFor();
      assert.equal(await page.locator("#outside output").textContent(), "Grace");
    }));

  it("shows its fallback again when what failed still fails, and lets the rest of the page live", () => {
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

  it("catches a row that can't be made", () =>
    reporting("/failing", ["Cannot read properties of null (reading 'trim')"], async (page) => {
      await button(page, "Bad row").click();
      await caught(page).waitFor();
    }));

  it("catches what fails in a portal of its content, and hides that with it", () =>
    reporting("/failing", ["thrown in a portal"], async (page) => {
      await button(page, "Open").click();
      await button(page, "Throw there").click();
      await caught(page).filter({ hasText: "thrown in a portal" }).waitFor();
      assert.equal(await page.locator("body > #moved").isVisible(), false);
      await button(page, "Reset").click();
      await page.locator("body > #moved").waitFor();
    }));

  it("keeps content up to date that is out of sight", () =>
    reporting("/failing", ["thrown by a handler"], async (page) => {
      await button(page, "Throw").click();
      await caught(page).waitFor();
      await button(page, "Rename").click();
      await page.locator("#outside output", { hasText: "Lovelace" }).waitFor();
      await button(page, "Reset").click();
      await page.locator("#profile b", { hasText: "LOVELACE" }).waitFor();
    }));

  it("catches an effect", () =>
    reporting("/failing", ["thrown by an effect"], async (page) => {
      await button(page, "Bad effect").click();
      await caught(page).waitFor();
    }));

  it("inside of another is the one that shows, with what the server wrote for it, components too", () =>
    reporting("/failing", ["thrown inside"], async (page) => {
      assert.equal(await page.locator("#apology").count(), 0);
      await button(page, "Throw inside").click();
      await button(page, "Sorry 1").click();
      await button(page, "Sorry 2").waitFor();
      assert.equal(await page.locator("#caught").count(), 0);
      assert.equal(await page.locator("#handlers").count(), 1);
    }));

  it("that the server has filled asks for the page again", () =>
    reporting("/failing-server", [], async (page) => {
      assert.equal(await caught(page).textContent(), "broken on the server");
      assert.equal(await page.locator("#handlers").count(), 0);
      const asked = page.waitForRequest((request) => request.isNavigationRequest());
      await button(page, "Reset").click();
      await asked;
    }));
});
