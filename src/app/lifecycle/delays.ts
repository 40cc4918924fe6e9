/** The last so many delays, and how long all but one in a hundred of them were at most. Pure. */

export class Delays {
  readonly #values: Float64Array;
  #count = 0;

  /** @param kept how many are remembered */
  constructor(kept: number) {
    this.#values = new Float64Array(kept);
  }

  /** @param ms negative counts as none: timers may be early by a moment */
  add(ms: number): void {
    this.#values[this.#count++ % this.#values.length] = Math.max(0, ms);
  }

  /** Milliseconds; undefined before the first. */
  p99Ms(): number | undefined {
    const known = this.#values.slice(0, this.#count).sort();
    return known[Math.ceil(known.length * 0.99) - 1];
  }
}
