/**
 * When what ran: a row for each node, cut into segments by its events. Where nothing at all ran for long, the axis is broken, so that
 * a night's sleep does not press the work into a pixel. Pure.
 */
import type { GraphEvent, Snapshot } from "../../../graph.ts";
import { criticalPath, outerName, type PathNode } from "./critical-path.ts";
import { durationText } from "./text.ts";

export type SegmentKind = "queue" | "run" | "wait" | "retry" | "undo";

export interface Segment {
  kind: SegmentKind;
  /** Percent of the axis. */
  left: number;
  width: number;
  /** `run 1.24 s, attempt 2`. */
  label: string;
}

export interface TimelineRow {
  id: string;
  worker: string;
  status: string;
  segments: Segment[];
  /** From its first turn to its end, or to now. */
  durationMs: number;
  /** How many nodes are in this row: the items of a fan-out beyond the first. */
  folded: number;
  /** It, or what is folded into it, is on the critical path. */
  isCritical: boolean;
}

export interface Timeline {
  rows: TimelineRow[];
  /** Labels below the axis. */
  ticks: { left: number; label: string }[];
  /** Where the axis leaves something out. */
  breaks: { left: number; label: string }[];
  totalMs: number;
  /** Of a run that has ended; empty where there is none to tell. */
  path: PathNode[];
}

interface Span {
  kind: SegmentKind;
  fromMs: number;
  toMs: number;
  attempt: number;
}

type Nodes = Snapshot["nodes"];

/** More rows than that nobody reads; items of fan-outs are left out first. */
const MOST_ROWS = 200;
const MOST_ITEMS = 8;
/** A gap of a tenth of all is collapsed to a share of this; short ones are part of the story. */
const GAP_SHARE = 0.1;
const LEAST_GAP_MS = 5000;
const GAP_WIDTH = 0.03;
/** Thinner ones could not be seen, or pointed at. */
const LEAST_WIDTH = 0.3;
const TICKS = 5;

const STARTS: Readonly<Record<string, SegmentKind>> = {
  "node.ready": "queue",
  "node.started": "run",
  "node.retrying": "retry",
  "node.waiting": "wait",
  "node.compensating": "undo",
};
const ENDS = new Set([
  "node.done",
  "node.failed",
  "node.skipped",
  "node.cancelled",
  "node.compensated",
  "node.uncompensated",
  "node.discarded",
]);

/** @param nowMs where what has not ended is drawn to */
export function timelineOf(snapshot: Snapshot, events: readonly GraphEvent[], nowMs: number): Timeline {
  const spans = spansOf(events, snapshot.finished_ms ?? nowMs);
  const all = [...spans.values()].flat();
  const scale = scaleOf(all);
  const path = snapshot.finished_ms === null ? [] : criticalPath(snapshot.edges, stretchesOf(spans));
  const shown = rowsOf(snapshot.nodes, spans);
  const marked = markedOf(path, shown);
  const rows = shown.map(({ node, folded }) => ({
    ...rowOf(node, folded, spans.get(node.id) ?? [], scale),
    isCritical: marked.has(node.id),
  }));
  return { rows, ticks: scale.ticks, breaks: scale.breaks, totalMs: scale.totalMs, path };
}

/** What is undone is undone because of the end, and not the other way round. */
function stretchesOf(spans: ReadonlyMap<string, Span[]>): Map<string, { fromMs: number; toMs: number }> {
  const stretches = new Map<string, { fromMs: number; toMs: number }>();
  for (const [id, all] of spans) {
    const forward = all.filter(({ kind }) => kind !== "undo");
    const [first] = forward;
    if (first) stretches.set(id, { fromMs: first.fromMs, toMs: Math.max(...forward.map(({ toMs }) => toMs)) });
  }
  return stretches;
}

/** An item that has no row of its own is in the one that tells of more. */
function markedOf(path: readonly PathNode[], shown: readonly { node: Nodes[number]; folded: number }[]): Set<string> {
  const rows = new Set(shown.map(({ node }) => node.id));
  return new Set(
    path.flatMap(({ id }) =>
      rows.has(id)
        ? [id]
        : shown.flatMap(({ node, folded }) => (folded > 0 && outerName(node.id) === outerName(id) ? [node.id] : [])),
    ),
  );
}

function spansOf(events: readonly GraphEvent[], endMs: number): Map<string, Span[]> {
  const spans = new Map<string, Span[]>();
  const open = new Map<string, Span>();
  for (const { node, type, timestampMs, data } of events) {
    if (node === undefined || (STARTS[type] === undefined && !ENDS.has(type))) continue;
    const before = open.get(node);
    if (before) before.toMs = timestampMs;
    open.delete(node);
    const kind = STARTS[type];
    if (!kind) continue;
    const span = { kind, fromMs: timestampMs, toMs: endMs, attempt: attemptOf(data) ?? before?.attempt ?? 1 };
    open.set(node, span);
    spans.set(node, [...(spans.get(node) ?? []), span]);
  }
  return spans;
}

function attemptOf(data: unknown): number | undefined {
  const attempt = data !== null && typeof data === "object" && "attempt" in data ? data.attempt : undefined;
  return typeof attempt === "number" ? attempt : undefined;
}

/** `pick/2` before `pick/10`. */
const BY_NUMBER = new Intl.Collator("en", { numeric: true });

/** Nodes that have begun, in the order of their beginnings; of a fan-out the first few items. */
function rowsOf(nodes: Nodes, spans: ReadonlyMap<string, Span[]>): { node: Nodes[number]; folded: number }[] {
  const beginOf = (id: string): number => spans.get(id)?.[0]?.fromMs ?? Infinity;
  const begun = nodes
    .filter(({ id }) => spans.has(id))
    .sort((a, b) => beginOf(a.id) - beginOf(b.id) || BY_NUMBER.compare(a.id, b.id));
  const seen = new Map<string, { node: Nodes[number]; folded: number; count: number }>();
  const rows: { node: Nodes[number]; folded: number }[] = [];
  for (const node of begun) {
    const group = /^(.*)\/\d+$/.exec(node.id)?.[1];
    const known = group === undefined ? undefined : seen.get(group);
    if (known && ++known.count > MOST_ITEMS) {
      known.folded++;
      continue;
    }
    const row = { node, folded: 0, count: known?.count ?? 1 };
    if (group !== undefined) seen.set(group, Object.assign(row, { count: row.count }));
    rows.push(row);
  }
  return rows.slice(0, MOST_ROWS);
}

interface Scale {
  at: (ms: number) => number;
  ticks: Timeline["ticks"];
  breaks: Timeline["breaks"];
  totalMs: number;
}

/** Time to percent: linear, but for gaps in which nothing was under way, or all that was, waited. */
function scaleOf(spans: readonly Span[]): Scale {
  const fromMs = Math.min(...spans.map((span) => span.fromMs), Infinity);
  const toMs = Math.max(...spans.map((span) => span.toMs), -Infinity);
  const totalMs = Math.max(1, spans.length === 0 ? 1 : toMs - fromMs);
  const gaps = gapsOf(spans, fromMs, toMs).filter(
    ([from, to]) => to - from > Math.max(LEAST_GAP_MS, totalMs * GAP_SHARE),
  );
  const gone = gaps.reduce((sum, [from, to]) => sum + (to - from), 0);
  const leftMs = Math.max(1, totalMs - gone);
  const gapMs = leftMs * GAP_WIDTH;
  const wholeMs = leftMs + gaps.length * gapMs;
  const at = (ms: number): number => {
    let passed = ms - fromMs;
    for (const [from, to] of gaps) {
      if (ms <= from) break;
      const within = Math.min(ms, to) - from;
      passed += (within / (to - from)) * gapMs - within;
    }
    return Math.min(100, Math.max(0, (passed / wholeMs) * 100));
  };
  const ticks = Array.from({ length: TICKS }, (_, tick) => ({
    left: (tick / (TICKS - 1)) * 100,
    label: durationText(timeAt(at, fromMs, toMs, (tick / (TICKS - 1)) * 100) - fromMs),
  }));
  const breaks = gaps.map(([from, to]) => ({ left: at((from + to) / 2), label: durationText(to - from) }));
  return { at, ticks: spans.length === 0 ? [] : ticks, breaks, totalMs };
}

/** The scale the other way round, by halving: it only ever grows. */
function timeAt(at: (ms: number) => number, fromMs: number, toMs: number, percent: number): number {
  let [low, high] = [fromMs, toMs];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (at(middle) < percent) low = middle;
    else high = middle;
  }
  return Math.round(high);
}

/** Stretches in which nothing ran. */
function gapsOf(spans: readonly Span[], fromMs: number, toMs: number): [number, number][] {
  const busy = spans.filter(({ kind }) => kind === "run" || kind === "undo").sort((a, b) => a.fromMs - b.fromMs);
  const gaps: [number, number][] = [];
  let reached = fromMs;
  for (const { fromMs: from, toMs: to } of busy) {
    if (from > reached) gaps.push([reached, from]);
    reached = Math.max(reached, to);
  }
  if (busy.length > 0 && toMs > reached) gaps.push([reached, toMs]);
  return gaps;
}

function rowOf(
  node: Nodes[number],
  folded: number,
  spans: readonly Span[],
  scale: Scale,
): Omit<TimelineRow, "isCritical"> {
  const segments = spans.map(({ kind, fromMs, toMs, attempt }) => {
    const left = scale.at(fromMs);
    const width = Math.max(LEAST_WIDTH, scale.at(toMs) - left);
    const tries = attempt > 1 && kind === "run" ? `, attempt ${attempt}` : "";
    return { kind, left: Math.min(left, 100 - width), width, label: `${kind} ${durationText(toMs - fromMs)}${tries}` };
  });
  const [first] = spans;
  const durationMs = first ? Math.max(...spans.map(({ toMs }) => toMs)) - first.fromMs : 0;
  return { id: node.id, worker: node.worker, status: node.status, segments, durationMs, folded };
}
