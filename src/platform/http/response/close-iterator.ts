/** Ends sources of chunks early. A reader that stops must end its source, which would otherwise wait forever. */
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

/** A web stream as chunks. Ending it early cancels the stream even during a pending read, unlike the stream's own iterator. */
export class WebChunks implements AsyncIterable<Uint8Array> {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  /** Reads that `settled` has started, for the next reader. */
  readonly #ahead: ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]>[] = [];

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /**
   * The whole body if it is a single chunk that is available at once, such as the text of a `Response`. It then has a length, and is
   * compressed and sent as a whole. Else this stream.
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
    // The next reader gets the same rejection.
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

/** The same chunks, observed: `onChunk` is called with each, and `onEnd` once, however the stream ends. */
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

/** Whether a value is a promise. */
export function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Applies `then` to a value; synchronously if it is not a promise. */
export function whenThere<Value, Made>(
  value: Value | Promise<Value>,
  then: (value: Value) => Made | Promise<Made>,
): Made | Promise<Made> {
  return isPromise(value) ? value.then(then) : then(value);
}
