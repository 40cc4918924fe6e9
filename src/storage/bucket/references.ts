/**
 * A reference to an object, in place of the bytes of a part: mark, kind 1, length and name of the payload key that encrypted the bytes, name
 * of the object. Bytes that begin with the mark by themselves are stored behind mark and kind 0, so that nobody can forge a reference.
 */
import { keyOfBytes } from "../encryption/payload-cipher.ts";

const MARK = Buffer.from("\0svc:obj:1\0", "latin1");
const KIND_AT = MARK.length;
const PLAIN = 0;
const OBJECT = 1;

/** @param data the bytes of the object */
export function referenceTo(name: string, data: Uint8Array): Uint8Array {
  const key = Buffer.from(keyOfBytes(data) ?? "", "latin1");
  return Buffer.concat([MARK, Buffer.of(OBJECT, key.length), key, Buffer.from(name)]);
}

/** The form in which bytes are stored in the database. */
export function escapedBytes(data: Uint8Array): Uint8Array {
  return isMarkedPart(data) ? Buffer.concat([MARK, Buffer.of(PLAIN), data]) : data;
}

/** Whether stored bytes are a reference, or escaped: neither may be changed. */
export function isMarkedPart(data: Uint8Array): boolean {
  return data.length > MARK.length && MARK.every((byte, at) => data[at] === byte);
}

/** @returns the bytes, or the name of the object that contains them */
export function resolvedPart(data: Uint8Array): { data: Uint8Array } | { object: string } {
  if (!isMarkedPart(data)) return { data };
  if (data[KIND_AT] === PLAIN) return { data: data.subarray(KIND_AT + 1) };
  const { end } = keyIn(data);
  return { object: Buffer.from(data.subarray(end)).toString("utf8") };
}

/** Name of the payload key that encrypted a part, in the database or in the bucket; undefined: it is not encrypted. */
export function keyOfPart(data: Uint8Array): string | undefined {
  if (!isMarkedPart(data) || data[KIND_AT] !== OBJECT) return keyOfBytes(data);
  return keyIn(data).key || undefined;
}

function keyIn(data: Uint8Array): { key: string; end: number } {
  const start = KIND_AT + 2;
  const end = start + (data[KIND_AT + 1] ?? 0);
  return { key: Buffer.from(data.subarray(start, end)).toString("latin1"), end };
}
