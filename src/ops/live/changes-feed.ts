/** A feed that only says that something a page shows has changed; the page then refetches itself. At most once a second. */
import type { Clock } from "../../index.ts";
import { systemClock } from "../../graph.ts";
import { ChangeSignal, pause } from "./change-signal.ts";
import type { ChangeLog, Subject } from "./change-log.ts";
import type { Feed, News } from "./topics.ts";

/** Minimum time between two notifications, because each costs a page render. */
const NEWS_MS = 1000;
/** Minimum time between two checks while unrelated things change. */
const LOOK_MS = 100;

export class ChangesFeed implements Feed {
  readonly #log: ChangeLog;
  readonly #of: readonly Subject[];
  readonly #clock: Clock;
  readonly #bell = new ChangeSignal();
  readonly #ending = new AbortController();
  /** The last change that was reported. */
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
    // Changes since then are reported with the next notification; a page rendered meanwhile already shows some of them.
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
