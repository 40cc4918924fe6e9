/**
 * Streams that turn out to be there at once: a page whose parts wait for nothing, an array handed out by a generator. Known
 * whole before the head goes out, such a body has a length, is compressed in one go and written in one piece.
 */
import { endEarly } from "./close-iterator.ts";

type Chunk = string | Uint8Array;

/** What is gathered before it goes out as a stream after all, in characters. */
const MAX_LENGTH = 64 * 1024;

/** The whole text, if all of it comes before anything outside is waited for; else the same stream. Never rejects. */
export function settled(chunks: AsyncIterable<Chunk>): Promise<string | AsyncIterable<Chunk>> {
  return new Promise((resolve) => new Settling(chunks[Symbol.asyncIterator](), resolve).begin());
}

const NOW = Promise.resolve();

class Settling implements AsyncIterable<Chunk> {
  readonly #iterator: AsyncIterator<Chunk>;
  readonly #resolve: (body: string | this) => void;
  #text = "";
  /** What has been asked for and not been taken in. */
  #asked: Promise<IteratorResult<Chunk>> | undefined;
  #isDecided = false;

  constructor(iterator: AsyncIterator<Chunk>, resolve: (body: string | AsyncIterable<Chunk>) => void) {
    this.#iterator = iterator;
    this.#resolve = resolve;
  }

  begin(): void {
    this.#ask();
    // A tick set from a microtask comes when there are no more of these: what is not there by then waits for the outside.
    void NOW.then(this.#wait);
  }

  #ask(): void {
    this.#asked = this.#iterator.next();
    // What failed is told again to whoever reads on.
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
