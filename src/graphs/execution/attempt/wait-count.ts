/** Counts the calls of an attempt that wait, to know whether the attempt does anything else. Only for attempts that may be suspended. */
export class WaitCount {
  /** Calls that wait, or open or end their wait. */
  #open = 0;
  /** Those that do nothing until their wait is over. */
  #resting = 0;

  /** Whether each of the calls only waits. */
  get isAtRest(): boolean {
    return this.#open === this.#resting;
  }

  async call<T>(outcome: Promise<T>): Promise<T> {
    this.#open++;
    try {
      return await outcome;
    } finally {
      this.#open--;
    }
  }

  async rest(over: Promise<void>): Promise<void> {
    this.#resting++;
    try {
      await over;
    } finally {
      this.#resting--;
    }
  }
}
