/** Rows of runs: the run, its nodes, its events and its signals. */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphOrigin, RunStatus } from "../../platform/shared/wire.ts";
import type { Attributes } from "./attributes.ts";

/** The detailed state behind the status on the wire. */
export type GraphPhase =
  | "queued"
  | "running"
  | "pausing"
  | "paused"
  /** This build can't execute it; a build with its definition continues it. */
  | "parked"
  | "cancelling"
  | "done"
  | "failed";

/** Whether a run has ended: only a retry continues it. */
export function hasEnded({ phase }: { readonly phase: GraphPhase }): boolean {
  return phase === "done" || phase === "failed";
}

/** `parked`: not a failure, but the reason why a run does not continue. */
export type FailureReason = "error" | "timeout" | "cancelled" | "poison" | "parked";

export interface Failure {
  message: string;
  reason: FailureReason;
  node?: string;
}

/** Origin of an error, for operators. */
export interface FailureOrigin {
  /** `Error: connect ECONNREFUSED 10.0.0.7:5432`: its causes, the nearest first. */
  causes: string[];
  /** `src/charge.ts:12:9`, within the app's folder; absent if the stack has none of its code. */
  place?: string;
}

/** A node's stored failure. The public form has no origin, because many can read it. */
export interface NodeFailure extends Failure {
  origin?: FailureOrigin;
  /** Of a step, for the worker that catches the error again after a restart. */
  thrown?: { name: string; isFinal: boolean; retryAfter?: string | number };
}

/** The public form. */
export function withoutOrigin({ message, reason, node }: Failure): Failure {
  return { message, reason, ...(node !== undefined && { node }) };
}

/** Kind and name of a run's origin: the schedule `nightly`, the action `placeOrder`. */
export interface Origin {
  kind: GraphOrigin;
  name?: string;
  /** Of an event: when it was sent, Unix milliseconds. */
  sentMs?: number;
}

export interface GraphRow {
  id: string;
  /** Name of the started graph or worker. */
  worker: string;
  status: RunStatus;
  phase: GraphPhase;
  /** Counts executions of the run: 1, plus one for each retry. Part of every fence. */
  epoch: number;
  /** Counts pauses, so that each pause has its own webhook. */
  pauseNo: number;
  input: Json;
  result: Json | undefined;
  error: Failure | undefined;
  progress: { value: number; note?: string } | undefined;
  tags: string[];
  idempotencyKey: string | undefined;
  /** Hash of the definition with which it was started. */
  definition: string;
  createdMs: number;
  /** Earliest start. */
  dueMs: number;
  startedMs: number | undefined;
  finishedMs: number | undefined;
  /** Higher runs first among runs that wait for the same worker; default 0. */
  priority: number;
  /** Run and node that started this one. */
  parentGraph: string | undefined;
  parentNode: string | undefined;
  /** The run of which this one is a fork. */
  forkedFrom: string | undefined;
  /** Version of the definition at the start. */
  version: string | undefined;
  /** Longest duration of the run, and its deadline. */
  timeoutMs: number | undefined;
  deadlineMs: number | undefined;
  /** One-line summary by its author. */
  summary: string | undefined;
  /** Undefined for a run of an older version. */
  origin: Origin | undefined;
  /** Key under which it counts for its graph's `concurrency`; undefined without a limit. */
  concurrencyKey: string | undefined;
  /** Runs that wait for a key start in this order. */
  queuePosition: number | undefined;
  /** Time at which its key was free. It counts for the key from then until it ends. */
  admittedMs: number | undefined;
  /** Time after which it no longer waits for its key. */
  expiresMs: number | undefined;
  /** Runs that wait for the same key share it fairly by this one; undefined without `fairness`. */
  fairnessKey: string | undefined;
  /** Share that this run uses up: 1 divided by its weight. */
  fairnessCost: number | undefined;
  /** Values by which runs are searched; undefined: none. */
  attributes: Attributes | undefined;
}

/** Columns by which runs are searched, without input and result, which may be long. */
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
  "attributes",
] as const satisfies readonly (keyof GraphRow)[];
export type GraphHead = Pick<GraphRow, (typeof HEAD_KEYS)[number]>;

/** Columns of a child run for its parent, without long values. */
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

/** Which call of a worker's context has recorded an outcome under a key. */
export type StepKind = "step" | "tx" | "artifact";

/** Kind of a node row: a node of the definition, or a step. */
export type NodeKind = "node" | StepKind | "sleep" | "wait" | "event" | "child";

export type NodeStatus =
  | "pending"
  | "ready"
  | "running"
  | "retrying"
  | "waiting"
  | "done"
  | "failed"
  | "skipped"
  /** The worker's `onCancel` has not returned yet. */
  | "cancelling"
  | "cancelled"
  /** The worker's `compensate` is running; has succeeded; has failed. */
  | "compensating"
  | "compensated"
  | "uncompensated";

export interface NodeRow {
  graphId: string;
  /** `parse`, `inspect/12` for an item of a fan-out, `parse#key` for a step of `parse`. */
  id: string;
  worker: string;
  kind: NodeKind;
  status: NodeStatus;
  /** Attempts in this epoch. */
  attempt: number;
  /** Number of process crashes while this node ran. */
  crashes: number;
  epoch: number;
  /** Ids of the nodes it depends on. */
  after: string[];
  input: Json | undefined;
  result: Json | undefined;
  error: NodeFailure | undefined;
  startedMs: number | undefined;
  finishedMs: number | undefined;
  /** Due time of a retry or a sleep; for a node that will be compensated, since when it may be tried. */
  dueMs: number | undefined;
  /**
   * Number of the event of its end, if it may be compensated: the last one is first. 0: copied by a fork. For a step: the order in which a
   * later attempt gets its outcome; undefined in rows of older versions.
   */
  doneSeq: number | undefined;
  /** State that the worker keeps between attempts. */
  state: Json | undefined;
  /** Epoch in its idempotency keys. Undefined: `epoch`. A retry keeps it, unless the node was compensated. */
  keyEpoch: number | undefined;
  /** Name of the event for which it waits. Undefined for other kinds, and once it has ended. */
  awaits: string | undefined;
}

/** A node in lists: without input, result and state, which may be long. */
export interface NodeHead extends Omit<NodeRow, "input" | "result" | "state"> {
  /** Size of its result as JSON; undefined without one, or if it is null. */
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
  | "attributes"
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

/** A run with all data that its execution needs, from one moment. */
export interface StoredGraph {
  row: GraphRow;
  /** By id. */
  nodes: NodeRow[];
  /** Number of the last event; 0 without one. */
  lastSeq: number;
  /** Signals that no node has received, oldest first. */
  signals: SignalRow[];
}

/**
 * How a list reads values that are objects in a bucket. "read": the reason takes the place of a value that is lost, or whose key is missing;
 * "required": it fails the call; "noted": a note of the size takes the place of every object.
 */
export type LargeValues = "read" | "required" | "noted";

/** A part of a run's nodes, in the order of their ids. */
export interface NodeSlice {
  limit: number;
  /** Id of the last node of the previous slice. Default: from the first node. */
  after?: string;
}

/** A run in lists, from one moment. */
export interface ListedGraph extends Pick<StoredGraph, "row" | "lastSeq"> {
  /** By id: all, or the requested slice. */
  nodes: NodeHead[];
}

export type NewEvent = Omit<GraphEvent, "seq">;

/** A signal, stored until a node receives it, and afterwards for its idempotency key. */
export interface SignalRow {
  graphId: string;
  /** Number of its event. */
  seq: number;
  name: string;
  payload: Json;
  /** Idempotency key; unique in its graph. */
  key: string | undefined;
  /** The sender. */
  actor: string | undefined;
  createdMs: number;
  /** Id of the node that received it; empty: no node could, and it is dropped. */
  node: string | undefined;
}
