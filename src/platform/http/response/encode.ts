/**
 * Encodes bodies as bytes, with room for a head before them, several in one allocation: a separate allocation costs more than encoding.
 * Bytes are not overwritten while code may read them. An allocation is freed with its last part.
 */

/** Longest body that shares an allocation, in characters or bytes. */
const MAX_SHARED = 32_768;
const SLAB_BYTES = 4 * MAX_SHARED;
/** A UTF-16 unit takes at most three bytes of UTF-8; characters of four bytes have two units. */
const MAX_BYTES = 3;

let slab = Buffer.alloc(0);
let used = 0;

/** Room for the head of a response, in bytes: typical heads have about 1000. A longer head is sent separately. */
const ROOM = 2048;

/**
 * A body as bytes, with room for a head before them. Use one object before creating the next: they share memory.
 */
export class Encoded {
  readonly byteLength: number;
  /** Own memory of a long body; undefined for one in shared memory. */
  readonly #own: Uint8Array | undefined;
  /** Position in the shared memory. */
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

  /** The bytes after an ASCII head; undefined if the head does not fit. */
  behind(head: string): Uint8Array | undefined {
    if (this.#own || head.length > ROOM) return undefined;
    const start = this.#at - head.length;
    slab.write(head, start, "latin1");
    return slab.subarray(start, used);
  }

  /**
   * Releases the bytes, which nobody will read again, so that the next body reuses memory in the processor's cache.
   */
  takeBack(): void {
    if (!this.#own) used = this.#at - ROOM;
  }
}
