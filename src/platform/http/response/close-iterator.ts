/** Ends sources of chunks early. A reader that stops must say so, because its source would wait forever. */
import type { Body } from "../types.ts";

/** Releases the source of a body that will not be sent. */
export function endBody(body: Body): void {
  if (typeof body === "object" && body !== null && !(body instanceof Uint8Array))
    endEarly(body[Symbol.asyncIterator]());
}

/**
 * Ends an iterator whose rest nobody will read. Does not wait: a generator ends only after its pending value. Drops the error that it
 * may throw then, because its reader is gone.
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
