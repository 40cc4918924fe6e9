/** Plays the steps of fixtures in a few tabs, with a production or a development server, and compares each step with the server's page. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { launchBrowser, openTab, type Tab } from "./browser.ts";
import { deliver, type Delivery, type DeliveryKind } from "./delivery.ts";
import { buildDemo, root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";
import { install, type WireStep } from "./fixture-page.ts";
import { Pool } from "./pool.ts";
import { selectedNames } from "./selected-names.ts";

export const fixtureApp = join(root, "test/fixtures/compiler");

/** The names of the fixtures, which are their paths. `FIXTURES=row,tree` keeps those whose names contain "row" or "tree". */
export const fixtureNames: string[] = selectedNames(
  readdirSync(fixtureApp, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.name === "input.tsx" && !entry.parentPath.includes("dist"))
    .map((entry) => entry.parentPath.slice(fixtureApp.length + 1)),
  "FIXTURES",
);

/** The number of concurrent tabs. Pages mostly wait for code, so more tabs than processors are faster. */
export const TABS = 4;

/** The longest time for a page to equal the server's. Only a failing test reaches it. */
const SETTLE_MS = 30_000;

interface WireFixture {
  name: string;
  start?: Record<string, unknown>;
  steps?: WireStep[];
}

/** A played step, and its changes of the document, one per line. */
export interface Played {
  title: string;
  changes: string[];
}

/** The fixtures' app with one server, and tabs that reach it through one kind of network. */
export class FixtureStage {
  readonly #server: DemoServer;
  readonly #browser: Browser;
  readonly #kind: DeliveryKind;
  readonly #tabs: FixtureTab[] = [];
  #pool = new Pool<FixtureTab>([]);
  readonly #fixtures: Map<string, WireFixture>;

  private constructor(server: DemoServer, browser: Browser, kind: DeliveryKind, fixtures: WireFixture[]) {
    this.#server = server;
    this.#browser = browser;
    this.#kind = kind;
    this.#fixtures = new Map(fixtures.map((fixture) => [fixture.name, fixture]));
  }

  static async open({ server, browser }: FixtureHost, kind: DeliveryKind): Promise<FixtureStage> {
    const fixtures = (await (await fetch(`${server.url}/fixtures.json`)).json()) as WireFixture[];
    const stage = new FixtureStage(server, browser, kind, fixtures);
    for (let count = 0; count < TABS; count++) stage.#tabs.push(await stage.#openTab());
    stage.#pool = new Pool(stage.#tabs);
    return stage;
  }

  async close(): Promise<void> {
    for (const opened of this.#tabs) {
      await opened.tab.close();
      await opened.delivery.close();
    }
  }

  /** The HTML of a fixture in its first state. */
  async html(name: string): Promise<string> {
    return (await fetch(`${this.#server.url}/${name}`)).text();
  }

  /** @throws AssertionError if a step leads to a page other than the server's for the same state */
  async play(name: string): Promise<Played[]> {
    const fixture = this.#fixtures.get(name);
    assert.ok(fixture, `the app has a fixture ${name}`);
    return this.#pool.use(async (opened) => {
      const played = await this.#playIn(opened, fixture).catch((error: unknown) => {
        // Otherwise the tab would report them when it closes, as errors of another fixture.
        const complaints = opened.complaints(this.#kind);
        if (complaints.length > 0) console.error(`In ${name} the browser complained:\n${complaints.join("\n")}`);
        throw error;
      });
      assert.deepEqual(opened.complaints(this.#kind), [], "the browser reports no error");
      return played;
    });
  }

  async #playIn(
    { tab: { page }, delivery }: FixtureTab,
    { name, start = {}, steps = [] }: WireFixture,
  ): Promise<Played[]> {
    const urlOf = (state: object): string =>
      `${delivery.url}/${name}?state=${encodeURIComponent(JSON.stringify(state))}`;
    delivery.begin();
    let state = start;
    let typed: Record<string, string> = {};
    await page.goto(urlOf(state));
    const played: Played[] = [];
    for (const [index, step] of steps.entries()) {
      state = { ...state, ...step.to };
      typed = step.typed ?? typed;
      await page.evaluate((sent) => {
        proof.watch();
        proof.fire(sent);
      }, step);
      if (index === 0 && this.#kind !== "cold") await this.#release(page.url(), delivery);
      const { shown, expected, changes } = await page.evaluate(
        async ([url, typedTexts]) => ({ ...(await proof.settle(url, typedTexts)), changes: proof.changes() }),
        [urlOf(state), typed] as const,
      );
      const title = titleOf(step);
      assert.deepEqual(shown, expected, `after ${title}, step ${index + 1} of ${name}`);
      played.push({ title, changes });
    }
    return played;
  }

  /** The code was requested before this response, so it can be released by now. */
  async #release(url: string, delivery: Delivery): Promise<void> {
    await fetch(url);
    delivery.release();
  }

  async #openTab(): Promise<FixtureTab> {
    const tab = await openTab(this.#browser);
    await tab.page.addInitScript(`(${install.toString()})("data-svc-pending", ${SETTLE_MS})`);
    const delivery = await deliver(this.#server.url, this.#kind);
    return {
      tab,
      delivery,
      complaints: (kind) => {
        const all = tab.takeComplaints();
        // This network fails requests on purpose.
        return kind === "failing" ? all.filter((text) => !text.includes("503")) : all;
      },
    };
  }
}

interface FixtureTab {
  tab: Tab;
  delivery: Delivery;
  complaints(kind: DeliveryKind): string[];
}

function titleOf({ on, at = "button", with: value, event }: WireStep): string {
  const given = value === undefined ? "" : ` with ${JSON.stringify(value)}`;
  return `${on} ${at}${given}${event ? ` ${JSON.stringify(event)}` : ""}`;
}

/** A browser, and a server of the fixtures' app. */
export interface FixtureHost {
  server: DemoServer;
  browser: Browser;
  close(): Promise<void>;
}

/**
 * @param command `start` builds the app first
 * @param folder of an app that lists its pages at `/fixtures.json`
 */
export async function hostFixtures(command: "start" | "dev", app = fixtureApp): Promise<FixtureHost> {
  const folder = temporaryFolder();
  if (command === "start") {
    // The test runner reports only that tests behind a failed hook were cancelled.
    await buildDemo(app).catch((error: unknown) => {
      console.error(error);
      throw error;
    });
  }
  const env = command === "dev" ? { NODE_ENV: "development" } : {};
  const [server, browser] = await Promise.all([
    startDemo({ app, command, dataDir: join(folder.path, "data"), env }),
    launchBrowser(),
  ]);
  return {
    server,
    browser,
    async close() {
      await browser.close();
      await server.stop();
      folder.remove();
    },
  };
}
