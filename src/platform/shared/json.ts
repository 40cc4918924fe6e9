/**
 * JSON from outside, read strictly (docs/reference/http.md section 1): well-formed, at most 32 levels deep, and without the
 * keys that reach prototypes. Values are plain JSON; nothing is ever revived into an instance or a reference.
 */
import { SvcError } from "./errors.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Deepest nesting accepted from outside. */
export const MAX_JSON_DEPTH = 32;

const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/**
 * @param text JSON text, already decoded as UTF-8.
 * @param maxNodes limit on values and members; default: unlimited.
 * @throws SvcError `SVC_INVALID` naming the problem and its place.
 */
export function parseJson(text: string, maxNodes = Infinity): Json {
  if (text.length > SCANNED_LENGTH) scan(text, maxNodes);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (cause) {
    throw new SvcError("SVC_INVALID", `Invalid JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof value === "object" && value !== null) new Check(maxNodes).value(value, undefined, 0);
  return value;
}

/** Shorter texts take less than a millisecond to parse, whatever they contain. */
const SCANNED_LENGTH = 16 * 1024;
const [QUOTE, COMMA, OPEN_ARRAY, BACKSLASH, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [34, 44, 91, 92, 93, 123, 125];

/**
 * Counts brackets and commas before a long text is parsed: parsing a megabyte of brackets blocks the process for a quarter of a second.
 * Each comma separates two values, so there are more values than commas.
 */
function scan(text: string, maxNodes: number): void {
  let depth = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    else if (code === COMMA) commas++;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) depth++;
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth--;
    if (depth > MAX_JSON_DEPTH) throw tooDeep();
    if (commas >= maxNodes) throw tooMany(maxNodes);
  }
}

/** @returns the place of the closing quote; the end of the text if there is none */
function endOfString(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && isEscaped(text, at, from)) at = text.indexOf('"', at + 1);
  return at < 0 ? text.length : at;
}

/** Whether an odd number of backslashes precedes a quote. */
function isEscaped(text: string, quote: number, from: number): boolean {
  let at = quote;
  while (at > from && text.charCodeAt(at - 1) === BACKSLASH) at--;
  return (quote - at) % 2 === 1;
}

function tooDeep(): SvcError {
  return new SvcError("SVC_INVALID", `JSON is nested over ${MAX_JSON_DEPTH} levels deep`);
}

function tooMany(maxNodes: number): SvcError {
  return new SvcError("SVC_INVALID", `JSON contains more than ${maxNodes} values`);
}

/**
 * Refuses numbers that the parser reads as infinite, such as `1e999`: what is stored as JSON can't contain them.
 * @throws SvcError `SVC_INVALID` with the place of the number
 */
export function requireFinite(value: Json, place?: Place): void {
  if (value === Infinity || value === -Infinity)
    throw new SvcError("SVC_INVALID", `JSON contains a number at ${pathOf(place)} that is too large`);
  if (typeof value !== "object" || value === null) return;
  const isList = Array.isArray(value);
  for (const [key, part] of Object.entries(value))
    requireFinite(part, { around: place, step: isList ? Number(key) : key });
}

/** Path to a value: a member's name or an item's index, and the place of its container; undefined is the root. */
type Place = { readonly around: Place; readonly step: string | number } | undefined;

/** Checks depth, size and keys. It stops at the depth limit, so a deep value can't exhaust the stack. */
class Check {
  readonly #maxNodes: number;
  #nodes = 1;

  constructor(maxNodes: number) {
    this.#maxNodes = maxNodes;
  }

  value(value: object, place: Place, depth: number): void {
    if (depth >= MAX_JSON_DEPTH) throw tooDeep();
    if (Array.isArray(value)) this.#items(value as Json[], place, depth);
    else this.#members(value as Record<string, Json>, place, depth);
  }

  #items(items: readonly Json[], place: Place, depth: number): void {
    this.#count(items.length);
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      if (typeof item === "object" && item !== null) this.value(item, { around: place, step: at }, depth + 1);
    }
  }

  #members(members: Readonly<Record<string, Json>>, place: Place, depth: number): void {
    const keys = Object.keys(members);
    this.#count(keys.length);
    for (const key of keys) {
      if (FORBIDDEN_KEYS.has(key))
        throw new SvcError("SVC_INVALID", `JSON contains the key "${key}" at ${pathOf(place)}, which is not allowed`);
      const member = members[key];
      if (typeof member === "object" && member !== null) this.value(member, { around: place, step: key }, depth + 1);
    }
  }

  #count(more: number): void {
    this.#nodes += more;
    if (this.#nodes > this.#maxNodes) throw tooMany(this.#maxNodes);
  }
}

function pathOf(place: Place): string {
  if (place === undefined) return "$";
  const { around, step } = place;
  return pathOf(around) + (typeof step === "number" ? `[${step}]` : `.${step}`);
}
