/**
 * Notices that the event loop stood still while workers ran, and names them: one that computes for long holds up every
 * request. A timer that comes late tells; it can't tell which of several it was. By how much it is late, over a minute, is how long
 * whatever comes has to wait for its turn.
 */
import { Delays } from "./delays.ts";

/** Often enough to tell workers apart, seldom enough to cost nothing. */
const INTERVAL_MS = 250;
/** People notice a page that answers later than that. */
const STILL_MS = 200;

export interface LoopWatchOptions {
  /** Milliseconds of a clock that is never set. */
  nowMs: () => number;
  /** Workers that run something now. */
  running: () => readonly string[];
  /** Whether a worker runs in a thread of its own, where it holds up nobody. */
  isIsolated: (worker: string) => boolean;
  /** @param stillMs how long nothing else could run; @param workers those that ran meanwhile */
  onStill: (stillMs: number, workers: readonly string[]) => void;
}

export class LoopWatch {
  /** Of the last minute. */
  readonly delays = new Delays(60_000 / INTERVAL_MS);
  readonly #options: LoopWatchOptions;
  #lastMs: number;
  /** That ran at some time since the last look. */
  #recent = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LoopWatchOptions) {
    this.#options = options;
    this.#lastMs = options.nowMs();
  }

  /** Looks from now on, until `closing` aborts. */
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
