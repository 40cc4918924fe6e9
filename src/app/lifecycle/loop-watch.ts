/**
 * Notices a blocked event loop, and names the workers that ran meanwhile: a long computation delays every request. A late timer shows the
 * block, but not which of several workers caused it. Its delays over a minute are the event-loop lag.
 */
import { Delays } from "./delays.ts";

/** Often enough to distinguish workers, seldom enough to cost nothing. */
const INTERVAL_MS = 250;
/** People notice a slower response. */
const STILL_MS = 200;

export interface LoopWatchOptions {
  /** Milliseconds of a monotonic clock. */
  nowMs: () => number;
  /** Workers with running attempts. */
  running: () => readonly string[];
  /** Whether a worker runs in a thread, where it blocks nobody. */
  isIsolated: (worker: string) => boolean;
  /** @param stillMs duration of the block; @param workers workers that ran meanwhile */
  onStill: (stillMs: number, workers: readonly string[]) => void;
}

export class LoopWatch {
  /** Delays of the last minute. */
  readonly delays = new Delays(60_000 / INTERVAL_MS);
  readonly #options: LoopWatchOptions;
  #lastMs: number;
  /** Workers that ran since the last check. */
  #recent = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LoopWatchOptions) {
    this.#options = options;
    this.#lastMs = options.nowMs();
  }

  /** Starts, until `closing` aborts. */
  start(closing: AbortSignal): void {
    if (closing.aborted) return;
    this.#timer = setInterval(() => this.look(), INTERVAL_MS);
    this.#timer.unref();
    closing.addEventListener("abort", () => clearInterval(this.#timer), { once: true });
  }

  /** An attempt of a worker has ended. */
  ended(worker: string): void {
    if (!this.#options.isIsolated(worker)) this.#recent.add(worker);
  }

  /** Called by the timer. */
  look(): void {
    const { nowMs, running, isIsolated, onStill } = this.#options;
    const now = nowMs();
    const lateMs = now - this.#lastMs - INTERVAL_MS;
    const stillMs = Math.round(lateMs);
    this.delays.add(lateMs);
    const ran = running().filter((worker) => !isIsolated(worker));
    for (const worker of ran) this.#recent.add(worker);
    if (stillMs >= STILL_MS && this.#recent.size > 0) onStill(stillMs, [...this.#recent].sort());
    this.#recent = new Set(ran);
    this.#lastMs = now;
  }
}
