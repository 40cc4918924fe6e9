/**
 * HMAC-SHA256 (RFC 2104) of short texts. Node's implementation is designed for streams and costs three times as much as the two hashes.
 * hmac.test.ts compares the results.
 */
import { createHmac, hash } from "node:crypto";

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** Longer texts use Node's implementation, whose overhead then matters less. In characters of at most three bytes. */
const MAX_LENGTH = 1024;
/** Buffer for one text at a time, after the key's block. */
const room = Buffer.alloc(BLOCK_BYTES + 3 * MAX_LENGTH);
/** Views of the buffer by length: signed texts have few lengths, and creating a view costs an eighth of a signature. */
const beginnings = new Map<number, Uint8Array>();

function beginning(end: number): Uint8Array {
  let view = beginnings.get(end);
  if (!view) beginnings.set(end, (view = room.subarray(0, end)));
  return view;
}

/** A prepared key. */
export class HmacKey {
  readonly #key: string | Uint8Array;
  /** The key's block for the inner hash. */
  readonly #inner = Buffer.alloc(BLOCK_BYTES);
  /** The key's block for the outer hash, followed by room for the inner digest. */
  readonly #outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);

  constructor(key: string | Uint8Array) {
    this.#key = key;
    const whole = typeof key === "string" ? Buffer.from(key) : key;
    const bytes = whole.length > BLOCK_BYTES ? hash("sha256", whole, "buffer") : whole;
    for (let at = 0; at < BLOCK_BYTES; at++) {
      this.#inner[at] = (bytes[at] ?? 0) ^ 0x36;
      this.#outer[at] = (bytes[at] ?? 0) ^ 0x5c;
    }
  }

  /** Returns 43 characters of base64url. */
  sign(text: string): string {
    return this.digest(text, "base64url");
  }

  digest(text: string | Uint8Array, encoding: "hex" | "base64" | "base64url"): string {
    if (typeof text !== "string" || text.length > MAX_LENGTH)
      return createHmac("sha256", this.#key).update(text).digest(encoding);
    room.set(this.#inner);
    const end = BLOCK_BYTES + room.write(text, BLOCK_BYTES);
    // As a text with one byte per character, which costs less than a separate buffer.
    this.#outer.write(hash("sha256", beginning(end), "binary"), BLOCK_BYTES, "latin1");
    return hash("sha256", this.#outer, encoding);
  }
}
