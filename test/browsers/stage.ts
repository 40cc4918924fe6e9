/** Runs the stories of a browser: each on an app behind a relay, and it fails on any error of the page. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { inTime } from "./in-time.ts";
import { startRelay, type Relay } from "./relay.ts";
import type { Launched, Visitor } from "./visitor.ts";

export interface Scene {
  visitor: Visitor;
  relay: Relay;
  /** The app's address behind the relay. */
  url: string;
}

export interface Act {
  name: string;
  /** Starts the app. */
  start: () => Promise<{ url: string; stop(): Promise<unknown> }>;
  /** Errors to ignore, with a reason in docs/reference/browsers.md. */
  known?: RegExp;
  /** The stories by their names. */
  stories: Readonly<Record<string, (scene: Scene) => Promise<void>>>;
}

/** A story that fails beside other work runs once more, if the caller wants that. If more stories fail, it is no accident (decision 068). */
const MOST_AGAIN = process.env["SVC_TEST_STORY_AGAIN"] === "1" ? 3 : 0;

/** Declares the stories as tests. @param lacks the reason why the browser cannot run here */
export function play(
  browserName: string,
  lacks: string | undefined,
  launch: () => Promise<Launched>,
  acts: readonly Act[],
): void {
  void describe(browserName, { skip: lacks ?? false }, () => {
    let browser: Launched;
    before(async () => {
      browser = await launch();
    });
    after(() => browser?.close());
    let again = 0;
    /** Runs a story, and reports one that passes only at the second time. */
    const runStory = async (story: string, once: () => Promise<void>): Promise<void> => {
      try {
        await once();
      } catch (error) {
        if (++again > MOST_AGAIN) throw error;
        console.log(`${story}: ${error instanceof Error ? error.stack : String(error)}`);
        await once();
        console.log(`unsteady: "${story}" failed in ${browserName}, and passed once more; see its output above`);
      }
    };
    for (const act of acts) perform(act, () => browser, runStory);
  });
}

/** A story that has not ended until then has lost its browser: each wait in it has a shorter limit. */
const STORY_MS = 60_000;

function perform(
  { name, start, known, stories }: Act,
  browser: () => Launched,
  narrate: (story: string, once: () => Promise<void>) => Promise<void>,
): void {
  void describe(name, () => {
    let app: Awaited<ReturnType<Act["start"]>>;
    let relay: Relay;
    before(async () => {
      app = await start();
      relay = await startRelay(app.url);
    });
    after(async () => {
      await relay?.close();
      await app?.stop();
    });
    const play = async (story: Act["stories"][string]): Promise<void> => {
      const visitor = await browser().visit();
      try {
        await inTime(story({ visitor, relay, url: relay.url }), STORY_MS, "The story");
        assert.deepEqual(
          relay.takeComplaints().filter((complaint) => known?.test(complaint) !== true),
          [],
        );
      } finally {
        relay.release();
        await visitor.close();
        relay.takeComplaints();
      }
    };
    for (const [title, story] of Object.entries(stories)) void it(title, () => narrate(title, () => play(story)));
  });
}
