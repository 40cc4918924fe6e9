/**
 * Operations that run after a delay, during which they can be undone. A timer of this process runs them; a row of the store, which only
 * one side can claim, decides between running and undoing, so any process on the database can undo them. They end with their process
 * (docs/decisions/057).
 */
import { randomUUID } from "node:crypto";
import { durationMs, sleep, type Clock, type Duration, type Timer } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { AnswerStore } from "../../storage/contract/session-store.ts";

/** Longer than anybody waits, and well within the day for which claims are stored: without its claim, an undone operation would run. */
const LONGEST_MS = 3_600_000;

/** Shortest interval for storing progress: each is a commit. */
const REPORT_MS = 1000;

/** Status of such a row; that of an answer is an HTTP status. */
const DOING = 102;

type Side = "doing" | "undoing";

export interface DeferredOperationsOptions {
  /** Stores claims like answers, for a day. */
  store: AnswerStore;
  clock: Clock;
  log: Log;
}

export interface DeferredOperation {
  /** Argument of `undo`. */
  id: string;
  /** Start time, Unix milliseconds. */
  dueMs: number;
}

/** Argument of the operation. */
export interface Doing {
  /** Aborts when the app ends, so that an operation can stop between two steps. */
  readonly signal: AbortSignal;
  /** Stores progress for `progressOf` in any process, at most once a second; values in between are dropped. Never rejects. */
  readonly notify: (progress: Json) => Promise<void>;
}

/** `now` for the first of several concurrent callers; false: it has started. */
export type Undone = "now" | "before" | false;

export class DeferredOperations {
  readonly #options: DeferredOperationsOptions;
  readonly #timers = new Map<string, Timer>();
  readonly #running = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor(options: DeferredOperationsOptions) {
    this.#options = options;
  }

  /** @param run its errors are logged. @throws TypeError for an invalid delay, or one above an hour */
  hold(delay: Duration, run: (doing: Doing) => Promise<void>): DeferredOperation {
    const { clock } = this.#options;
    const delayMs = durationMs(delay);
    if (delayMs > LONGEST_MS)
      throw new TypeError(
        `An operation can be deferred for at most 1 hour, not for ${delay}. Use a schedule for a later time`,
      );
    const id = `held_${randomUUID()}`;
    const start = (): void => {
      this.#timers.delete(id);
      const running = this.#run(id, run).finally(() => this.#running.delete(running));
      this.#running.add(running);
    };
    this.#timers.set(id, clock.schedule(delayMs, start));
    return { id, dueMs: clock.now() + delayMs };
  }

  /** @returns whether this or an earlier call has undone it; false if it has started */
  async undo(id: string): Promise<Undone> {
    const first = await this.#claim(id, "undoing");
    if (first === "doing") return false;
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
    return first === undefined ? "now" : "before";
  }

  /** The last stored progress from any process; undefined if there is none, or after a day. */
  async progressOf(id: string): Promise<Json | undefined> {
    const { answer } = (await this.#options.store.find(id)) ?? {};
    return answer && (JSON.parse(answer.body) as Json);
  }

  /** Drops operations that have not started, and stops running ones; resolves when they are done, have stopped, or at the deadline. */
  async close(deadlineMs: number): Promise<void> {
    this.#ending.abort();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    if (this.#running.size > 0)
      await Promise.race([Promise.all(this.#running), sleep(this.#options.clock, deadlineMs)]);
  }

  async #run(id: string, run: (doing: Doing) => Promise<void>): Promise<void> {
    try {
      if ((await this.#claim(id, "doing")) === undefined) await run(this.#doing(id));
    } catch (err) {
      this.#options.log.error({ err, id }, "A deferred operation failed");
    }
  }

  #doing(id: string): Doing {
    const { store, clock, log } = this.#options;
    let nextMs = -Infinity;
    return {
      signal: this.#ending.signal,
      notify: async (progress) => {
        if (clock.elapsed() < nextMs) return;
        nextMs = clock.elapsed() + REPORT_MS;
        await store
          .settle(id, DOING, JSON.stringify(progress))
          .catch((err: unknown) => log.warn({ err, id }, "Failed to save the progress of a deferred operation"));
      },
    };
  }

  /** @returns the side that was first; undefined: this one */
  async #claim(id: string, side: Side): Promise<Side | undefined> {
    const { store, clock } = this.#options;
    const known = await store.claim({ id, bodyHash: side, createdMs: clock.now(), answer: undefined }, 0);
    return known?.bodyHash as Side | undefined;
  }
}
