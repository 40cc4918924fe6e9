/** Counts of clients in this process, bounded: a flood from any number of addresses takes no more memory than the bound. */
import { BoundedMap } from "../shared/bounded-map.ts";
import { isOver, type RateCount, type RateCounters } from "../shared/rate-counters.ts";

/** About 20 MB. Who calls from more addresses than half of this within a minute pushes out the counts that began first. */
const MAX_KEYS = 100_000;

/** A generation of counts is dropped whole, once all in it is over or there is no room. */
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
      // A copy: the next call may count before this one is judged.
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
