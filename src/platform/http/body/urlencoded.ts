/**
 * Parses the fields of an urlencoded form in order (WHATWG URL section 5.1). Stricter than `URLSearchParams`: rejects invalid UTF-8.
 * Counts fields before decoding, because a megabyte of tiny fields costs a thousand times as much as a megabyte of text.
 */
import { SvcError } from "../../shared/errors.ts";
import type { BodyGate } from "./body-budget.ts";
import { nextTurn, SLICE_BYTES } from "./body-turn.ts";
import { RequestContext } from "../request/context.ts";
import type { Context } from "../types.ts";

/** Most fields in one form: the default of Django's DATA_UPLOAD_MAX_NUMBER_FIELDS. */
export const MAX_FIELDS = 1000;
const AMPERSAND = 38;
const EQUALS = 61;
const PERCENT = 37;
const PLUS = 43;
const SPACE = 32;
/** Longest name of a field, in characters. */
const MAX_NAME = 256;
/** A longer one exceeds MAX_NAME even if it is all escapes: of three bytes, for up to three bytes of a character. */
const MAX_NAME_BYTES = 9 * MAX_NAME;
/** For the decoded bytes of a name or value, until they are text. */
const room = Buffer.allocUnsafeSlow(SLICE_BYTES);
/** Keeps a byte order mark, as browsers do with forms. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Counts fields while a body arrives, to reject a flood before reading all of it. */
class FieldGate implements BodyGate {
  readonly #next: BodyGate | undefined;
  #fields = 1;

  /** @param next sees each part after its fields were counted */
  constructor(next: BodyGate | undefined) {
    this.#next = next;
  }

  accept(chunk: Uint8Array): void {
    for (let at = chunk.indexOf(AMPERSAND); at >= 0; at = chunk.indexOf(AMPERSAND, at + 1))
      if (++this.#fields > MAX_FIELDS) throw tooManyFields();
    this.#next?.accept(chunk);
  }
}

/**
 * Reads the body of an urlencoded form and counts its fields on arrival.
 * @throws SvcError `SVC_TOO_LARGE`, `SVC_UNAVAILABLE`, `SVC_BAD_REQUEST`
 */
export async function urlencodedBytes(ctx: Context, limitBytes: number): Promise<Uint8Array> {
  if (!(ctx instanceof RequestContext)) return ctx.bytes(limitBytes);
  return ctx.bytesNow(limitBytes, new FieldGate(ctx.bodyLease));
}

/**
 * Lets other requests run between the fields of a large form.
 * @throws SvcError `SVC_TOO_LARGE`, `SVC_INVALID`
 */
export async function urlencodedFields(body: Uint8Array): Promise<[name: string, value: string][]> {
  const fields: [name: string, value: string][] = [];
  let turnAt = 0;
  for (let from = 0, count = 1; from < body.length; count++) {
    if (count > MAX_FIELDS) throw tooManyFields();
    const found = body.indexOf(AMPERSAND, from);
    const end = found < 0 ? body.length : found;
    if (end > from) fields.push(fieldOf(body, from, end));
    from = end + 1;
    if (from - turnAt > SLICE_BYTES) {
      await nextTurn();
      turnAt = from;
    }
  }
  return fields;
}

function fieldOf(body: Uint8Array, from: number, end: number): [name: string, value: string] {
  let equals = from;
  while (equals < end && body[equals] !== EQUALS) equals++;
  if (equals - from > MAX_NAME_BYTES) throw invalidName();
  return [requireName(decoded(body, from, equals)), decoded(body, equals + 1, end)];
}

/** Decodes bytes and not text: a megabyte of escapes takes `decodeURIComponent` several times as long. */
function decoded(body: Uint8Array, from: number, end: number): string {
  // Decoding only shortens.
  const bytes = end - from > room.length ? Buffer.allocUnsafe(end - from) : room;
  let length = 0;
  for (let at = from; at < end; at++) {
    const byte = body[at] ?? 0;
    if (byte === PERCENT) {
      const value = at + 2 < end ? hexDigit(body[at + 1]) * 16 + hexDigit(body[at + 2]) : NaN;
      if (Number.isNaN(value)) throw notUtf8();
      bytes[length++] = value;
      at += 2;
    } else bytes[length++] = byte === PLUS ? SPACE : byte;
  }
  try {
    return utf8.decode(bytes.subarray(0, length));
  } catch (cause) {
    throw notUtf8(cause);
  }
}

/** NaN if the byte is none. */
function hexDigit(byte = 0): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const small = byte | 32;
  return small >= 97 && small <= 102 ? small - 87 : NaN;
}

function notUtf8(cause?: unknown): SvcError {
  return new SvcError("SVC_INVALID", "The form is not valid percent-encoded UTF-8", { cause });
}

/** Whether a field may have this name: at most 256 characters, in valid UTF-8 without NUL. */
export function isName(name: string): boolean {
  return name.length <= MAX_NAME && !/[\0\ufffd]/.test(name);
}

/** @throws SvcError `SVC_INVALID` */
export function requireName(name: string): string {
  if (isName(name)) return name;
  throw invalidName();
}

export function invalidName(): SvcError {
  return new SvcError(
    "SVC_INVALID",
    `The form has a field with an invalid name; names have at most ${MAX_NAME} characters, in valid UTF-8 without NUL`,
  );
}

export function tooManyFields(): SvcError {
  return new SvcError("SVC_TOO_LARGE", `The form has too many fields. At most ${MAX_FIELDS} are allowed`);
}
