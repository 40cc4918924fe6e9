/** Rules that both multipart parsers share: the boundary of the body and the error for a malformed one (RFC 7578, RFC 2046). */
import { nextTurn, SLICE_BYTES } from "./body-turn.ts";
import { MAX_FIELDS, tooManyFields } from "./urlencoded.ts";
import type { BusboyHeaders } from "@fastify/busboy";
import { SvcError } from "../../shared/errors.ts";

/**
 * The parameter as busboy reads it: quoted, or up to the next separator. RFC 2046 section 5.1.1 allows 1 to 70 characters; busboy throws
 * above 254, and splits the body at every "--" for an empty one.
 */
const BOUNDARY = /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s";,]{1,70}))\s*(?:;|$)/i;
/** The characters of RFC 2046 section 5.1.1, and those that other clients send. None of them is a control character. */
const PRINTABLE = /^[\x20-\x7e]*[\x21-\x7e]$/;
const PARAMETER = /;\s*boundary=/gi;

/** A valid boundary of a body. */
export interface Boundary {
  /** The headers for busboy. */
  readonly headers: BusboyHeaders;
  /** Between two parts. */
  readonly delimiter: Buffer;
}

/** @throws SvcError `SVC_INVALID` for a missing, repeated or invalid boundary */
export function readBoundary(contentType: string): Boundary {
  const match = BOUNDARY.exec(contentType);
  const boundary = match?.[1] ?? match?.[2] ?? "";
  if ((contentType.match(PARAMETER) ?? []).length !== 1 || !PRINTABLE.test(boundary))
    throw malformed("its content type needs one boundary of 1 to 70 printable ASCII characters");
  return { headers: { "content-type": contentType }, delimiter: Buffer.from(`\r\n--${boundary}`) };
}

/** Counts parts before they are parsed: a megabyte of empty parts takes busboy a thousand times as long as a megabyte of text. */
export class PartGate {
  readonly #delimiter: Buffer;
  /** The end of the previous bytes, which may be the start of a delimiter. */
  #end: Uint8Array = Buffer.alloc(0);
  #count = 0;

  constructor({ delimiter }: Boundary) {
    this.#delimiter = delimiter;
  }

  /** @throws SvcError `SVC_TOO_LARGE` */
  accept(chunk: Uint8Array): void {
    const bytes = Buffer.concat([this.#end, chunk]);
    const { length } = this.#delimiter;
    // One follows the last part, and one may precede the first.
    for (let at = bytes.indexOf(this.#delimiter); at >= 0; at = bytes.indexOf(this.#delimiter, at + length))
      if (++this.#count > MAX_FIELDS + 1) throw tooManyFields();
    this.#end = bytes.subarray(Math.max(0, bytes.length - length + 1));
  }
}

/** Pieces of a body, each in a turn of the event loop of its own, so that parsing blocks other requests for a short time only. */
export async function* slicesOf(bytes: Uint8Array): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (bytes.length > SLICE_BYTES) await nextTurn();
    yield Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(SLICE_BYTES, bytes.length - at));
  }
}

/** @param problem continues "The multipart body is malformed:" */
export function malformed(problem: string, cause?: unknown): SvcError {
  return new SvcError("SVC_INVALID", `The multipart body is malformed: ${problem}`, { cause });
}
