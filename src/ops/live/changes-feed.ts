/** Feed that says no more than that something of what a page shows has changed: the page fetches itself then. No more often than once a second. */
import type { Clock } from "../../index.ts";
import { systemClock } from "../../graph.ts";
import { ChangeSignal, pause } from "./change-signal.ts";
import type { ChangeLog, Subject } from "./change-log.ts";
import type { Feed, News } from "./topics.ts";

/** Between two pieces of news: what a page costs, it costs no more often. */
const NEWS_MS = 1000;
/** Between two looks while others' things change. */
const LOOK_MS = 100;

export class ChangesFeed implements Feed {
  readonly #log: ChangeLog;
  readonly #of: readonly Subject[];
  readonly #clock: Clock;
  readonly #bell = new ChangeSignal();
  readonly #ending = new AbortController();
  /** The change up to which is told. */
  #at: number;

  constructor(log: ChangeLog, of: readonly Subject[], onError: (error: unknown) => void, clock: Clock = systemClock) {
    this.#log = log;
    this.#of = of;
    this.#clock = clock;
    this.#at = log.at;
    this.#run(this.#ending.signal).catch(onError);
  }

  get version(): number {
    return this.#bell.version;
  }

  changed(seen: number, signal: AbortSignal): Promise<void> {
    return this.#bell.changed(seen, signal);
  }

  async since(cursor: string): Promise<News | undefined> {
    const seen = cursor === "" ? Number.NaN : Number(cursor);
    // What has changed since it was told last is told when its time comes; a page that was made meanwhile has some of it.
    if (seen >= this.#at && this.#log.knows(seen)) return undefined;
    const hasChanged = this.#log.hasChanged(this.#of, seen);
    return { cursor: String(this.#at), patch: hasChanged ? { parts: { changed: "" } } : {} };
  }

  stop(): void {
    this.#ending.abort();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { bell } = this.#log;
    for (let seen = bell.version; !signal.aborted;) {
      await bell.changed(seen, signal);
      seen = bell.version;
      const isNews = this.#log.hasChanged(this.#of, this.#at);
      this.#at = this.#log.at;
      if (isNews) this.#bell.ring();
      await pause(isNews ? NEWS_MS : LOOK_MS, signal, this.#clock);
    }
  }
}
