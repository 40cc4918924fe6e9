/**
 * Time as a dependency: every part that waits or stamps takes a `Clock`, so tests move time by hand
 * (`SimulatedClock`) and never sleep.
 */

/** A pending callback; `cancel` is safe to call twice. */
export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Milliseconds since an arbitrary moment, unaffected by clock changes: measures durations. */
  elapsed(): number;
  /** Calls `run` once, `delayMs` from now at the earliest; never keeps the process alive by itself. */
  schedule(delayMs: number, run: () => void): Timer;
}

/** Waits on a clock. Rejects with the signal's reason when it aborts first. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignalLike): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = clock.schedule(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** The part of AbortSignal used here; this layer has neither DOM nor Node types. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

interface PlatformTimer {
  unref?(): void;
}
declare function setTimeout(run: () => void, delayMs: number): PlatformTimer;
declare function clearTimeout(timer: PlatformTimer): void;
declare const performance: { now(): number };

/** Longest delay the platform timer takes; longer ones would fire at once (HTML timers, Node timers). */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The clock of the operating system.
 * @example
 * const engine = createEngine({ store: await openStore("memory:"), workers: [charge], clock: systemClock });
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  schedule(delayMs, run) {
    let handle: PlatformTimer;
    const arm = (leftMs: number): void => {
      const stepMs = Math.min(Math.max(leftMs, 0), MAX_TIMER_MS);
      handle = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : run()), stepMs);
      handle.unref?.();
    };
    arm(delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};

/**
 * A clock that only `advance` moves. Due timers run in order of time, then of creation.
 * @example
 * const clock = new SimulatedClock();
 * const engine = createEngine({ store: await openStore("memory:"), workers: [charge], clock });
 * await clock.advance(60_000); // timers of one minute fire
 */
export class SimulatedClock implements Clock {
  #nowMs: number;
  #sequence = 0;
  #timers: { dueMs: number; sequence: number; run: () => void }[] = [];
  /** Awaited between timers, in addition to pending promises: for example pending database queries. */
  settled: (() => Promise<void>) | undefined;
  /** Offset of the wall clock: above 0 it was set forward, below 0 back. It changes neither `elapsed` nor timers. */
  aheadMs = 0;

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs + this.aheadMs;
  }

  elapsed(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, run: () => void): Timer {
    const timer = { dueMs: this.#nowMs + Math.max(0, delayMs), sequence: this.#sequence++, run };
    this.#timers.push(timer);
    return { cancel: () => void (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  /** Timers still waiting. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Moves time forward and runs due timers. Promises settle between timers. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await this.#settle();
    for (let next = this.#next(endMs); next; next = this.#next(endMs)) {
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.run();
      await this.#settle();
    }
    this.#nowMs = endMs;
  }

  async #settle(): Promise<void> {
    await settle();
    await this.settled?.();
  }

  #next(endMs: number) {
    return this.#timers
      .filter((timer) => timer.dueMs <= endMs)
      .sort((a, b) => a.dueMs - b.dueMs || a.sequence - b.sequence)[0];
  }
}

declare function setImmediate(run: () => void): unknown;

/** Lets pending promise chains and I/O callbacks run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A length of time: milliseconds, or a number with a unit such as "250ms", "30s", "5m", "2h", "7d". */
export type Duration = number | string;

/** Converts a duration to milliseconds. @throws TypeError naming an invalid value */
export function durationMs(value: Duration): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  const match = typeof value === "string" ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(value) : null;
  if (!match) throw new TypeError(`"${value}" is not a duration; use milliseconds or a text such as "30s", "5m", "2h"`);
  return Number(match[1]) * (UNIT_MS[match[2] as string] as number);
}
