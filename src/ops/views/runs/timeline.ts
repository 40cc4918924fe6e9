/**
 * The timeline of a run: a row per node, split into segments by its events. The axis collapses long gaps (time-scale.ts), so that a long
 * sleep does not compress everything else. Pure.
 */
import type { GraphEvent, Snapshot } from "../../../graph.ts";
import { criticalPath, outerName, type PathNode } from "./critical-path.ts";
import { durationText } from "../format.ts";
import { scaleOf, type TimeRange, type TimeScale } from "./time-scale.ts";

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
  /** From when it became ready until it ended, or until now. */
  durationMs: number;
  /** Number of further fan-out items that share this row. */
  folded: number;
  /** Whether the node, or an item in its row, is on the critical path. */
  isCritical: boolean;
}

export interface Timeline {
  /** The nodes that are visible in the range. */
  rows: TimelineRow[];
  scale: TimeScale;
  /** The critical path of an ended run; empty if there is none. */
  path: PathNode[];
}

interface Span {
  kind: SegmentKind;
  fromMs: number;
  toMs: number;
  attempt: number;
}

type Nodes = Snapshot["nodes"];

/** Maximum number of rows, and of rows per fan-out. */
const MOST_ROWS = 200;
const MOST_ITEMS = 8;
/** Thinner segments would be invisible and unclickable. */
const LEAST_WIDTH = 0.3;

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

const GRAPH_ENDS = new Set(["graph.done", "graph.failed"]);

/** @param nowMs the end of active nodes @param range the visible range; default: all */
export function timelineOf(
  snapshot: Snapshot,
  events: readonly GraphEvent[],
  nowMs: number,
  range?: TimeRange,
): Timeline {
  const spans = spansOf(events, snapshot.finished_ms ?? nowMs);
  const all = [...spans.values()].flat();
  const scale = scaleOf(all, range);
  const path = snapshot.finished_ms === null ? [] : criticalPath(snapshot.edges, stretchesOf(spans));
  const shown = rowsOf(snapshot.nodes, spans, scale);
  const marked = markedOf(path, shown);
  const rows = shown.map(({ node, folded }) => ({
    ...rowOf(node, folded, spans.get(node.id) ?? [], scale),
    isCritical: marked.has(node.id),
  }));
  return { rows, scale, path };
}

/** Leaves out compensations: they follow the end of the run and do not determine it. */
function stretchesOf(spans: ReadonlyMap<string, Span[]>): Map<string, { fromMs: number; toMs: number }> {
  const stretches = new Map<string, { fromMs: number; toMs: number }>();
  for (const [id, all] of spans) {
    const forward = all.filter(({ kind }) => kind !== "undo");
    const [first] = forward;
    if (first) stretches.set(id, { fromMs: first.fromMs, toMs: Math.max(...forward.map(({ toMs }) => toMs)) });
  }
  return stretches;
}

/** An item without a row of its own is marked on the row that contains it. */
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
    // A running attempt ends with its graph, without an event of its own.
    if (GRAPH_ENDS.has(type)) {
      for (const span of open.values()) span.toMs = timestampMs;
      open.clear();
    }
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

/** The started nodes in start order; for a fan-out, only the first few items. */
function rowsOf(
  nodes: Nodes,
  spans: ReadonlyMap<string, Span[]>,
  scale: TimeScale,
): { node: Nodes[number]; folded: number }[] {
  const beginOf = (id: string): number => spans.get(id)?.[0]?.fromMs ?? Infinity;
  const begun = nodes
    .filter(({ id }) => spans.get(id)?.some(scale.shows))
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

function rowOf(
  node: Nodes[number],
  folded: number,
  spans: readonly Span[],
  scale: TimeScale,
): Omit<TimelineRow, "isCritical"> {
  const segments = spans.filter(scale.shows).map(({ kind, fromMs, toMs, attempt }) => {
    const left = scale.at(fromMs);
    const width = Math.max(LEAST_WIDTH, scale.at(toMs) - left);
    const tries = attempt > 1 && kind === "run" ? `, attempt ${attempt}` : "";
    return { kind, left: Math.min(left, 100 - width), width, label: `${kind} ${durationText(toMs - fromMs)}${tries}` };
  });
  const [first] = spans;
  const durationMs = first ? Math.max(...spans.map(({ toMs }) => toMs)) - first.fromMs : 0;
  return { id: node.id, worker: node.worker, status: node.status, segments, durationMs, folded };
}
