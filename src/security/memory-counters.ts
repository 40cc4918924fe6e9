/** Counts of clients in this process, bounded: a flood from any number of addresses takes no more memory than the bound. */
import { isOver, type RateCount, type RateCounters } from "../shared/rate-counters.ts";

/** About 20 MB. Who calls from more addresses than half of this within a minute pushes out the counts that began first. */
const MAX_KEYS = 100_000;

/**
 * Two generations: the older one is dropped whole, once all in it is over or there is no room. So nothing has to be swept,
 * and a call costs the same however many clients there are.
 */
export class MemoryCounters implements RateCounters {
  #young = new Map<string, RateCount>();
  #old = new Map<string, RateCount>();
  #youngSinceMs = 0;
  readonly #maxKeys: number;

  constructor(maxKeys = MAX_KEYS) {
    this.#maxKeys = maxKeys;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  add(key: string, points: number, windowMs: number, nowMs: number): RateCount {
    const known = this.#young.get(key) ?? this.#old.get(key);
    if (known && !isOver(known.endMs, windowMs, nowMs)) {
      known.consumed += points;
      // A copy: the next call may count before this one is judged.
      return { ...known };
    }
    if (this.#young.size >= this.#maxKeys / 2 || isOver(this.#youngSinceMs + windowMs, windowMs, nowMs)) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSinceMs = nowMs;
    }
    const begun = { consumed: points, endMs: nowMs + windowMs };
    this.#young.set(key, begun);
    return { ...begun };
  }
}
