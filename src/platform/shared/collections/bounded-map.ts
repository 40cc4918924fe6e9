/**
 * A map of bounded size. It keeps two generations: when the younger is full, the older is dropped as a whole. So no call has to
 * sweep, and each call costs the same at any size.
 */
export class BoundedMap<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  readonly #most: number;

  /** @param most entries per generation. The map holds up to twice as many; an entry stays for at least `most` later ones. */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Whether the next key starts a generation. */
  get isFull(): boolean {
    return this.#young.size >= this.#most;
  }

  get(key: string): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: string, value: Value): void {
    if (this.isFull) this.turn();
    this.#young.set(key, value);
  }

  /** Starts a generation and drops the one before the last. */
  turn(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }
}
