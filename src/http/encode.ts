/**
 * Text as bytes, many texts in one allocation: each by itself would cost more to allocate than to encode. Bytes are never
 * overwritten while anybody may read them; what held them is let go when the last part of it is.
 */

/** Longest text that shares an allocation. */
const MAX_SHARED = 32_768;
const SLAB_BYTES = 4 * MAX_SHARED;
/** A character takes three bytes at most: of those that take four, each is two. */
const MAX_BYTES = 3;

let slab = Buffer.alloc(0);
let used = 0;

export function encode(text: string): Uint8Array {
  if (text.length > MAX_SHARED) return Buffer.from(text);
  if (text.length * MAX_BYTES > slab.length - used) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    used = 0;
  }
  const start = used;
  used += slab.write(text, start);
  return slab.subarray(start, used);
}

/**
 * Takes back bytes of `encode` that nobody will read again, where they were the last: the next text is written over them, into
 * memory that the processor has at hand.
 */
export function takeBack(bytes: Uint8Array): void {
  const end = bytes.byteOffset + bytes.byteLength;
  if (bytes.buffer === slab.buffer && end === used) used = bytes.byteOffset;
}
