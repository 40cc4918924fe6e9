/** A set that is usually empty, as `LazyMap`. */
const NONE: ReadonlySet<never> = new Set<never>();

export class LazySet<T> {
  #set: Set<T> | undefined;

  get size(): number {
    return this.#set?.size ?? 0;
  }

  has(value: T): boolean {
    return this.#set?.has(value) === true;
  }

  add(value: T): void {
    (this.#set ??= new Set<T>()).add(value);
  }

  delete(value: T): void {
    this.#set?.delete(value);
    if (this.#set?.size === 0) this.#set = undefined;
  }

  clear(): void {
    this.#set = undefined;
  }

  /** Values in insertion order. */
  [Symbol.iterator](): IterableIterator<T> {
    return (this.#set ?? NONE).values();
  }
}
