/**
 * A map of what comes and goes by the thousand: graphs under way, those who follow them. A `Map` of V8 leaves its table for a new one
 * every few dozen keys, and each table goes on holding what was in it then, and the table after it. Once one of them is old, it keeps
 * all that follow, with everything in them, until all memory is collected. So values stand in cells here, which are emptied as their
 * keys go: tables that are kept hold next to nothing (docs/decisions/022).
 */
interface Cell<V> {
  value: V | undefined;
}

export class ChurningMap<V> {
  readonly #cells = new Map<string, Cell<V>>();

  get size(): number {
    return this.#cells.size;
  }

  get(key: string): V | undefined {
    return this.#cells.get(key)?.value;
  }

  has(key: string): boolean {
    return this.#cells.has(key);
  }

  set(key: string, value: V): void {
    const cell = this.#cells.get(key);
    if (cell) cell.value = value;
    else this.#cells.set(key, { value });
  }

  delete(key: string): void {
    const cell = this.#cells.get(key);
    if (!cell) return;
    cell.value = undefined;
    this.#cells.delete(key);
  }

  clear(): void {
    for (const cell of this.#cells.values()) cell.value = undefined;
    this.#cells.clear();
  }

  /** In the order they were first set. As with a `Map`, keys may be deleted meanwhile. */
  keys(): IterableIterator<string> {
    return this.#cells.keys();
  }

  *values(): Generator<V> {
    for (const cell of this.#cells.values()) yield cell.value as V;
  }
}
