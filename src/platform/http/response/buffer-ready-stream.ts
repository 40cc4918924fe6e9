/**
 * Detects streams that are complete without waiting: a page without pending parts, an array from a generator. Such a body is buffered
 * before the head is sent, so it has a length, is compressed as a whole and is written at once.
 */
import { endEarly } from "./close-iterator.ts";

type Chunk = string | Uint8Array;

/** Most characters to buffer before the body is streamed after all. */
const MAX_LENGTH = 64 * 1024;

/** The whole text if all chunks arrive without waiting for I/O; else the same stream. Never rejects. */
export function settled(chunks: AsyncIterable<Chunk>): Promise<string | AsyncIterable<Chunk>> {
  return new Promise((resolve) => new Settling(chunks[Symbol.asyncIterator](), resolve).begin());
}

const NOW = Promise.resolve();

class Settling implements AsyncIterable<Chunk> {
  readonly #iterator: AsyncIterator<Chunk>;
  readonly #resolve: (body: string | this) => void;
  #text = "";
  /** A requested chunk that is not consumed yet. */
  #asked: Promise<IteratorResult<Chunk>> | undefined;
  #isDecided = false;

  constructor(iterator: AsyncIterator<Chunk>, resolve: (body: string | AsyncIterable<Chunk>) => void) {
    this.#iterator = iterator;
    this.#resolve = resolve;
  }

  begin(): void {
    this.#ask();
    // A tick scheduled from a microtask runs after all microtasks: chunks that are missing then wait for I/O.
    void NOW.then(this.#wait);
  }

  #ask(): void {
    this.#asked = this.#iterator.next();
    // The reader of the stream gets the same rejection.
    this.#asked.then(this.#take, this.#stream);
  }

  #take = (step: IteratorResult<Chunk>): void => {
    if (this.#isDecided) return;
    if (step.done === true) return this.#decide(this.#text);
    if (typeof step.value !== "string" || this.#text.length > MAX_LENGTH) return this.#stream();
    this.#text += step.value;
    this.#ask();
  };

  #wait = (): void => process.nextTick(this.#stream);

  #stream = (): void => this.#decide(this);

  #decide(body: string | this): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    this.#resolve(body);
  }

  [Symbol.asyncIterator](): AsyncIterator<Chunk> {
    return {
      next: () => {
        const text = this.#text;
        this.#text = "";
        if (text !== "") return Promise.resolve({ done: false, value: text });
        const asked = this.#asked ?? this.#iterator.next();
        this.#asked = undefined;
        return asked;
      },
      return: () => {
        endEarly(this.#iterator);
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}
