/**
 * How many runs a process holds from their start; jobs pass on the others. While there is no other process, it holds as many as it ends in ten
 * seconds: a job costs more than a short run, and a process that joins still finds the rest of a backlog.
 */
import type { Clock } from "../../platform/shared/clock.ts";

/** Length of a period in which ends are counted. */
const PERIOD_MS = 1000;
/** Periods of work that a process holds. */
const PERIODS = 10;
/** Limits the memory. */
const MOST = 10_000;

export class StartCapacity {
  readonly #clock: Clock;
  readonly #concurrency: number;
  readonly #others: () => number;
  #period = 0;
  /** Ends in this period, and in the one before. */
  #ended = 0;
  #endedBefore = 0;

  /** @param concurrency limit if other processes exist, and the lowest one otherwise. @param others number of other processes */
  constructor(clock: Clock, concurrency: number, others: () => number) {
    this.#clock = clock;
    this.#concurrency = concurrency;
    this.#others = others;
  }

  get limit(): number {
    if (this.#others() > 0) return this.#concurrency;
    this.#turn();
    const held = PERIODS * Math.max(this.#ended, this.#endedBefore);
    return Math.max(this.#concurrency, Math.min(held, MOST));
  }

  /** A run has left its slot. */
  count(): void {
    this.#turn();
    this.#ended++;
  }

  #turn(): void {
    const period = Math.floor(this.#clock.elapsed() / PERIOD_MS);
    if (period === this.#period) return;
    this.#endedBefore = period === this.#period + 1 ? this.#ended : 0;
    [this.#period, this.#ended] = [period, 0];
  }
}
