/** Things that concurrent tests share, such as tabs: each test takes one, and waits while none is free. */
export class Pool<T> {
  readonly #free: T[];
  readonly #waiting: ((thing: T) => void)[] = [];

  constructor(things: readonly T[]) {
    this.#free = [...things];
  }

  /** Runs `work` with a free thing, which the next caller gets afterwards. */
  async use<R>(work: (thing: T) => Promise<R>): Promise<R> {
    const thing = this.#free.pop() ?? (await new Promise<T>((done) => this.#waiting.push(done)));
    try {
      return await work(thing);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(thing);
      else this.#free.push(thing);
    }
  }
}
