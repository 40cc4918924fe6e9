/** Compares two runs: the outcome of each node, and the differences of inputs and outputs. Pure. */
import type { Json, NodeDetail, Snapshot } from "../../../graph.ts";
import { nodeStyle, type StatusStyle } from "../status-style.ts";

/** A node's outcome in one of the runs. */
export interface NodeSide {
  looks: StatusStyle;
  attempts: number;
  /** null: not started. */
  tookMs: number | null;
  message: string | undefined;
}

export interface NodePair {
  id: string;
  worker: string;
  /** Undefined: the run has no such node. */
  one: NodeSide | undefined;
  other: NodeSide | undefined;
  isOtherStatus: boolean;
  isOtherInput: boolean;
  isOtherOutput: boolean;
}

/** A path whose values differ. */
export interface Difference {
  /** `card.number`, `lines[3]`; empty: the whole value. */
  path: string;
  /** JSON; undefined if there is no value. */
  one: string | undefined;
  other: string | undefined;
}

export interface Differences {
  items: Difference[];
  /** Whether there are more differences. */
  isCut: boolean;
}

const MOST = 200;
const MAX_TEXT = 300;

/** One side of a comparison. */
export interface RunNodes {
  nodes: readonly NodeDetail[];
  /** When the run ended, or now if it is active. */
  untilMs: number;
  hasEnded: boolean;
}

interface Side {
  node: NodeDetail | undefined;
  of: RunNodes;
}

/** In the order of the first run, followed by the nodes that only the second has. */
export function nodePairs(one: RunNodes, other: RunNodes): NodePair[] {
  const byId = new Map(other.nodes.map((node) => [node.id, node]));
  const known = new Set(one.nodes.map(({ id }) => id));
  const pair = (id: string, first: NodeDetail | undefined, second: NodeDetail | undefined): NodePair =>
    pairOf(id, { node: first, of: one }, { node: second, of: other });
  return [
    ...one.nodes.map((node) => pair(node.id, node, byId.get(node.id))),
    ...other.nodes.filter(({ id }) => !known.has(id)).map((node) => pair(node.id, undefined, node)),
  ];
}

function pairOf(id: string, first: Side, second: Side): NodePair {
  const { node: one } = first;
  const { node: other } = second;
  const hasBoth = one !== undefined && other !== undefined;
  return {
    id,
    worker: one?.worker ?? other?.worker ?? id,
    one: one && sideOf(one, first.of),
    other: other && sideOf(other, second.of),
    isOtherStatus: one?.status !== other?.status,
    isOtherInput: hasBoth && !isSame(one.input, other.input),
    isOtherOutput: hasBoth && !isSame(one.result, other.result),
  };
}

function sideOf(node: NodeDetail, { untilMs, hasEnded }: RunNodes): NodeSide {
  const { started_ms: startedMs, finished_ms: finishedMs, attempts, error } = node;
  const tookMs = startedMs === null ? null : Math.max(0, (finishedMs ?? untilMs) - startedMs);
  return { looks: nodeStyle(node, hasEnded), attempts, tookMs, message: error?.message };
}

export function isDifferent({ isOtherStatus, isOtherInput, isOtherOutput }: NodePair): boolean {
  return isOtherStatus || isOtherInput || isOtherOutput;
}

/** "2 of 6 nodes differ: charge, mail". */
export function pairsText(pairs: readonly NodePair[]): string {
  const names = pairs.filter(isDifferent).map(({ id }) => id);
  const of = `${pairs.length} ${pairs.length === 1 ? "node" : "nodes"}`;
  if (names.length === 0) return `No differences in ${of}`;
  const list = names.length > 4 ? `${names.slice(0, 4).join(", ")} and ${names.length - 4} more` : names.join(", ");
  return `${names.length} of ${of} ${names.length === 1 ? "differs" : "differ"}: ${list}`;
}

/** Only runs of the same graph can be compared. */
export function isComparable(one: Snapshot, other: Snapshot): boolean {
  return one.worker === other.worker;
}

/** The differences of two values, in the order of their keys. */
export function differencesOf(one: Json, other: Json): Differences {
  const items: Difference[] = [];
  collect("", one, other, items);
  return { items: items.slice(0, MOST), isCut: items.length > MOST };
}

function collect(path: string, one: Json | undefined, other: Json | undefined, into: Difference[]): void {
  if (into.length > MOST || isSame(one, other)) return;
  if (Array.isArray(one) && Array.isArray(other)) {
    for (let at = 0; at < Math.max(one.length, other.length); at++) collect(`${path}[${at}]`, one[at], other[at], into);
  } else if (isObject(one) && isObject(other)) {
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
      collect(path === "" ? key : `${path}.${key}`, own(one, key), own(other, key), into);
  } else into.push({ path, one: textOf(one), other: textOf(other) });
}

/** Reads own properties only: a payload key may be called `constructor`. */
function own(value: { [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deep equality, ignoring the order of keys. */
function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => isSame(own(one, key), own(other, key)));
}

function textOf(value: Json | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/**
 * Sorts by start time. Nodes that started in the same millisecond are in dependency order; items of a fan-out stay together, in numeric
 * order. @param edges of the graph
 */
export function inOrder(nodes: readonly NodeDetail[], edges: Snapshot["edges"]): NodeDetail[] {
  const depth = depthIn(edges);
  const begun = new Map<string, number>();
  for (const { id, started_ms: ms } of nodes)
    begun.set(outerName(id), Math.min(begun.get(outerName(id)) ?? Infinity, ms ?? Infinity));
  const at = ({ id }: NodeDetail): number => begun.get(outerName(id)) ?? Infinity;
  return nodes.toSorted((a, b) => {
    if (at(a) !== at(b)) return at(a) - at(b);
    return depth(outerName(a.id)) - depth(outerName(b.id)) || NUMBERED.compare(a.id, b.id);
  });
}

/** The longest path that leads to each node; graphs have no cycles. */
function depthIn(edges: Snapshot["edges"]): (name: string) => number {
  const before = new Map<string, string[]>();
  for (const [from, to] of edges) before.set(to, [...(before.get(to) ?? []), from]);
  const known = new Map<string, number>();
  const depth = (name: string): number => {
    const found = known.get(name) ?? Math.max(0, ...(before.get(name) ?? []).map((from) => depth(from) + 1));
    known.set(name, found);
    return found;
  };
  return depth;
}

const NUMBERED = new Intl.Collator("en", { numeric: true });

function outerName(id: string): string {
  return id.split(/[/#]/, 1)[0] as string;
}
