/**
 * Parses the fields of an urlencoded form in order (WHATWG URL section 5.1). Stricter than `URLSearchParams`: rejects invalid UTF-8.
 * Counts fields before decoding, because a megabyte of tiny fields costs a thousand times as much as a megabyte of text.
 */
import { SvcError } from "../../shared/errors.ts";
import type { BodyGate } from "./body-budget.ts";
import { decodeUtf8 } from "./read-body.ts";
import { RequestContext } from "../request/context.ts";
import type { Context } from "../types.ts";

/** Most fields in one form: the default of Django's DATA_UPLOAD_MAX_NUMBER_FIELDS. */
export const MAX_FIELDS = 1000;
const AMPERSAND = 38;
const PLUS = 43;
const SPACE = 32;
/** Longest name of a field, in characters. */
const MAX_NAME = 256;

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

/** @throws SvcError `SVC_TOO_LARGE`, `SVC_INVALID` */
export function urlencodedFields(body: Uint8Array): [name: string, value: string][] {
  const text = decodeUtf8(withSpaces(body));
  // `split` stops at its limit, so the rest of a hostile body costs nothing.
  const pairs = text.split("&", MAX_FIELDS + 1);
  if (pairs.length > MAX_FIELDS) throw tooManyFields();
  return pairs.filter((pair) => pair !== "").map(fieldOf);
}

/** A copy with a space for each `+`. In the text, a megabyte of them would take V8 twenty times as long to replace. */
function withSpaces(body: Uint8Array): Uint8Array {
  const first = body.indexOf(PLUS);
  if (first < 0) return body;
  const spaced = Uint8Array.prototype.slice.call(body);
  for (let at = first; at < spaced.length; at++) if (spaced[at] === PLUS) spaced[at] = SPACE;
  return spaced;
}

function fieldOf(pair: string): [name: string, value: string] {
  const at = pair.indexOf("=");
  const [name, value] = at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
  return [requireName(decoded(name)), decoded(value)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new SvcError("SVC_INVALID", "The form is not valid percent-encoded UTF-8", { cause });
  }
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
