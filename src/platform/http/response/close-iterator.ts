/** Ending sources of chunks early: whoever stops reading must say so, or what is behind them waits for ever. */

/**
 * Ends an iterator that will not be read on. Not awaited: a generator that is waiting for its next value ends only when
 * that has come. What it throws then is dropped, since nobody is left to hear of it.
 */
export function endEarly(iterator: AsyncIterator<unknown>): void {
  iterator.return?.().then(undefined, () => undefined);
}

/** A web stream as chunks; ended early it is cancelled, even while a read waits, which its own iterator does not do. */
export class WebChunks implements AsyncIterable<Uint8Array> {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  /** What `settled` has begun to read, for whoever reads on. */
  readonly #ahead: ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]>[] = [];

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /**
   * The whole body where it is one chunk and there at once, as of text given to a `Response`: its length is known then, and
   * it is sent and compressed in one go. Else this.
   */
  async settled(): Promise<Uint8Array | this> {
    let whole: Uint8Array | undefined = new Uint8Array();
    let isLate = false;
    const read = async (): Promise<boolean> => {
      for (let count = 0; count < 2 && !isLate; count++) {
        const step = this.#reader.read();
        this.#ahead.push(step);
        const { done, value } = await step;
        if (done) return true;
        whole = value;
      }
      return false;
    };
    const later = new Promise<false>((resolve) => setImmediate(resolve, false));
    // What failed is told again to whoever reads on.
    const isWhole = await Promise.race([read().catch(() => false), later]);
    isLate = true;
    return isWhole ? whole : this;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    const reader = this.#reader;
    return {
      next: async () => {
        const { done, value } = await (this.#ahead.shift() ?? reader.read());
        return done ? { done: true, value: undefined } : { done: false, value };
      },
      return: async () => {
        await reader.cancel();
        return { done: true, value: undefined };
      },
    };
  }
}

/** The same chunks; `onChunk` sees each of them, `onEnd` is called once, however it comes. */
export function watched<Chunk>(
  chunks: AsyncIterable<Chunk>,
  onChunk: (chunk: Chunk) => void,
  onEnd: () => void,
): AsyncIterable<Chunk> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = chunks[Symbol.asyncIterator]();
      let hasEnded = false;
      const end = (): void => {
        if (!hasEnded) onEnd();
        hasEnded = true;
      };
      return {
        async next() {
          try {
            const step = await iterator.next();
            if (step.done === true) end();
            else onChunk(step.value);
            return step;
          } catch (error) {
            end();
            throw error;
          }
        },
        async return() {
          end();
          return (await iterator.return?.()) ?? { done: true, value: undefined };
        },
      };
    },
  };
}

/** Whether there is something to wait for. */
export function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** What `then` makes of a value; at once, where nothing is to be waited for. */
export function whenThere<Value, Made>(
  value: Value | Promise<Value>,
  then: (value: Value) => Made | Promise<Made>,
): Made | Promise<Made> {
  return isPromise(value) ? value.then(then) : then(value);
}
