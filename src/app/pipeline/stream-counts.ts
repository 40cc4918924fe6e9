/** Counts open streams by key. event-streams.ts decides the keys and their limits. */

export interface StreamKey {
  readonly key: string;
  /** Open streams with this key. */
  readonly most: number;
}

export class StreamCounts {
  readonly #open = new Map<string, number>();

  /** Counts one stream under all keys. @returns releases it, also if called twice; undefined, and counts nothing, if a key is at its limit */
  take(keys: readonly StreamKey[]): (() => void) | undefined {
    if (keys.some(({ key, most }) => (this.#open.get(key) ?? 0) >= most)) return undefined;
    for (const { key } of keys) this.#open.set(key, (this.#open.get(key) ?? 0) + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      for (const { key } of keys) this.#release(key);
    };
  }

  /** Number of keys with an open stream. */
  get size(): number {
    return this.#open.size;
  }

  #release(key: string): void {
    const count = (this.#open.get(key) ?? 0) - 1;
    if (count > 0) this.#open.set(key, count);
    else this.#open.delete(key);
  }
}
