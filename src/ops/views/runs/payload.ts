/**
 * Builds the tree view of inputs and outputs. Redaction applies to the view only: the store keeps the complete values, and the screens hide
 * those whose key looks secret or is in the app's list. Pure.
 */
import type { Json } from "../../../graph.ts";
import { binaryOf, type Binary } from "./binary.ts";
import { pointerTo } from "../json-pointer.ts";
import { bytesText, countText } from "../format.ts";

/** Keys whose values are hidden. */
const SECRET_KEY =
  /pass(?:word|wd|phrase)?$|secret|token|api[-_]?key|authorization|cookie|credential|private[-_]?key|card[-_]?number|cvc|\biban\b|\bssn\b/i;
/** Placeholder for hidden values. */
export const REDACTED = "hidden";
/** Maximum size of the tree. The raw text contains everything. */
const MOST_NODES = 2000;
/** Deeper levels start folded. */
const OPEN_DEPTH = 2;
const OPEN_LENGTH = 30;
const MAX_TEXT = 4000;
/** Base64 is cut after this length, because nobody reads it. */
const MAX_BASE64 = 40;

export interface PayloadNode {
  /** undefined for the root. */
  key: string | undefined;
  /** Its JSON Pointer (RFC 6901). */
  pointer: string;
  kind: "object" | "array" | "string" | "number" | "boolean" | "null" | "redacted";
  /** Display text of a leaf. */
  text: string;
  /** `3 keys`, `120 items`, `4.1 KB`; empty for small values. */
  size: string;
  isOpen: boolean;
  /** Whether the key is an index of a list. */
  isPlace: boolean;
  /** Whether its key or value contains the search text. */
  isFound: boolean;
  /** Set if the text is encoded binary data. */
  binary: Binary | undefined;
  children: PayloadNode[];
  /** Number of omitted children. */
  left: number;
}

export interface PayloadView {
  root: PayloadNode;
  /** Size of the JSON. */
  bytes: number;
  /** Number of hidden values. */
  redacted: number;
  /** Number of keys and values that contain the search text, including those omitted from the tree. */
  found: number;
  /** The JSON, indented, with hidden values replaced. */
  readonly raw: string;
}

export interface RedactOptions {
  /** Additional keys to hide: whole names, case-insensitive. */
  keys: readonly string[];
  /** Shows everything: an authorized operator asked for it, with an audit entry. */
  isRevealed: boolean;
}

/** @param find text to search in keys and values, case-insensitive; hidden values are not searched. Default: none */
export function payloadView(value: Json, options: RedactOptions, find = ""): PayloadView {
  const count = { nodes: 0, redacted: 0 };
  const contains = matcher(find);
  const hidden = hide(value, secretKeys(options), count);
  return {
    root: nodeOf({ key: undefined, pointer: "", depth: 0, isPlace: false }, hidden, { count, contains }),
    bytes: Buffer.byteLength(JSON.stringify(value)),
    redacted: count.redacted,
    found: find === "" ? 0 : foundIn(undefined, hidden, contains),
    // Lazy, because the text may have several megabytes.
    get raw(): string {
      return JSON.stringify(plain(hidden), null, 2);
    },
  };
}

/** The value with "hidden" in place of hidden values. */
export function redacted(value: Json, options: RedactOptions): Json {
  return plain(hide(value, secretKeys(options), { redacted: 0 }));
}

/** Number of values that are hidden unless revealed. */
export function hiddenCount(value: Json, keys: readonly string[]): number {
  const count = { redacted: 0 };
  hide(value, secretKeys({ keys, isRevealed: false }), count);
  return count.redacted;
}

/** A body as it is sent. If it contains hidden values, they are replaced, and the text is not the signed one. */
export function shownBody(body: string, keys: readonly string[]): { text: string; isWhole: boolean } {
  const count = { redacted: 0 };
  const hidden = hide(JSON.parse(body) as Json, secretKeys({ keys, isRevealed: false }), count);
  return count.redacted === 0 ? { text: body, isWhole: true } : { text: JSON.stringify(plain(hidden)), isWhole: false };
}

/** Whether values under this key are hidden, and therefore not searchable. */
export function isHiddenKey(key: string, keys: RedactOptions["keys"]): boolean {
  return secretKeys({ keys, isRevealed: false })(key);
}

function secretKeys({ keys, isRevealed }: RedactOptions): (key: string | undefined) => boolean {
  const own = new Set(keys.map((key) => key.toLowerCase()));
  return (key) => !isRevealed && key !== undefined && (SECRET_KEY.test(key) || own.has(key.toLowerCase()));
}

/** Placeholder for a hidden value: a class instance, because no JSON value is one. */
class Hidden {}
const HIDDEN = new Hidden();
type Shown = string | number | boolean | null | Hidden | Shown[] | { [key: string]: Shown };

function hide(value: Json, isSecret: (key: string | undefined) => boolean, count: { redacted: number }): Shown {
  if (Array.isArray(value)) return value.map((item) => hide(item, isSecret, count));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (!isSecret(key) || inner === null || inner === undefined) return [key, hide(inner ?? null, isSecret, count)];
      count.redacted++;
      return [key, HIDDEN];
    }),
  );
}

function plain(value: Shown): Json {
  if (value instanceof Hidden) return REDACTED;
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

type Contains = (text: string) => boolean;

function matcher(find: string): Contains {
  const wanted = find.toLowerCase();
  return (text) => wanted !== "" && text.toLowerCase().includes(wanted);
}

/** Checks one key and its value, without descendants. */
function isFound(key: string | undefined, value: Shown, contains: Contains): boolean {
  if (key !== undefined && contains(key)) return true;
  return value === null || typeof value !== "object" ? contains(String(value)) : false;
}

function foundIn(key: string | undefined, value: Shown, contains: Contains): number {
  const own = isFound(key, value, contains) ? 1 : 0;
  if (value === null || typeof value !== "object" || value instanceof Hidden) return own;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + foundIn(undefined, item, contains), own);
  return Object.entries(value).reduce((sum, [name, inner]) => sum + foundIn(name, inner, contains), own);
}

/** The state of building a tree. */
interface Making {
  count: { nodes: number };
  contains: Contains;
}

/** Position of a node in the tree. */
interface Place {
  key: string | undefined;
  pointer: string;
  depth: number;
  isPlace: boolean;
}

function nodeOf(place: Place, value: Shown, making: Making): PayloadNode {
  making.count.nodes++;
  const { key, pointer, isPlace } = place;
  const name = isPlace ? undefined : key;
  return {
    ...PLAIN,
    ...treeOf(place, value, making),
    key,
    pointer,
    isPlace,
    isFound: isFound(name, value, making.contains),
  };
}

/** Defaults of a leaf. */
const PLAIN = { size: "", isOpen: false, binary: undefined, children: [] as PayloadNode[], left: 0 };

type Tree = Pick<PayloadNode, "kind" | "text"> & Partial<PayloadNode>;

function treeOf(place: Place, value: Shown, making: Making): Tree {
  if (value instanceof Hidden) return { kind: "redacted", text: REDACTED };
  if (value === null) return { kind: "null", text: "null" };
  if (typeof value === "string") return textLeaf(value);
  if (typeof value !== "object") return { kind: typeof value === "number" ? "number" : "boolean", text: String(value) };
  const isList = Array.isArray(value);
  const entries: [string, Shown][] = isList ? value.map((item, at) => [String(at), item]) : Object.entries(value);
  const children: PayloadNode[] = [];
  const depth = place.depth + 1;
  for (const [key, inner] of entries) {
    if (making.count.nodes >= MOST_NODES) break;
    children.push(nodeOf({ key, pointer: pointerTo(place.pointer, key), depth, isPlace: isList }, inner, making));
  }
  const unit = isList ? "item" : "key";
  return {
    kind: isList ? "array" : "object",
    text: isList ? "[ ]" : "{ }",
    size: `${countText(entries.length)} ${unit}${entries.length === 1 ? "" : "s"}`,
    isOpen: (place.depth < OPEN_DEPTH && entries.length <= OPEN_LENGTH) || children.some(leadsToFound),
    children,
    left: entries.length - children.length,
  };
}

function textLeaf(value: string): Tree {
  const binary = binaryOf(value);
  const most = binary ? MAX_BASE64 : MAX_TEXT;
  const text = value.length > most ? `${value.slice(0, most)}…` : value;
  if (binary) return { kind: "string", text, binary, size: `${binary.type}, ${bytesText(binary.bytes)}` };
  return { kind: "string", text, size: value.length > 200 ? bytesText(Buffer.byteLength(value)) : "" };
}

/** A match opens its ancestors. Nodes that are open by default do not. */
function leadsToFound(node: PayloadNode): boolean {
  return node.isFound || node.children.some(leadsToFound);
}
