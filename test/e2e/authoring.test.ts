/**
 * Apps the way people write them (test/fixtures/authoring): each one works as its story says, under `svc start` and `svc dev`, or the compiler
 * refuses it with the code that its story names. Cases in `pending.json` do neither yet; one that begins to pass has to leave the list.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Locator, Page } from "playwright-core";
import type { Story } from "../fixtures/authoring/story.ts";
import { buildCases, caseNames, pending, type AuthoringApp } from "./authoring-app.ts";
import { CasePlayer } from "./authoring-player.ts";
import { launchBrowser, openTab, type Tab } from "./browser.ts";
import { root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";
import { TABS } from "./fixture-story.ts";
import { Pool } from "./pool.ts";

/** The longest time for a check to hold. Only a failing test reaches it. */
const CHECK_MS = 30_000;
/** A pending case is expected to reach it. */
const PENDING_CHECK_MS = 1500;

/** The exports of a case's `story.ts`: a story, or the code of the compiler's error. */
interface Expectation {
  story?: Story;
  refused?: string;
  /** Code of the error of `svc dev`, for what a build accepts because it never changes. */
  refusedInDevelopment?: string;
}

type Version = "production" | "development";

const expectations = new Map<string, Expectation>();
for (const name of caseNames) {
  const file = join(root, "out/test/fixtures/authoring", name, "story.js");
  expectations.set(name, (await import(pathToFileURL(file).href)) as Expectation);
}

const data = temporaryFolder();
let app: AuthoringApp;
/** The same app under `svc start` and `svc dev`. */
const servers: Partial<Record<Version, DemoServer>> = {};
let browser: Browser;
let tabs: Tab[];
let pool: Pool<Tab>;

before(async () => {
  // The build reads the variables of the process.
  process.env["NODE_ENV"] = "production";
  app = await buildCases(caseNames, (name) => name in pending || expectations.get(name)?.refused !== undefined);
  servers.production = await startDemo({ app: app.folder, dataDir: data.path, env: { SVC_DATABASE_URL: "memory:" } });
  servers.development = await startDemo({
    app: app.folder,
    command: "dev",
    dataDir: data.path,
    env: { SVC_DATABASE_URL: "memory:", NODE_ENV: "development" },
  });
  browser = await launchBrowser();
  tabs = await Promise.all(Array.from({ length: TABS }, () => openTab(browser)));
  for (const { page } of tabs) await page.addLocatorHandler(closeOfReport(page), (button) => button.click());
  pool = new Pool(tabs);
});

after(async () => {
  for (const tab of tabs ?? []) await tab.close();
  await browser?.close();
  for (const server of Object.values(servers)) await server.stop();
  app?.remove();
  data.remove();
});

/** Development reports an error in a dialog over the page, which users close before they go on. */
const closeOfReport = (page: Page): Locator => page.locator("svc-fault").getByRole("button", { name: "Close" });

async function check(name: string, version: Version): Promise<void> {
  const { story, refused } = expectations.get(name) ?? {};
  const refusal = app.refusals.get(name);
  if (refused !== undefined) {
    assert.equal(refusal?.code, refused, refusal?.message ?? "the compiler refuses the app");
    assert.match(refusal.message, new RegExp(`${name}/[\\w./-]+:\\d+`), "the error names file and line");
    return;
  }
  if (refusal) throw refusal;
  assert.ok(story, `${name}/story.ts exports a story`);
  await pool.use((tab) => play(name, story, tab, version));
}

async function play(name: string, story: Story, tab: Tab, version: Version): Promise<void> {
  const url = `${servers[version]?.url}/${name}`;
  try {
    await story(await CasePlayer.open(tab, url, name in pending ? PENDING_CHECK_MS : CHECK_MS));
    assert.deepEqual(tab.takeComplaints(), [], "the browser reports no error");
  } finally {
    // The next case in this tab has errors of its own only.
    await tab.page.goto("about:blank");
    tab.takeComplaints();
  }
}

describe("an app the way people write it:", { concurrency: TABS }, () => {
  for (const name of caseNames) {
    const title = name.replaceAll("-", " ");
    if (!(name in pending)) it(title, () => check(name, "production"));
    else
      it(`${title} (pending)`, async () => {
        const failure = await check(name, "production").then(
          () => undefined,
          (error: unknown) => error,
        );
        assert.ok(failure, `${name} passes: remove it from test/fixtures/authoring/pending.json`);
      });
  }
});

describe("an app the way people write it, under svc dev:", { concurrency: TABS }, () => {
  for (const name of caseNames) {
    const { refused, refusedInDevelopment } = expectations.get(name) ?? {};
    const title = name.replaceAll("-", " ");
    if (refusedInDevelopment !== undefined)
      it(`${title} (refused)`, async () => {
        const response = await fetch(`${servers.development?.url}/${name}`);
        assert.equal(response.status, 500);
        assert.match(await response.text(), new RegExp(`${refusedInDevelopment} ${name}/[\\w./-]+:\\d+`));
      });
    else if (!(name in pending) && refused === undefined) it(title, () => check(name, "development"));
  }
});

describe("the cases", () => {
  it("include all that are pending", () => {
    const names = process.env["AUTHORING"] === undefined ? Object.keys(pending) : [];
    assert.deepEqual(
      names.filter((name) => !caseNames.includes(name)),
      [],
    );
  });

  it("are refused with errors that docs/errors.md explains", () => {
    const explained = readFileSync(join(root, "docs/errors.md"), "utf8");
    for (const { code } of app.refusals.values()) assert.ok(explained.includes(`### ${code}`), code);
  });
});
