/**
 * A map that holds no more than its bound, whoever fills it: of two generations the older is dropped whole where the younger is
 * full. So nothing is swept, and a call costs the same however much there is.
 */
export class BoundedMap<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  readonly #most: number;

  /** @param most of one generation: twice as many are held, and what came last stays for as many others at the least */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Whether the next key begins a generation. */
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

  /** Begins a generation, and forgets the one before the last. */
  turn(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }
}
