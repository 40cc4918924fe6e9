/**
 * Apps the way people write them (test/fixtures/authoring): each one works as its story says, or the compiler refuses it with the code
 * that its story names. Cases in `pending.json` do neither yet; one that begins to pass has to leave the list.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
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
}

const expectations = new Map<string, Expectation>();
for (const name of caseNames) {
  const file = join(root, "out/test/fixtures/authoring", name, "story.js");
  expectations.set(name, (await import(pathToFileURL(file).href)) as Expectation);
}

const data = temporaryFolder();
let app: AuthoringApp;
let server: DemoServer;
let browser: Browser;
let tabs: Tab[];
let pool: Pool<Tab>;

before(async () => {
  // The build reads the variables of the process.
  process.env["NODE_ENV"] = "production";
  app = await buildCases(caseNames, (name) => name in pending || expectations.get(name)?.refused !== undefined);
  server = await startDemo({ app: app.folder, dataDir: data.path, env: { SVC_DATABASE_URL: "memory:" } });
  browser = await launchBrowser();
  tabs = await Promise.all(Array.from({ length: TABS }, () => openTab(browser)));
  pool = new Pool(tabs);
});

after(async () => {
  for (const tab of tabs ?? []) await tab.close();
  await browser?.close();
  await server?.stop();
  app?.remove();
  data.remove();
});

async function check(name: string): Promise<void> {
  const { story, refused } = expectations.get(name) ?? {};
  const refusal = app.refusals.get(name);
  if (refused !== undefined) {
    assert.equal(refusal?.code, refused, refusal?.message ?? "the compiler refuses the app");
    assert.match(refusal.message, new RegExp(`${name}/[\\w./-]+:\\d+`), "the error names file and line");
    return;
  }
  if (refusal) throw refusal;
  assert.ok(story, `${name}/story.ts exports a story`);
  await pool.use((tab) => play(name, story, tab));
}

async function play(name: string, story: Story, tab: Tab): Promise<void> {
  try {
    await story(await CasePlayer.open(tab, `${server.url}/${name}`, name in pending ? PENDING_CHECK_MS : CHECK_MS));
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
    if (!(name in pending)) it(title, () => check(name));
    else
      it(`${title} (pending)`, async () => {
        const failure = await check(name).then(
          () => undefined,
          (error: unknown) => error,
        );
        assert.ok(failure, `${name} passes: remove it from test/fixtures/authoring/pending.json`);
      });
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
