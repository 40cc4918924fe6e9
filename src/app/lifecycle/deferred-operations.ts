/**
 * What is held back for a while, so that who wanted it may take it back. A timer of this process does it; whether it is done or undone is
 * decided by one row of the store that only one of both can claim, so it can be undone in any process on the database. It does not
 * outlive its process (docs/decisions/057).
 */
import { randomUUID } from "node:crypto";
import { durationMs, sleep, type Clock, type Duration, type Timer } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { AnswerStore } from "../../storage/contract/session-store.ts";

/** Longer than anybody looks on, and well within the day for which claims are kept: without its claim, what was undone would be done. */
const LONGEST_MS = 3_600_000;

/** How often at most it is kept how far something has come: each is a commit. */
const TOLD_MS = 1000;

/** The status of such a row: of an answer it would be that of HTTP. */
const DOING = 102;

type Side = "doing" | "undoing";

export interface DeferredOperationsOptions {
  /** Claims are answers to the question who was first, kept a day as others are. */
  store: AnswerStore;
  clock: Clock;
  log: Log;
}

export interface DeferredOperation {
  /** What `undo` takes. */
  id: string;
  /** When it is done, Unix milliseconds. */
  dueMs: number;
}

/** What is handed to what was held back, when its time has come. */
export interface Doing {
  /** Aborted when the app ends: what can stop between two of its steps does so then. */
  readonly signal: AbortSignal;
  /** Keeps how far it has come, for `progressOf` in any process. Once a second at most: what is told in between is left out. Never rejects. */
  readonly tell: (progress: Json) => Promise<void>;
}

/** Of many that want it back at once one has `now`; false: it has begun. */
export type Undone = "now" | "before" | false;

export class DeferredOperations {
  readonly #options: DeferredOperationsOptions;
  readonly #timers = new Map<string, Timer>();
  readonly #running = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor(options: DeferredOperationsOptions) {
    this.#options = options;
  }

  /** @param run its faults are logged. @throws TypeError for a delay that is none, or is over an hour */
  hold(delay: Duration, run: (doing: Doing) => Promise<void>): DeferredOperation {
    const { clock } = this.#options;
    const delayMs = durationMs(delay);
    if (delayMs > LONGEST_MS)
      throw new TypeError(
        `Something is held back for an hour at most, not for ${delay}: for later there are schedules`,
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

  /** @returns whether this call has taken it back, or one before it; false where it has begun */
  async undo(id: string): Promise<Undone> {
    const first = await this.#claim(id, "undoing");
    if (first === "doing") return false;
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
    return first === undefined ? "now" : "before";
  }

  /** How far it had come when that was last kept, in whichever process; undefined where nothing was, or it is gone: a day is what is kept. */
  async progressOf(id: string): Promise<Json | undefined> {
    const { answer } = (await this.#options.store.find(id)) ?? {};
    return answer && (JSON.parse(answer.body) as Json);
  }

  /** What has not begun is dropped, what has is told to stop; resolves when that is done or has stopped, or has had its time. */
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
      this.#options.log.error({ err, id }, "What was held back could not be done");
    }
  }

  #doing(id: string): Doing {
    const { store, clock, log } = this.#options;
    let nextMs = -Infinity;
    return {
      signal: this.#ending.signal,
      tell: async (progress) => {
        if (clock.elapsed() < nextMs) return;
        nextMs = clock.elapsed() + TOLD_MS;
        await store
          .settle(id, DOING, JSON.stringify(progress))
          .catch((err: unknown) => log.warn({ err, id }, "How far what was held back has come could not be kept"));
      },
    };
  }

  /** @returns who was first; undefined: this one */
  async #claim(id: string, side: Side): Promise<Side | undefined> {
    const { store, clock } = this.#options;
    const known = await store.claim({ id, bodyHash: side, createdMs: clock.now(), answer: undefined }, 0);
    return known?.bodyHash as Side | undefined;
  }
}
