/**
 * A rate: at most so many starts in any stretch of time of a given length, wherever it begins. A bucket of tokens would
 * let twice as many through around a pause, which is more than who set the limit has said.
 */
import { Queue } from "./fifo.ts";

export class RateWindow {
  readonly #limit: number;
  readonly #perMs: number;
  /** When the last ones started, oldest first; never more than the limit. */
  #starts = new Queue<number>();
  #oldestMs: number | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(limit: number, perMs: number) {
    this.#limit = limit;
    this.#perMs = perMs;
  }

  /** When the next may start; not after `nowMs` if at once. */
  opensAtMs(nowMs: number): number {
    if (nowMs < this.#lastMs) this.#clockWentBack(nowMs);
    this.#forget(nowMs);
    return this.#count < this.#limit ? nowMs : (this.#oldestMs as number) + this.#perMs;
  }

  take(nowMs: number): void {
    this.#lastMs = nowMs;
    if (this.#oldestMs === undefined) this.#oldestMs = nowMs;
    else this.#starts.push(nowMs);
  }

  /** Whether it holds nothing back, and may be forgotten. */
  isIdle(nowMs: number): boolean {
    this.#forget(nowMs);
    return this.#oldestMs === undefined;
  }

  get #count(): number {
    return this.#starts.size + (this.#oldestMs === undefined ? 0 : 1);
  }

  #forget(nowMs: number): void {
    while (this.#oldestMs !== undefined && this.#oldestMs + this.#perMs <= nowMs) this.#oldestMs = this.#starts.shift();
  }

  /** As if all had started now: nobody waits for a time that a wrong clock had reached, and none start too soon. */
  #clockWentBack(nowMs: number): void {
    const count = this.#count;
    this.#starts = new Queue();
    this.#oldestMs = undefined;
    for (let at = 0; at < count; at++) this.take(nowMs);
  }
}
