/**
 * Serializes values that JSON can't represent, as JSON: a flat list of entries that refer to each other by index. Shared
 * references stay shared, and cycles stay cycles. The counterpart is deserialize.ts, which ships to browsers.
 *
 * An entry is a JSON primitive, or `[tag, …]`: `o` object, `a` array, `d` Date, `m` Map, `s` Set, `u` undefined,
 * `n` NaN, ±Infinity and -0, `b` BigInt, `l` URL, `r` RegExp, `t` typed array, `e` Error, `v` a value that the caller stores elsewhere.
 * A negative index in an object is the complement of the place of a getter that the caller stores elsewhere.
 * Server to browser only: data from a browser is plain JSON and is never decoded with this.
 */
import type { Json } from "./json.ts";

/** Thrown for a value that can't be serialized, with its path. */
export class SerializeError extends Error {
  readonly path: string;
  readonly isFunction: boolean;

  constructor(path: string, what: string) {
    super(`${path === "" ? "It" : `Its part ${path}`} is ${what}, which can't travel to the browser`);
    this.path = path;
    this.isFunction = what === "a function";
  }
}

/**
 * Whether plain JSON represents a value exactly: no `undefined`, special numbers or instances, and no object referenced twice.
 * @param isSpecial returns whether an object inside the value needs an encoding of its own. Default: none does.
 */
export function isPlainJson(
  value: unknown,
  isSpecial: (part: object) => boolean = () => false,
  known?: Set<object>,
): value is Json {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return isJsonNumber(value);
  if (typeof value !== "object" || known?.has(value)) return false;
  if (known && isSpecial(value)) return false;
  const seen = known ?? new Set();
  seen.add(value);
  if (Array.isArray(value)) {
    // A hole reads as undefined, which is not plain.
    for (let at = 0; at < value.length; at++) if (!isPlainJson(value[at], isSpecial, seen)) return false;
    return true;
  }
  if (!isPlainObject(value)) return false;
  for (const key in value) {
    if (Object.hasOwn(value, key) && !isPlainJson((value as Record<string, unknown>)[key], isSpecial, seen))
      return false;
  }
  return true;
}

/** Whether a value may be plain JSON. Checks only the value itself, not its content. */
export function looksPlain(value: unknown): boolean {
  return typeof value === "object" && value !== null
    ? Array.isArray(value) || isPlainObject(value)
    : isPlainJson(value);
}

function isJsonNumber(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0);
}

/** Text that `Number` converts back to the same number. */
function nameOf(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Functions of getters, by name. */
export type Getters = Readonly<Record<string, () => unknown>>;

/**
 * @param placeOf returns the index of a value that the caller stores elsewhere; `deserialize` asks for it by this index.
 * @param gettersOf returns an object's getters for which `placeOf` returns an index, by name. Other getters are called.
 * @throws SerializeError for functions, symbols, class instances and promises.
 */
export function serialize(
  root: unknown,
  placeOf: (value: unknown) => number | undefined = () => undefined,
  gettersOf: (value: object) => Getters | undefined = () => undefined,
): Json {
  const entries: Json[] = [];
  const known = new Map<unknown, number>();
  const add = (value: unknown, path: string): number => {
    const before = isReference(value) ? known.get(value) : undefined;
    if (before !== undefined) return before;
    const index = entries.push(null) - 1;
    if (isReference(value)) known.set(value, index);
    const place = placeOf(value);
    const getters = isReference(value) ? gettersOf(value as object) : undefined;
    if (place !== undefined) entries[index] = ["v", place];
    else entries[index] = getters ? withGetters(value as object, getters, path) : entryOf(value, path, add);
    return index;
  };
  const withGetters = (value: object, getters: Getters, path: string): Json[] => [
    "o",
    ...Object.keys(value).flatMap((key) => {
      const place = placeOf(getters[key]);
      return [key, place === undefined ? add((value as Record<string, unknown>)[key], `${path}.${key}`) : ~place];
    }),
  ];
  add(root, "");
  return entries;
}

function isReference(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

type Add = (value: unknown, path: string) => number;

function entryOf(value: unknown, path: string, add: Add): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "undefined":
      return ["u"];
    case "number":
      return isJsonNumber(value) ? value : ["n", nameOf(value)];
    case "bigint":
      return ["b", String(value)];
    case "object":
      return value === null ? null : objectEntry(value, path, add);
    default:
      throw new SerializeError(path, `a ${typeof value}`);
  }
}

function objectEntry(value: object, path: string, add: Add): Json {
  if (Array.isArray(value)) return ["a", ...Array.from(value, (item, at) => add(item, `${path}[${at}]`))];
  // JSON has no NaN: it would become null, and `new Date(null)` is 1970.
  if (value instanceof Date) return ["d", Number.isNaN(value.getTime()) ? "" : value.getTime()];
  if (value instanceof Map)
    return [
      "m",
      ...[...value].flatMap(([key, item]) => [add(key, `${path}.key`), add(item, `${path}.get(${keyText(key)})`)]),
    ];
  if (value instanceof Set) return ["s", ...[...value].map((item) => add(item, `${path}.item`))];
  if (value instanceof RegExp) return ["r", value.source, value.flags];
  if (value instanceof Error) return ["e", value.name, value.message];
  if (ArrayBuffer.isView(value)) return typedEntry(value, path);
  if (isUrl(value)) return ["l", String(value)];
  if (!isPlainObject(value)) throw new SerializeError(path, `an instance of ${value.constructor?.name ?? "a class"}`);
  return ["o", ...Object.entries(value).flatMap(([key, item]) => [key, add(item, `${path}.${key}`)])];
}

/** Objects are not converted: they may have no text form, or a `toString` of the author's. */
function keyText(key: unknown): string {
  return isReference(key) ? "…" : String(key);
}

/** This layer has neither DOM nor Node types, so it recognizes a URL by its tag. */
function isUrl(value: object): boolean {
  return Object.prototype.toString.call(value) === "[object URL]";
}

function typedEntry(value: ArrayBufferView, path: string): Json {
  const name = Object.prototype.toString.call(value).slice(8, -1);
  if (name === "DataView" || name.startsWith("Big")) throw new SerializeError(path, `a ${name}`);
  // The constructors parse text, so special numbers are sent by name.
  return ["t", name, ...Array.from(value as unknown as number[], (item) => (isJsonNumber(item) ? item : nameOf(item)))];
}
