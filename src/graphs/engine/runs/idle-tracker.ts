/** Counts open work, for callers that wait until there is none. */
export class Busy {
  #count = 0;
  #waiters: (() => void)[] = [];

  begin(): void {
    this.#count++;
  }

  end(): void {
    if (--this.#count === 0) this.#checkLater();
  }

  /** Resolves when there is no open work. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
      if (this.#count === 0) this.#checkLater();
    });
  }

  /** One turn later, because what waited for the ended work, such as a woken attempt, may begin more. */
  #checkLater(): void {
    setImmediate(() => {
      if (this.#count > 0) return;
      for (const resolve of this.#waiters.splice(0)) resolve();
    });
  }
}
