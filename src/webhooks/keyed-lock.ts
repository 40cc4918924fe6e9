/** A lock for each key: reading, changing and saving a registration never interleaves with another change of it. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `task` after every earlier task of the same key has settled. */
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const result = before.then(task);
    // The chain continues after any outcome. The caller of `run` gets the error.
    const settled: Promise<void> = result.then(
      () => this.#forget(key, settled),
      () => this.#forget(key, settled),
    );
    this.#last.set(key, settled);
    return result;
  }

  /** Whether a task of this key runs or waits. */
  isTaken(key: string): boolean {
    return this.#last.has(key);
  }

  #forget(key: string, settled: Promise<unknown>): void {
    if (this.#last.get(key) === settled) this.#last.delete(key);
  }
}
