/**
 * Bodies as bytes behind room for a head, many in one allocation: each by itself would cost more to allocate than to encode. Bytes
 * are never overwritten while anybody may read them; what held them is let go when the last part of it is.
 */

/** Longest body that shares an allocation, in characters or bytes. */
const MAX_SHARED = 32_768;
const SLAB_BYTES = 4 * MAX_SHARED;
/** A character takes three bytes at most: of those that take four, each is two. */
const MAX_BYTES = 3;

let slab = Buffer.alloc(0);
let used = 0;

/** Room for the head of an answer, in bytes: ours have around 1000, and a longer one goes out by itself. */
const ROOM = 2048;

/**
 * A body as bytes, with room for a head before them. What is asked of one is to be asked before the next is made: they share
 * their memory.
 */
export class Encoded {
  readonly byteLength: number;
  /** Undefined where it is short enough to share memory. */
  readonly #own: Uint8Array | undefined;
  /** Where it begins in the shared memory. */
  readonly #at: number = 0;

  constructor(body: string | Uint8Array) {
    const isText = typeof body === "string";
    if (body.length > MAX_SHARED) {
      this.#own = isText ? Buffer.from(body) : body;
      this.byteLength = this.#own.byteLength;
      return;
    }
    if (body.length * (isText ? MAX_BYTES : 1) + ROOM > slab.length - used) {
      slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      used = 0;
    }
    this.#at = used + ROOM;
    if (isText) this.byteLength = slab.write(body, this.#at);
    else {
      slab.set(body, this.#at);
      this.byteLength = body.length;
    }
    used = this.#at + this.byteLength;
  }

  get bytes(): Uint8Array {
    return this.#own ?? slab.subarray(this.#at, used);
  }

  /** The bytes with an ASCII text ahead of them; undefined where there is no room for it. */
  behind(head: string): Uint8Array | undefined {
    if (this.#own || head.length > ROOM) return undefined;
    const start = this.#at - head.length;
    slab.write(head, start, "latin1");
    return slab.subarray(start, used);
  }

  /**
   * Takes the bytes back, which nobody will read again: the next text is written over them, into memory that the processor has
   * at hand.
   */
  takeBack(): void {
    if (!this.#own) used = this.#at - ROOM;
  }
}
