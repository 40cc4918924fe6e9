/** Counts per client in this process. Memory is bounded, even if a flood comes from many addresses. */
import { BoundedMap } from "../../shared/collections/bounded-map.ts";
import { isOver, type RateCount, type RateCounters } from "../../shared/rate-counters.ts";

/** About 20 MB. A client with more than half as many addresses within a minute evicts the oldest counts. */
const MAX_KEYS = 100_000;

/** Drops a generation of counts as a whole, when all of its windows are over or there is no room. */
export class MemoryCounters implements RateCounters {
  readonly #counts: BoundedMap<RateCount>;
  #turnedMs = 0;

  constructor(maxKeys = MAX_KEYS) {
    this.#counts = new BoundedMap(Math.ceil(maxKeys / 2));
  }

  get size(): number {
    return this.#counts.size;
  }

  add(key: string, points: number, windowMs: number, nowMs: number): RateCount {
    const known = this.#counts.get(key);
    if (known && !isOver(known.endMs, windowMs, nowMs)) {
      known.consumed += points;
      // A copy, because the next call may count before the caller reads this one.
      return { ...known };
    }
    if (this.#counts.isFull || isOver(this.#turnedMs + windowMs, windowMs, nowMs)) {
      this.#counts.turn();
      this.#turnedMs = nowMs;
    }
    const begun = { consumed: points, endMs: nowMs + windowMs };
    this.#counts.set(key, begun);
    return { ...begun };
  }
}
