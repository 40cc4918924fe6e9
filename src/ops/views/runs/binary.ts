/**
 * Bytes inside of JSON: a text that is a `data:` URL in base64, or base64 of what begins as a picture does. What kind of picture, the bytes say;
 * all else is shown by its first bytes. Pure.
 */
import { HEX_BYTES, hexOf, imageTypeOf, MAX_IMAGE_BYTES, type ImageType } from "../bytes.ts";

export interface Binary {
  /** Of the bytes, where they are a picture; else as the URL says it. */
  type: string;
  bytes: number;
  /** Whether it can be shown as a picture. */
  isImage: boolean;
  /** Of what can't: its first bytes, and whether there are more. */
  hex: { text: string; isCut: boolean } | undefined;
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+=[^,;]*)*;base64,/i;
/** Of a data: URL, what is in front of its bytes. */
const MOST_HEAD = 200;
const BASE64 = /^[A-Za-z\d+/_-]+={0,2}$/;
/** Shorter ones are words. */
const LEAST_LENGTH = 16;
/** Where a URL says nothing. */
const ANY_TYPE = "text/plain";

interface Found {
  base64: string;
  /** As the URL has it. */
  given: string | undefined;
  image: ImageType | undefined;
}

/** Undefined: it is a text. */
export function binaryOf(text: string): Binary | undefined {
  const found = find(text);
  if (!found) return undefined;
  const { base64, given = ANY_TYPE, image } = found;
  const bytes = Buffer.byteLength(base64, "base64");
  const isImage = image !== undefined && bytes <= MAX_IMAGE_BYTES;
  const hex = isImage ? undefined : { text: hexOf(firstBytes(base64, HEX_BYTES)), isCut: bytes > HEX_BYTES };
  return { type: image ?? given.toLowerCase(), bytes, isImage, hex };
}

/** A picture that may be shown, with its bytes; undefined for all else. */
export function pictureOf(text: string): { type: ImageType; body: Uint8Array } | undefined {
  const found = find(text);
  if (found?.image === undefined || Buffer.byteLength(found.base64, "base64") > MAX_IMAGE_BYTES) return undefined;
  return { type: found.image, body: Buffer.from(found.base64, "base64") };
}

function find(text: string): Found | undefined {
  if (text.length < LEAST_LENGTH) return undefined;
  const url = DATA_URL.exec(text.slice(0, MOST_HEAD));
  const base64 = url ? text.slice(url[0].length) : text;
  const image = imageTypeOf(firstBytes(base64, 12));
  // Most texts are told by their beginning; the others are read to their end.
  return (url || image) && BASE64.test(base64) ? { base64, given: url?.[1], image } : undefined;
}

function firstBytes(base64: string, count: number): Uint8Array {
  return Buffer.from(base64.slice(0, Math.ceil(count / 3) * 4), "base64").subarray(0, count);
}
