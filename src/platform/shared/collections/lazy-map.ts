/**
 * A map that is usually empty, in an object of which very many exist: it has no hash table while it is empty. A table takes 190 bytes, and
 * a waiting run would have a dozen.
 */
const NONE: ReadonlyMap<never, never> = new Map<never, never>();

export class LazyMap<K, V> {
  #map: Map<K, V> | undefined;

  get size(): number {
    return this.#map?.size ?? 0;
  }

  get(key: K): V | undefined {
    return this.#map?.get(key);
  }

  has(key: K): boolean {
    return this.#map?.has(key) === true;
  }

  set(key: K, value: V): void {
    (this.#map ??= new Map<K, V>()).set(key, value);
  }

  delete(key: K): void {
    this.#map?.delete(key);
    if (this.#map?.size === 0) this.#map = undefined;
  }

  clear(): void {
    this.#map = undefined;
  }

  /** Values in insertion order. */
  values(): IterableIterator<V> {
    return (this.#map ?? NONE).values();
  }
}
