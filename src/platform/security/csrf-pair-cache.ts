/**
 * Cookies and tokens that were found to belong together: a page calls actions with the same pair again and again. Pairs are found
 * by the cookie's id, which is no secret, and compared as a whole in constant time.
 */
import { timingSafeEqual } from "node:crypto";
import { BoundedMap } from "../shared/bounded-map.ts";

interface Pair {
  readonly sessionId: string | undefined;
  readonly bytes: Buffer;
}

/** Twice as many are kept, at 300 bytes each. Who has others made can push them out, and then they are judged again. */
const GENERATION = 1000;

export class CsrfPairCache {
  readonly #cookieLength: number;
  readonly #idLength: number;
  readonly #tokenLength: number;
  /** The pair that is judged. */
  readonly #judged: Buffer;
  readonly #recent = new BoundedMap<Pair>(GENERATION);

  /** Of pairs whose texts have these lengths; others are never known. */
  constructor(lengths: { cookie: number; id: number; token: number }) {
    this.#cookieLength = lengths.cookie;
    this.#idLength = lengths.id;
    this.#tokenLength = lengths.token;
    this.#judged = Buffer.alloc(lengths.cookie + lengths.token);
  }

  /** Whether the very same three texts have been kept. */
  has(rawCookie: string, sessionId: string | undefined, rawToken: string): boolean {
    if (rawCookie.length !== this.#cookieLength || rawToken.length !== this.#tokenLength) return false;
    const id = rawCookie.slice(0, this.#idLength);
    const pair = this.#recent.get(id);
    return pair !== undefined && pair.sessionId === sessionId && this.#write(rawCookie, rawToken) && this.#is(pair);
  }

  /** Keeps a pair that was judged right, in place of an earlier one of the same cookie. */
  keep(rawCookie: string, sessionId: string | undefined, rawToken: string): void {
    if (!this.#write(rawCookie, rawToken)) return;
    this.#recent.set(rawCookie.slice(0, this.#idLength), { sessionId, bytes: Buffer.from(this.#judged) });
  }

  #is({ bytes }: Pair): boolean {
    return timingSafeEqual(bytes, this.#judged);
  }

  /** @returns whether both fill their places: what is left of the pair before must not count. */
  #write(rawCookie: string, rawToken: string): boolean {
    const lengths = this.#judged.write(rawCookie) + this.#judged.write(rawToken, this.#cookieLength);
    return (
      rawCookie.length === this.#cookieLength &&
      rawToken.length === this.#tokenLength &&
      lengths === this.#judged.length
    );
  }
}
