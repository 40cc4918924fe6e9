/** Ending sources of chunks early: whoever stops reading must say so, or what is behind them waits for ever. */

/**
 * Ends an iterator that will not be read on. Not awaited: a generator that is waiting for its next value ends only when
 * that has come. What it throws then is dropped, since nobody is left to hear of it.
 */
export function endEarly(iterator: AsyncIterator<unknown>): void {
  iterator.return?.().then(undefined, () => undefined);
}

/** A web stream as chunks; ended early it is cancelled, even while a read waits, which its own iterator does not do. */
export function chunksOf(stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const reader = stream.getReader();
      return {
        async next() {
          const { done, value } = await reader.read();
          return done ? { done: true, value: undefined } : { done: false, value };
        },
        async return() {
          await reader.cancel();
          return { done: true, value: undefined };
        },
      };
    },
  };
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
