/**
 * Caches pairs of cookie and token that were verified, because a page calls actions with the same pair many times. Looks up a pair by the
 * cookie's id, which is not secret, and compares the whole pair in constant time.
 */
import { timingSafeEqual } from "node:crypto";
import { BoundedMap } from "../shared/collections/bounded-map.ts";

interface Pair {
  readonly sessionId: string | undefined;
  readonly bytes: Buffer;
}

/** Keeps up to twice as many, at 300 bytes each. A client that creates many pairs can evict others, which are then verified again. */
const GENERATION = 1000;

export class CsrfPairCache {
  readonly #cookieLength: number;
  readonly #idLength: number;
  readonly #tokenLength: number;
  /** Buffer for the pair being compared. */
  readonly #judged: Buffer;
  readonly #recent = new BoundedMap<Pair>(GENERATION);

  /** @param lengths lengths of the texts; pairs of other lengths are never found */
  constructor(lengths: { cookie: number; id: number; token: number }) {
    this.#cookieLength = lengths.cookie;
    this.#idLength = lengths.id;
    this.#tokenLength = lengths.token;
    this.#judged = Buffer.alloc(lengths.cookie + lengths.token);
  }

  /** Whether exactly these three texts were stored. */
  has(rawCookie: string, sessionId: string | undefined, rawToken: string): boolean {
    if (rawCookie.length !== this.#cookieLength || rawToken.length !== this.#tokenLength) return false;
    const id = rawCookie.slice(0, this.#idLength);
    const pair = this.#recent.get(id);
    return pair !== undefined && pair.sessionId === sessionId && this.#write(rawCookie, rawToken) && this.#is(pair);
  }

  /** Stores a verified pair, replacing an earlier one of the same cookie. */
  keep(rawCookie: string, sessionId: string | undefined, rawToken: string): void {
    if (!this.#write(rawCookie, rawToken)) return;
    this.#recent.set(rawCookie.slice(0, this.#idLength), { sessionId, bytes: Buffer.from(this.#judged) });
  }

  #is({ bytes }: Pair): boolean {
    return timingSafeEqual(bytes, this.#judged);
  }

  /** @returns whether both texts fill the buffer: bytes of an earlier pair must not remain. */
  #write(rawCookie: string, rawToken: string): boolean {
    const lengths = this.#judged.write(rawCookie) + this.#judged.write(rawToken, this.#cookieLength);
    return (
      rawCookie.length === this.#cookieLength &&
      rawToken.length === this.#tokenLength &&
      lengths === this.#judged.length
    );
  }
}
