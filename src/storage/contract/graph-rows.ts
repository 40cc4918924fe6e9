/** The rows of graphs: a graph, its nodes, its events, and what it was told from outside. */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphOrigin, GraphStatus } from "../../platform/shared/wire.ts";

/** Finer truth behind the wire status. */
export type GraphPhase = "queued" | "running" | "pausing" | "paused" | "cancelling" | "done" | "failed";

/** Whether a graph has ended: only a retry leads on from there. */
export function hasEnded({ phase }: { readonly phase: GraphPhase }): boolean {
  return phase === "done" || phase === "failed";
}

export type FailureReason = "error" | "timeout" | "cancelled" | "poison";

export interface Failure {
  message: string;
  reason: FailureReason;
  node?: string;
}

/** Where an error comes from, for those who run the app. */
export interface FailureOrigin {
  /** `Error: connect ECONNREFUSED 10.0.0.7:5432`: what it was caused by, the nearest first. */
  causes: string[];
  /** `src/charge.ts:12:9`, within the folder of the app; absent where no code of it was under way. */
  place?: string;
}

/** What a node keeps of its failure. What is told of it has no origin: many may hear that. */
export interface NodeFailure extends Failure {
  origin?: FailureOrigin;
}

/** What is told of it. */
export function withoutOrigin({ message, reason, node }: Failure): Failure {
  return { message, reason, ...(node !== undefined && { node }) };
}

/** What started a graph, and which one of its kind: the schedule `nightly`, the action `placeOrder`. */
export interface Origin {
  kind: GraphOrigin;
  name?: string;
}

export interface GraphRow {
  id: string;
  /** Name of the graph or worker that was started. */
  worker: string;
  status: GraphStatus;
  phase: GraphPhase;
  /** Counts runs of the whole graph: 1, and one more at each retry. Part of every fence. */
  epoch: number;
  /** Counts pauses, so that each pause has its own webhook. */
  pauseNo: number;
  input: Json;
  result: Json | undefined;
  error: Failure | undefined;
  progress: { value: number; note?: string } | undefined;
  tags: string[];
  idempotencyKey: string | undefined;
  /** Hash of the definition the graph was started with. */
  definition: string;
  createdMs: number;
  /** Not before this time. */
  dueMs: number;
  startedMs: number | undefined;
  finishedMs: number | undefined;
  /** Higher goes first where graphs wait for the same worker; 0 unless it was asked for. */
  priority: number;
  /** The graph whose node started this one, and that node. */
  parentGraph: string | undefined;
  parentNode: string | undefined;
  /** The graph this one is a fork of. */
  forkedFrom: string | undefined;
  /** As the definition named it at the start. */
  version: string | undefined;
  /** Longest the graph may take, and when that is over. */
  timeoutMs: number | undefined;
  deadlineMs: number | undefined;
  /** What its author says of it, for lists. */
  summary: string | undefined;
  /** Undefined for a graph from before this was kept. */
  origin: Origin | undefined;
}

/** What a graph is found by. What it was given and gave is not of it: that may be long. */
export const HEAD_KEYS = [
  "id",
  "worker",
  "status",
  "tags",
  "error",
  "parentGraph",
  "startedMs",
  "finishedMs",
  "summary",
  "origin",
] as const satisfies readonly (keyof GraphRow)[];
export type GraphHead = Pick<GraphRow, (typeof HEAD_KEYS)[number]>;

/** What is told of a graph to the one that started it; nothing that may be long. */
export const CHILD_KEYS = [
  "id",
  "worker",
  "status",
  "phase",
  "epoch",
  "idempotencyKey",
  "parentGraph",
  "parentNode",
] as const satisfies readonly (keyof GraphRow)[];
export type ChildRow = Pick<GraphRow, (typeof CHILD_KEYS)[number]>;

/** What a row of a node stands for: a node of the definition, or something its worker did that is remembered. */
export type NodeKind = "node" | "step" | "sleep" | "wait" | "child";

export type NodeStatus =
  | "pending"
  | "ready"
  | "running"
  | "retrying"
  | "waiting"
  | "done"
  | "failed"
  | "skipped"
  /** Its worker's `onCancel` is still to return. */
  | "cancelling"
  | "cancelled"
  /** Its worker's `compensate` takes back what it did; has; could not. */
  | "compensating"
  | "compensated"
  | "uncompensated";

export interface NodeRow {
  graphId: string;
  /** `parse`, `inspect/12` for an item of a fan-out, `parse#key` for what the worker of `parse` did under that key. */
  id: string;
  worker: string;
  kind: NodeKind;
  status: NodeStatus;
  /** Attempts begun in this epoch. */
  attempt: number;
  /** Times the process died while this node ran. */
  crashes: number;
  epoch: number;
  /** Ids of the nodes this one waits for. */
  after: string[];
  input: Json | undefined;
  result: Json | undefined;
  error: NodeFailure | undefined;
  startedMs: number | undefined;
  finishedMs: number | undefined;
  /** When a retry or a sleep is due; of what is to be undone, since when it may be tried, until it is. */
  dueMs: number | undefined;
  /** Number of the event with which it was done, where it may have to be compensated: the last goes first. 0: by the graph that this is a fork of. */
  doneSeq: number | undefined;
  /** What the worker keeps from one attempt to the next. */
  state: Json | undefined;
}

/** A node as lists show it: without what it was given, what it gave and what it keeps, which may be long. */
export interface NodeHead extends Omit<NodeRow, "input" | "result" | "state"> {
  /** Of its result as JSON; undefined where there is none, or it is null. */
  resultBytes: number | undefined;
}

export type GraphEventType =
  | "graph.queued"
  | "graph.started"
  | "graph.pausing"
  | "graph.paused"
  | "graph.resumed"
  | "graph.signal"
  | "graph.cancelling"
  | "graph.done"
  | "graph.failed"
  | "node.ready"
  | "node.started"
  | "node.done"
  | "node.failed"
  | "node.retrying"
  | "node.waiting"
  | "node.skipped"
  | "node.cancelled"
  | "node.compensating"
  | "node.compensated"
  | "node.uncompensated"
  | "node.discarded"
  | "progress"
  | "summary"
  | "log"
  | "custom";

export interface GraphEvent {
  graphId: string;
  /** From 1, without gaps. */
  seq: number;
  type: GraphEventType;
  node?: string;
  timestampMs: number;
  data?: Json;
}

/** A graph with what taking it up needs, all of one moment. */
export interface StoredGraph {
  row: GraphRow;
  /** In order of their ids. */
  nodes: NodeRow[];
  /** Number of the last event; 0 before there is one. */
  lastSeq: number;
  /** Signals that no node has taken, oldest first. */
  signals: SignalRow[];
}

/** A graph as lists show it, all of one moment. */
export interface ListedGraph extends Pick<StoredGraph, "row" | "lastSeq"> {
  /** In order of their ids. */
  nodes: NodeHead[];
}

export type NewEvent = Omit<GraphEvent, "seq">;

/** Something a graph was told from outside: kept until a node takes it, and after, so that its key is known. */
export interface SignalRow {
  graphId: string;
  /** Number of the event that told of it. */
  seq: number;
  name: string;
  payload: Json;
  /** Idempotency key; unique in its graph. */
  key: string | undefined;
  /** Who sent it. */
  actor: string | undefined;
  createdMs: number;
  /** Id of the node that took it; empty: nobody could, and it is done with. */
  node: string | undefined;
}
