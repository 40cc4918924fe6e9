/**
 * HMAC-SHA256 (RFC 2104) of short texts. Node's own is made for streams and costs three times as much as the two hashes it
 * comes to; hmac.test.ts holds both equal.
 */
import { createHmac, hash } from "node:crypto";

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** Longer texts are hashed by Node's own: there its price is no more than a part. In characters, of three bytes at most. */
const MAX_LENGTH = 1024;
/** For one text at a time, behind the key's block. */
const room = Buffer.alloc(BLOCK_BYTES + 3 * MAX_LENGTH);
/** Its beginnings by their length: what is signed often has one of few, and to make a view is an eighth of a signature. */
const beginnings = new Map<number, Uint8Array>();

function beginning(end: number): Uint8Array {
  let view = beginnings.get(end);
  if (!view) beginnings.set(end, (view = room.subarray(0, end)));
  return view;
}

/** One key, prepared once. */
export class HmacKey {
  readonly #key: string | Uint8Array;
  /** The key's block for the inner hash. */
  readonly #inner = Buffer.alloc(BLOCK_BYTES);
  /** That for the outer hash, and room for the inner one's digest. */
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

  /** In base64url, 43 characters. */
  sign(text: string): string {
    return this.digest(text, "base64url");
  }

  digest(text: string | Uint8Array, encoding: "hex" | "base64" | "base64url"): string {
    if (typeof text !== "string" || text.length > MAX_LENGTH)
      return createHmac("sha256", this.#key).update(text).digest(encoding);
    room.set(this.#inner);
    const end = BLOCK_BYTES + room.write(text, BLOCK_BYTES);
    // As text of one byte a character, which costs less than a buffer of its own.
    this.#outer.write(hash("sha256", beginning(end), "binary"), BLOCK_BYTES, "latin1");
    return hash("sha256", this.#outer, encoding);
  }
}
