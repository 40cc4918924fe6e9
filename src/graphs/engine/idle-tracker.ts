/** Counts what is under way, for those who wait until nothing is. */
export class Busy {
  #count = 0;
  #waiters: (() => void)[] = [];

  begin(): void {
    this.#count++;
  }

  end(): void {
    if (--this.#count > 0) return;
    // A turn later: whoever waited for what has ended goes on first, and may begin more.
    setImmediate(() => {
      if (this.#count > 0) return;
      for (const resolve of this.#waiters.splice(0)) resolve();
    });
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiters.push(resolve));
  }
}
