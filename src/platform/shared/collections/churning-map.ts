/**
 * A map for thousands of short-lived entries, such as active runs and their followers. V8 replaces the hash table of a `Map` every
 * few dozen keys, and each old table keeps its values and the next table reachable. An old table in the old generation therefore retains
 * all later values until a full garbage collection. So each value is in a cell, which `delete` empties: a retained table then holds
 * almost nothing (docs/decisions/022).
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

  /** Keys in insertion order. As with a `Map`, keys may be deleted during the iteration. */
  keys(): IterableIterator<string> {
    return this.#cells.keys();
  }

  *values(): Generator<V> {
    for (const cell of this.#cells.values()) yield cell.value as V;
  }
}
