/** Counts open work, for callers that wait until there is none. */
export class Busy {
  #count = 0;
  #waiters: (() => void)[] = [];

  begin(): void {
    this.#count++;
  }

  end(): void {
    if (--this.#count > 0) return;
    // One turn later, because callers that waited for the ended work may start more.
    setImmediate(() => {
      if (this.#count > 0) return;
      for (const resolve of this.#waiters.splice(0)) resolve();
    });
  }

  /** Resolves when there is no open work. */
  idle(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiters.push(resolve));
  }
}
