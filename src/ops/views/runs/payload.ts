/**
 * What workers were given and gave, as a tree to look at. Redaction is at the view alone: the store keeps what it was given, the
 * screens don't show what a key or the app's own list says is secret. Pure.
 */
import type { Json } from "../../../graph.ts";
import { binaryOf, type Binary } from "./binary.ts";
import { pointerTo } from "../json-pointer.ts";
import { bytesText, countText } from "../format.ts";

/** Names of keys whose values are not for looking at. */
const SECRET_KEY =
  /pass(?:word|wd|phrase)?$|secret|token|api[-_]?key|authorization|cookie|credential|private[-_]?key|card[-_]?number|cvc|\biban\b|\bssn\b/i;
/** Stands in the place of what is not for looking at. */
export const REDACTED = "hidden";
/** More is not looked at as a tree; the raw text has it all. */
const MOST_NODES = 2000;
/** Deeper levels are folded until somebody opens them. */
const OPEN_DEPTH = 2;
const OPEN_LENGTH = 30;
const MAX_TEXT = 4000;
/** Of base64, which nobody reads. */
const MAX_BASE64 = 40;

export interface PayloadNode {
  /** undefined for the root. */
  key: string | undefined;
  /** Where it stands in the whole (RFC 6901). */
  pointer: string;
  kind: "object" | "array" | "string" | "number" | "boolean" | "null" | "redacted";
  /** Of a leaf, as it is shown. */
  text: string;
  /** `3 keys`, `120 items`, `4.1 KB`; empty for what is small. */
  size: string;
  isOpen: boolean;
  /** Whether the key is a place in a list. */
  isPlace: boolean;
  /** Whether its key or its value holds what is looked for. */
  isFound: boolean;
  /** Where it is a text that stands for bytes. */
  binary: Binary | undefined;
  children: PayloadNode[];
  /** Children that are not among them, for want of room. */
  left: number;
}

export interface PayloadView {
  root: PayloadNode;
  /** Of the JSON. */
  bytes: number;
  /** How many values are hidden. */
  redacted: number;
  /** How many keys and values hold what is looked for, those for which the tree has no room included. */
  found: number;
  /** The JSON, indented, without what is hidden. */
  readonly raw: string;
}

export interface RedactOptions {
  /** Names of keys beside those that are hidden anyway: whole, upper and lower case alike. */
  keys: readonly string[];
  /** Shows everything: somebody with the right to has asked, and that is on record. */
  isRevealed: boolean;
}

/** @param find text to look for in keys and values, upper and lower case alike; what is hidden is not looked through. Default: none */
export function payloadView(value: Json, options: RedactOptions, find = ""): PayloadView {
  const count = { nodes: 0, redacted: 0 };
  const holds = holding(find);
  const hidden = hide(value, secretKeys(options), count);
  return {
    root: nodeOf({ key: undefined, pointer: "", depth: 0, isPlace: false }, hidden, { count, holds }),
    bytes: Buffer.byteLength(JSON.stringify(value)),
    redacted: count.redacted,
    found: find === "" ? 0 : foundIn(undefined, hidden, holds),
    // Written out where it is wanted: it may be of megabytes.
    get raw(): string {
      return JSON.stringify(plain(hidden), null, 2);
    },
  };
}

/** The value with "hidden" in place of what is not for looking at. */
export function redacted(value: Json, options: RedactOptions): Json {
  return plain(hide(value, secretKeys(options), { redacted: 0 }));
}

/** How many values of it are hidden, from whom nothing is revealed. */
export function hiddenCount(value: Json, keys: readonly string[]): number {
  const count = { redacted: 0 };
  hide(value, secretKeys({ keys, isRevealed: false }), count);
  return count.redacted;
}

/** A body as it is sent, or, where it holds something to hide, without that: then it is not what was signed. */
export function shownBody(body: string, keys: readonly string[]): { text: string; isWhole: boolean } {
  const count = { redacted: 0 };
  const hidden = hide(JSON.parse(body) as Json, secretKeys({ keys, isRevealed: false }), count);
  return count.redacted === 0 ? { text: body, isWhole: true } : { text: JSON.stringify(plain(hidden)), isWhole: false };
}

/** Whether a value under this key is not for looking at, and so not for looking for. */
export function isHiddenKey(key: string, keys: RedactOptions["keys"]): boolean {
  return secretKeys({ keys, isRevealed: false })(key);
}

function secretKeys({ keys, isRevealed }: RedactOptions): (key: string | undefined) => boolean {
  const own = new Set(keys.map((key) => key.toLowerCase()));
  return (key) => !isRevealed && key !== undefined && (SECRET_KEY.test(key) || own.has(key.toLowerCase()));
}

/** Stands in place of a hidden value; no JSON is an instance of it. */
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

type Holds = (text: string) => boolean;

function holding(find: string): Holds {
  const wanted = find.toLowerCase();
  return (text) => wanted !== "" && text.toLowerCase().includes(wanted);
}

/** Of one key and its value, without what is below. */
function isFound(key: string | undefined, value: Shown, holds: Holds): boolean {
  if (key !== undefined && holds(key)) return true;
  return value === null || typeof value !== "object" ? holds(String(value)) : false;
}

function foundIn(key: string | undefined, value: Shown, holds: Holds): number {
  const own = isFound(key, value, holds) ? 1 : 0;
  if (value === null || typeof value !== "object" || value instanceof Hidden) return own;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + foundIn(undefined, item, holds), own);
  return Object.entries(value).reduce((sum, [name, inner]) => sum + foundIn(name, inner, holds), own);
}

/** What a tree is made with. */
interface Making {
  count: { nodes: number };
  holds: Holds;
}

/** Where a node stands. */
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
    isFound: isFound(name, value, making.holds),
  };
}

/** What most are not. */
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

/** A branch that is open for what was found in it opens those above it; one that is open anyway opens none. */
function leadsToFound(node: PayloadNode): boolean {
  return node.isFound || node.children.some(leadsToFound);
}
