/**
 * Detects binary data in JSON strings: base64 `data:` URLs, and base64 that starts like an image. Images are detected by their bytes; other
 * data is shown as a hex dump. Pure.
 */
import { HEX_BYTES, hexOf, imageTypeOf, MAX_IMAGE_BYTES, type ImageType } from "../bytes.ts";

export interface Binary {
  /** The detected image type, or else the type in the URL. */
  type: string;
  bytes: number;
  /** Whether it can be shown as an image. */
  isImage: boolean;
  /** A hex dump of the first bytes, unless it is an image. */
  hex: { text: string; isCut: boolean } | undefined;
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+=[^,;]*)*;base64,/i;
/** Maximum length of a data: URL before its bytes. */
const MOST_HEAD = 200;
const BASE64 = /^[A-Za-z\d+/_-]+={0,2}$/;
/** Shorter texts are words. */
const LEAST_LENGTH = 16;
/** Default of data: URLs. */
const ANY_TYPE = "text/plain";

interface Found {
  base64: string;
  /** The type in the URL. */
  given: string | undefined;
  image: ImageType | undefined;
}

/** Undefined: the text is not binary data. */
export function binaryOf(text: string): Binary | undefined {
  const found = find(text);
  if (!found) return undefined;
  const { base64, given = ANY_TYPE, image } = found;
  const bytes = Buffer.byteLength(base64, "base64");
  const isImage = image !== undefined && bytes <= MAX_IMAGE_BYTES;
  const hex = isImage ? undefined : { text: hexOf(firstBytes(base64, HEX_BYTES)), isCut: bytes > HEX_BYTES };
  return { type: image ?? given.toLowerCase(), bytes, isImage, hex };
}

/** The image in a text, with its bytes; undefined if there is none that may be shown. */
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
  // Checking the first bytes first rules out most texts without reading them to the end.
  return (url || image) && BASE64.test(base64) ? { base64, given: url?.[1], image } : undefined;
}

function firstBytes(base64: string, count: number): Uint8Array {
  return Buffer.from(base64.slice(0, Math.ceil(count / 3) * 4), "base64").subarray(0, count);
}
