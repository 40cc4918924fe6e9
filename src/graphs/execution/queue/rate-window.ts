/**
 * A sliding-window rate: at most a number of starts in any time span of a given length. A token bucket would allow twice as many around a
 * pause. A start is taken when it is decided, and counts from the time at which the worker is called, which is later if the event loop is
 * blocked.
 */
import { Queue } from "./fifo.ts";

export class RateWindow {
  readonly #limit: number;
  readonly #perMs: number;
  /** Times of the last starts, oldest first; at most as many as the limit. */
  #starts = new Queue<number>();
  #oldestMs: number | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** Starts that are decided, and whose worker is not called yet. */
  #taken = 0;

  constructor(limit: number, perMs: number) {
    this.#limit = limit;
    this.#perMs = perMs;
  }

  /** Time of the next allowed start; not after `nowMs` if one is allowed now. */
  opensAtMs(nowMs: number): number {
    if (nowMs < this.#lastMs) this.#clockWentBack(nowMs);
    this.#forget(nowMs);
    if (this.#count + this.#taken < this.#limit) return nowMs;
    // At the earliest, because those that are taken count from a later time.
    return (this.#oldestMs ?? nowMs) + this.#perMs;
  }

  take(): void {
    this.#taken++;
  }

  /** A start that was taken does not happen. */
  giveBack(): void {
    this.#taken--;
  }

  /** The worker of a start that was taken is called. */
  started(nowMs: number): void {
    this.#taken--;
    this.#note(nowMs);
  }

  #note(nowMs: number): void {
    this.#lastMs = nowMs;
    if (this.#oldestMs === undefined) this.#oldestMs = nowMs;
    else this.#starts.push(nowMs);
  }

  /** Whether it blocks nothing and may be forgotten. */
  isIdle(nowMs: number): boolean {
    this.#forget(nowMs);
    return this.#oldestMs === undefined && this.#taken === 0;
  }

  get #count(): number {
    return this.#starts.size + (this.#oldestMs === undefined ? 0 : 1);
  }

  #forget(nowMs: number): void {
    while (this.#oldestMs !== undefined && this.#oldestMs + this.#perMs <= nowMs) this.#oldestMs = this.#starts.shift();
  }

  /** Counts all starts as now: nobody waits for a time that only a wrong clock had reached, and none starts too soon. */
  #clockWentBack(nowMs: number): void {
    const count = this.#count;
    this.#starts = new Queue();
    this.#oldestMs = undefined;
    for (let at = 0; at < count; at++) this.#note(nowMs);
  }
}
