/** Feeds about the whole process: read once a second while somebody follows. */
import { randomInt } from "node:crypto";
import type { App, Clock } from "../../index.ts";
import { systemClock } from "../../graph.ts";
import { overviewParts } from "../widgets/ops-dashboard.tsx";
import { readOverviewView } from "../widgets/overview-view.ts";
import { workerParts } from "../widgets/worker-panel.tsx";
import { workerViews } from "../widgets/worker-view.ts";
import { ChangeSignal, keepRunning, pause } from "./change-signal.ts";
import { MOST_FIRST } from "./change-log.ts";
import { Parts } from "./widget-parts.ts";
import type { Feed, News } from "./topics.ts";

const LOOK_MS = 1000;

export abstract class StateFeed implements Feed {
  protected readonly app: App;
  readonly #clock: Clock;
  readonly #bell = new ChangeSignal();
  readonly #parts = new Parts();
  readonly #ending = new AbortController();
  /** Number of the next read. Servers start at random numbers, so that a number from another server is unknown here. */
  #at = randomInt(MOST_FIRST);

  constructor(app: App, onError: (error: unknown) => void, clock: Clock = systemClock) {
    this.app = app;
    this.#clock = clock;
    void keepRunning(() => this.#run(this.#ending.signal), onError, this.#ending.signal, clock);
  }

  get version(): number {
    return this.#bell.version;
  }

  changed(seen: number, signal: AbortSignal): Promise<void> {
    return this.#bell.changed(seen, signal);
  }

  async since(cursor: string): Promise<News | undefined> {
    return this.#parts.since(cursor);
  }

  stop(): void {
    this.#ending.abort();
  }

  protected abstract read(): Promise<Map<string, string>>;

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Each read gets its own number: a follower that joined between two equal reads must not mistake the next change for what it has.
      if (this.#parts.update(this.#at++, await this.read())) this.#bell.ring();
      await pause(LOOK_MS, signal, this.#clock);
    }
  }
}

export class WorkersFeed extends StateFeed {
  protected async read(): Promise<Map<string, string>> {
    return workerParts(await workerViews(this.app));
  }
}

export class OverviewFeed extends StateFeed {
  readonly #runHref: string | undefined;

  constructor(app: App, runHref: string | undefined, onError: (error: unknown) => void) {
    super(app, onError);
    this.#runHref = runHref;
  }

  protected async read(): Promise<Map<string, string>> {
    return overviewParts(await readOverviewView(this.app), this.#runHref);
  }
}
