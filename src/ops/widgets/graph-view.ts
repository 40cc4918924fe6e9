/**
 * The view model of a graph: one node per node of the definition, from the engine's snapshot. A fan-out is one node with counts, and steps
 * belong to their node, so the shape of the picture is known from the start.
 */
import type { Snapshot } from "../../graph.ts";
import { graphStyle } from "../views/status-style.ts";
import { STATUS_LOOKS, type FlowStatus } from "./status.ts";

type NodeRow = Snapshot["nodes"][number];

/** Something inside a node: an item of a fan-out, a step, a sleep or a wait. */
export interface FlowPart {
  id: string;
  /** The part of the ID after the node's name: `3`, `fetch`. */
  label: string;
  kind: NodeRow["kind"] | "item";
  status: FlowStatus;
  startedMs: number | null;
  finishedMs: number | null;
  message: string | undefined;
}

export interface FlowNode {
  name: string;
  worker: string;
  status: FlowStatus;
  attempts: number;
  /** Maximum number of attempts; undefined if unknown. */
  tries: number | undefined;
  startedMs: number | null;
  finishedMs: number | null;
  /** End of a sleep or a timed wait, or time of the next attempt. */
  dueMs: number | null;
  /** Error of the node or of its last attempt. */
  message: string | undefined;
  /** Size of its result as JSON; undefined without a result. */
  resultBytes: number | undefined;
  /** Number of a fan-out's items by status; undefined for other nodes. */
  counts: ReadonlyMap<FlowStatus, number> | undefined;
  items: readonly FlowPart[];
  inner: readonly FlowPart[];
  /** Runs that the node started. */
  children: readonly { id: string; worker: string; status: FlowStatus }[];
}

export interface FlowEdge {
  from: string;
  to: string;
  /** `open`: not decided yet; `taken`; `untaken`: never will be. */
  state: "open" | "taken" | "untaken";
  /** Whether it leads to an error branch. */
  isError: boolean;
}

export interface FlowView {
  id: string;
  worker: string;
  status: FlowStatus;
  /** Number of the last event included. */
  seq: number;
  epoch: number;
  startedMs: number | null;
  finishedMs: number | null;
  /** 0 to 1, as reported by the workers. */
  progress: { share: number; note: string | undefined } | null;
  message: string | undefined;
  nodes: readonly FlowNode[];
  edges: readonly FlowEdge[];
}

/** @param snapshot as returned by `engine.snapshot` @param tries maximum number of attempts by node name. Default: unknown */
export function flowView(snapshot: Snapshot, tries: ReadonlyMap<string, number> = new Map()): FlowView {
  const status = graphStatus(snapshot);
  const nodes = withEmptyFanOuts(nodesOf(snapshot), snapshot).map((node) => ({ ...node, tries: tries.get(node.name) }));
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const errors = new Set((snapshot.error_edges ?? []).map(([from, to]) => `${from}>${to}`));
  return {
    id: snapshot.graph_id,
    worker: snapshot.worker,
    status,
    seq: snapshot.last_seq,
    epoch: snapshot.epoch,
    startedMs: snapshot.started_ms,
    finishedMs: snapshot.finished_ms,
    progress: snapshot.progress && { share: snapshot.progress.value, note: snapshot.progress.note },
    message: snapshot.error?.message,
    nodes,
    edges: snapshot.edges.map(([from, to]) => ({
      from,
      to,
      state: edgeState(byName.get(from), byName.get(to)),
      isError: errors.has(`${from}>${to}`),
    })),
  };
}

/** Scheduled runs count as queued: whether a run is due depends on the time, not on the graph. */
export function graphStatus(snapshot: Pick<Snapshot, "phase" | "error" | "due_ms" | "is_queued">): FlowStatus {
  return graphStyle(snapshot, Infinity).status;
}

function nodeStatus(status: NodeRow["status"], hasEnded: boolean): FlowStatus {
  if (status === "pending" || status === "ready") return hasEnded ? "unrun" : "queued";
  return status;
}

/** A node as derived from the snapshot alone. */
type BareNode = Omit<FlowNode, "tries">;

export interface NodeTally {
  done: number;
  nodes: number;
  /** Items of fan-outs. */
  itemsDone: number;
  items: number;
}

/** Counts the finished nodes as the picture of the run shows them. */
export function nodeTally(snapshot: Snapshot): NodeTally {
  const nodes = withEmptyFanOuts(nodesOf(snapshot), snapshot);
  const sum = (count: (node: BareNode) => number): number => nodes.reduce((all, node) => all + count(node), 0);
  return {
    done: sum(({ status }) => (status === "done" ? 1 : 0)),
    nodes: nodes.length,
    itemsDone: sum(({ counts }) => counts?.get("done") ?? 0),
    items: sum(({ items }) => items.length),
  };
}

/** In the order of the edges, which is that of the definition. */
function nodesOf(snapshot: Snapshot): BareNode[] {
  const groups = new Map<string, NodeRow[]>();
  for (const name of snapshot.edges.flat()) groups.set(name, []);
  for (const row of snapshot.nodes) {
    const name = row.id.split(/[/#]/, 1)[0] as string;
    const rows = groups.get(name);
    if (rows) rows.push(row);
    else groups.set(name, [row]);
  }
  const hasEnded = snapshot.finished_ms !== null;
  return [...groups].map(([name, rows]) => {
    const children = snapshot.children.filter(({ node }) => node?.split(/[/#]/, 1)[0] === name);
    return { ...nodeOf(name, rows, hasEnded), children: children.map(childOf) };
  });
}

/** An empty fan-out has no rows in the snapshot. It is done if one of its successors has started. */
function withEmptyFanOuts(nodes: readonly BareNode[], { nodes: rows, edges }: Snapshot): BareNode[] {
  const known = new Set(rows.map(({ id }) => id.split(/[/#]/, 1)[0]));
  const begun = new Set(nodes.filter(({ startedMs }) => startedMs !== null).map(({ name }) => name));
  const isEmpty = (name: string): boolean =>
    !known.has(name) && edges.some(([from, to]) => from === name && begun.has(to));
  return nodes.map((node) => (isEmpty(node.name) ? { ...node, status: "done", counts: new Map() } : node));
}

function childOf({ graph_id, worker, status }: Snapshot["children"][number]): FlowNode["children"][number] {
  return { id: graph_id, worker, status: status === "pending" ? "queued" : status };
}

function nodeOf(name: string, rows: readonly NodeRow[], hasEnded: boolean): Omit<BareNode, "children"> {
  const own = rows.find(({ id }) => id === name);
  const inner = rows.filter(({ id }) => id.includes("#")).map((row) => partOf(row, name, hasEnded));
  if (own) {
    return {
      ...timesOf([own]),
      name,
      worker: own.worker,
      status: nodeStatus(own.status, hasEnded),
      attempts: own.attempts,
      dueMs: dueOf([own, ...rows]),
      message: own.error?.message,
      resultBytes: own.result_bytes ?? undefined,
      counts: undefined,
      items: [],
      inner,
    };
  }
  const itemRows = rows.filter(({ id }) => !id.includes("#")).sort((a, b) => numberOf(a) - numberOf(b));
  const counts = countsOf(itemRows, hasEnded);
  return {
    ...timesOf(itemRows),
    name,
    worker: itemRows[0]?.worker ?? name,
    status: itemRows.length === 0 ? (hasEnded ? "unrun" : "queued") : sumOf(counts),
    attempts: itemRows.reduce((sum, { attempts }) => sum + attempts, 0),
    dueMs: dueOf(rows),
    message: itemRows.find(({ status, error }) => status === "failed" && error)?.error?.message,
    resultBytes: listBytes(itemRows),
    counts: itemRows.length === 0 ? undefined : counts,
    items: itemRows.map((row) => partOf(row, name, hasEnded)),
    inner,
  };
}

/** Size of a fan-out's result list, once all items have ended. */
function listBytes(rows: readonly NodeRow[]): number | undefined {
  if (rows.some(({ finished_ms }) => finished_ms === null)) return undefined;
  const bytes = rows.flatMap(({ result_bytes }) => result_bytes ?? []);
  // Brackets around the list, and a comma between two items.
  return bytes.length === 0 ? undefined : bytes.reduce((sum, each) => sum + each, bytes.length + 1);
}

function numberOf({ id }: NodeRow): number {
  return Number(id.slice(id.lastIndexOf("/") + 1));
}

function partOf(row: NodeRow, name: string, hasEnded: boolean): FlowPart {
  return {
    id: row.id,
    label: row.id.slice(name.length + 1),
    kind: row.id.includes("#") ? row.kind : "item",
    status: nodeStatus(row.status, hasEnded),
    startedMs: row.started_ms,
    finishedMs: row.finished_ms,
    message: row.error?.message,
  };
}

function timesOf(rows: readonly NodeRow[]): Pick<FlowNode, "startedMs" | "finishedMs"> {
  const started = rows.flatMap(({ started_ms }) => started_ms ?? []);
  const finished = rows.flatMap(({ finished_ms }) => finished_ms ?? []);
  return {
    startedMs: started.length === 0 ? null : started.reduce((least, ms) => Math.min(least, ms)),
    finishedMs: finished.length < rows.length || rows.length === 0 ? null : finished.reduce((a, b) => Math.max(a, b)),
  };
}

/** The earliest time at which one of them continues. */
function dueOf(rows: readonly NodeRow[]): number | null {
  const due = rows.flatMap(({ status, due_ms }) =>
    due_ms !== null && (status === "waiting" || status === "retrying") ? due_ms : [],
  );
  return due.length === 0 ? null : due.reduce((least, ms) => Math.min(least, ms));
}

/** The most urgent statuses first. */
const ORDER: readonly FlowStatus[] = [
  "failed",
  "uncompensated",
  "running",
  "retrying",
  "compensating",
  "cancelling",
  "waiting",
  "paused",
  "queued",
  "done",
  "cancelled",
  "compensated",
  "skipped",
  "unrun",
];

function countsOf(rows: readonly NodeRow[], hasEnded: boolean): Map<FlowStatus, number> {
  const counts = new Map<FlowStatus, number>();
  for (const { status } of rows) {
    const shown = nodeStatus(status, hasEnded);
    counts.set(shown, (counts.get(shown) ?? 0) + 1);
  }
  return new Map([...counts].sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b)));
}

/** Active items take precedence over ended ones: a fan-out has failed only when none of its items is active. */
function sumOf(counts: ReadonlyMap<FlowStatus, number>): FlowStatus {
  const open = ACTIVE.find((each) => counts.has(each));
  // Some items have ended and the rest are queued, so the fan-out is running.
  if (open === "queued" && counts.size > 1) return "running";
  return open ?? WORST.find((each) => counts.has(each)) ?? "queued";
}

/** Status of an ended fan-out: the worst of its items. */
const WORST: readonly FlowStatus[] = [
  "failed",
  "uncompensated",
  "cancelled",
  "unrun",
  "compensated",
  "done",
  "skipped",
];

const ACTIVE: readonly FlowStatus[] = [
  "running",
  "retrying",
  "compensating",
  "cancelling",
  "waiting",
  "paused",
  "queued",
];

const OPEN: ReadonlySet<FlowStatus> = new Set(["queued", "paused"]);
const NEVER: ReadonlySet<FlowStatus> = new Set(["skipped", "unrun", "cancelled"]);

function edgeState(from: FlowNode | undefined, to: FlowNode | undefined): FlowEdge["state"] {
  if (!from || !to || NEVER.has(from.status) || NEVER.has(to.status)) return "untaken";
  return OPEN.has(to.status) ? "open" : "taken";
}

/** The state of a node as text: "waits for approval", "running, try 2 of 3". */
export function nodeWord({ status, attempts, tries, counts, inner }: FlowNode): string {
  const { word } = STATUS_LOOKS[status];
  const deferred = status === "waiting" ? inner.find((part) => part.status === "waiting") : undefined;
  if (deferred?.kind === "wait") return `waits for ${deferred.label}`;
  if (deferred?.kind === "sleep") return "sleeping";
  if (deferred?.kind === "child") return "waits for child run";
  if (attempts < 2 || counts !== undefined || status === "queued") return word;
  // For a finished node the limit does not matter, and manual retries may exceed it.
  const most = tries !== undefined && attempts <= tries && status !== "done" ? ` of ${tries}` : "";
  return `${word}, try ${attempts}${most}`;
}

/** "5 of 8 nodes done, 1 failed: charge-card". */
export function summaryText({ nodes }: FlowView): string {
  const named = (status: FlowStatus): string[] =>
    nodes.filter((node) => node.status === status).map(({ name }) => name);
  const counts = (
    ["failed", "uncompensated", "running", "retrying", "waiting", "compensating", "skipped", "unrun"] as const
  ).flatMap((status) => {
    const names = named(status);
    const list = names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
    return names.length === 0 ? [] : [`${names.length} ${SUMMARY_WORDS[status]}: ${list}`];
  });
  const torn = nodes.filter(({ status, counts }) => status !== "failed" && counts?.has("failed"));
  const items = torn.map(({ name, counts }) => `${counts?.get("failed")} failed in ${name}`);
  return [
    `${named("done").length} of ${nodes.length} ${nodes.length === 1 ? "node" : "nodes"} done`,
    ...counts,
    ...items,
  ].join(", ");
}

const SUMMARY_WORDS = {
  failed: "failed",
  uncompensated: "not compensated",
  running: "running",
  retrying: "retrying",
  waiting: "waiting",
  compensating: "compensating",
  skipped: "skipped",
  unrun: "not run",
} as const;
