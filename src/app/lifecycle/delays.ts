/** The p99 of a number of recent delays. Pure. */

export class Delays {
  readonly #values: Float64Array;
  #count = 0;

  /** @param kept number of delays to keep */
  constructor(kept: number) {
    this.#values = new Float64Array(kept);
  }

  /** @param ms negative counts as zero, because timers may fire a moment early */
  add(ms: number): void {
    this.#values[this.#count++ % this.#values.length] = Math.max(0, ms);
  }

  /** Milliseconds; undefined without any. */
  p99Ms(): number | undefined {
    const known = this.#values.slice(0, this.#count).sort();
    return known[Math.ceil(known.length * 0.99) - 1];
  }
}
