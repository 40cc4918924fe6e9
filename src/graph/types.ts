/** What users of graphs see: definitions, the worker context, the engine. */
import type { Duration } from "../shared/clock.ts";
import type { Json } from "../shared/json.ts";
import type { Failure, GraphEvent, GraphPhase, NodeRow } from "../store/graph-rows.ts";
import type { GraphQuery, Page, PurgeQuery } from "../store/queries.ts";
import type { OutboxRow } from "../store/webhook-rows.ts";
import type { GraphStatus, WebhookEvent } from "../shared/wire.ts";
import type { DurableCalls } from "./context-types.ts";
import type { RetryPolicy } from "./retry.ts";
import type { ToolCalls } from "./worker-tools.ts";

/** A limit of its own for each key. */
export interface KeyedConcurrency<Input = unknown> {
  /** How many of one key may run at once. */
  limit: number;
  /** Of a node's input: a tenant, an account. Those with one key wait for each other and let the rest pass. */
  key: (input: Input) => string;
  /** How many may run at once, of all keys. Default 16. */
  total?: number;
}

export interface Rate<Input = unknown> {
  /** Starts within any stretch of `per`, wherever it begins. */
  limit: number;
  per: Duration;
  /** Of a node's input; each key has its own limit. Default: one for all. */
  key?: (input: Input) => string;
}

/** Handed to `onCancel` and `compensate`. What they write is told of the graph, and kept, as a worker's is. */
export interface UndoContext<Input = unknown> extends Pick<
  WorkerContext,
  "graphId" | "nodeId" | "epoch" | "signal" | "heartbeat" | "log" | "emit" | "idempotencyKey" | keyof ToolCalls
> {
  /** What the worker was called with. */
  readonly input: Input;
  /** 1 for the first try to undo it. */
  readonly attempt: number;
  /** Why the graph is undone. */
  readonly failure: Failure;
}

export interface IsolateOptions {
  /**
   * The module that declares the worker: `import.meta.url` there. A thread loads it anew, with all it imports; it must be
   * JavaScript, or such TypeScript as this Node loads.
   */
  module: string | URL;
  /** Memory of the heap of one attempt's thread; who needs more fails. Default: Node's own limit. */
  memoryMb?: number;
}

export interface WorkerOptions<Input = unknown, Output = unknown> {
  retry?: RetryPolicy;
  /** Longest one attempt may run; then it is aborted and counts as failed. Default: none. */
  timeout?: Duration;
  /**
   * Longest an attempt may be silent: no step, log, event, progress or `ctx.heartbeat()`; then it is aborted as by a
   * timeout. Default: none.
   */
  heartbeat?: Duration;
  /** How many of this worker may run at once in this process. Default 16. */
  concurrency?: number | KeyedConcurrency<Input>;
  /** How many attempts may start in a time, in this process. What waits for it holds up nothing else. Default: any number. */
  rate?: Rate<Input>;
  /**
   * Beside that of the graph's start: who waits for a place is served as if a minute longer in line for each point, so that
   * nothing starves. A whole number from -1000 to 1000; default 0. Between workers it counts where the engine has a
   * `concurrency` of its own.
   */
  priority?: number;
  /**
   * Runs attempts in a thread of their own: what blocks or fills the memory there does not touch the server, and an attempt
   * that is over its time or cancelled is ended at once, whatever it does. `onCancel` and `compensate` run beside the
   * server. Default: no thread.
   */
  isolate?: IsolateOptions;
  /** Of the worker where it is started alone (see the graph's `version`). Default: none. */
  version?: string;
  /**
   * Called when the graph is cancelled, or fails, while a node of this worker is under way: between attempts too, and
   * perhaps while code that ignores its signal still runs. Tried again as `retry` says.
   */
  onCancel?: (ctx: UndoContext<Input>) => unknown;
  /**
   * Takes back what a node that is done has done, when its graph is cancelled or fails: the last that was done first, one
   * after the other. Tried again as `retry` says; it may run twice, as the worker may.
   */
  compensate?: (ctx: UndoContext<Input>, result: Output) => unknown;
}

/** Those of some worker, whatever it takes and gives. */
export type AnyOptions = WorkerOptions<never, never>;

/**
 * Handed to a worker. What it tells is durable at once, what it returns with the node's commit.
 * @typeParam State what the worker keeps in `ctx.state`.
 */
export interface WorkerContext<State extends object = Record<string, Json>> extends DurableCalls<State>, ToolCalls {
  readonly graphId: string;
  readonly nodeId: string;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly epoch: number;
  /** Aborts on cancel, timeout, shutdown. */
  readonly signal: AbortSignal;
  /** Results of the nodes this one waits for, by node name; a fan-out gives an array in item order. */
  readonly deps: Readonly<Record<string, Json>>;
  /** Stable over retries: hand it to outside APIs. */
  idempotencyKey(part?: string): string;
  /** Tells that the work goes on (see the worker's `heartbeat`). Writes nothing. */
  heartbeat(): void;
  log(level: "debug" | "info" | "warn" | "error", message: string): void;
  /** 0 to 1. Written at most 10 times a second; 0 and 1 always. */
  progress(value: number, note?: string): void;
  emit(name: string, data?: Json): void;
}

/** `Input` and `Output` must survive JSON; a value that does not is a failed node that says so. */
export type WorkerRun<Input, Output, State extends object = Record<string, Json>> = (
  input: Input,
  ctx: WorkerContext<State>,
) => Output | Promise<Output>;

export interface Worker<Input = unknown, Output = unknown> {
  readonly kind: "worker";
  readonly name: string;
  readonly options: AnyOptions;
  readonly run: WorkerRun<Input, Output>;
  /** Where its work is another graph. */
  readonly graph?: GraphDefinition;
}

/** A node inside a definition; carries the type of its result. */
export interface NodeRef<Output = unknown> {
  readonly name: string;
  readonly output?: Output;
}

export interface GraphDefinition<Input = unknown, Output = unknown> {
  readonly kind: "graph";
  readonly name: string;
  readonly nodes: readonly NodeDefinition[];
  /** Name of the node whose result is the graph's; absent: the results of the last nodes by name. */
  readonly output?: string;
  /** Over names, workers and order: tells whether a running graph was started with this definition. */
  readonly hash: string;
  readonly options: GraphOptions;
  readonly types?: { input: Input; output: Output };
}

export interface GraphOptions {
  /** Longest from its start to its end; then it fails. Not counted while it is paused. Default: none. */
  timeout?: Duration;
  /**
   * What becomes of nodes that run when another has failed for good: `fail-fast` (default) aborts them, `drain` lets them end
   * and keeps their results.
   */
  onError?: "fail-fast" | "drain";
  /** Longest that `onCancel` and `compensate` of all its nodes may take; what is left then is recorded. Default "5m". */
  undoTimeout?: Duration;
  /** How long a graph is kept once it has finished. Default: the engine's. */
  retention?: Duration;
  /**
   * Tells this definition from earlier ones of its name, of which graphs may still be under way. An app may have several
   * versions of a name: each graph goes on with the one it was started with, and new ones start with the last of the list. A
   * graph whose version is not there waits, and the log says so. Default: none.
   */
  version?: string;
}

export interface NodeDefinition {
  readonly name: string;
  readonly worker: Worker<never, unknown>;
  readonly after: readonly string[];
  /** Input of the node from the graph's input and the results before it. */
  readonly input: (graphInput: Json, deps: Record<string, Json>) => unknown;
  /** Asked when the node's turn has come: false skips it. Default: it runs. */
  readonly when?: (graphInput: Json, deps: Record<string, Json>) => unknown;
  /** Whether the graph goes on where this node, or an item of it, has failed for good. */
  readonly mayFail: boolean;
  /** In place of the worker's. */
  readonly retry?: RetryPolicy;
  readonly timeout?: Duration;
  /** Fan-out: one node per item. */
  readonly map?: FanOut;
}

export interface FanOut {
  readonly from: string;
  readonly items: (result: Json) => readonly unknown[];
  /** How many items may be under way at once, those that wait for a retry included. */
  readonly concurrency: number;
}

/** The snapshot of contract section 4. Times in Unix milliseconds. */
export interface Snapshot {
  graph_id: string;
  worker: string;
  /** Of the definition it was started with. */
  version: string | null;
  status: GraphStatus;
  phase: GraphPhase;
  epoch: number;
  input: Json;
  result: Json;
  error: Failure | null;
  progress: { value: number; note?: string } | null;
  tags: string[];
  nodes: {
    /** `parse`, `inspect/12` for an item of a fan-out, `parse#fetch` for what a worker did under that key. */
    id: string;
    kind: NodeRow["kind"];
    worker: string;
    status: NodeRow["status"];
    attempts: number;
    started_ms: number | null;
    finished_ms: number | null;
    /** Until when it sleeps or waits, or when it is tried again. */
    due_ms: number | null;
    error: Failure | null;
  }[];
  /** Pairs `[from, to]` of node ids of the definition; a fan-out appears once, by its name. */
  edges: [string, string][];
  /** The graph whose node started this one. */
  parent: { graph_id: string; node: string | null } | null;
  /** Those that nodes of this one started, oldest first. */
  children: { graph_id: string; node: string | null; worker: string; status: GraphStatus }[];
  forked_from: string | null;
  created_ms: number;
  /** Not before this time. */
  due_ms: number;
  started_ms: number | null;
  finished_ms: number | null;
  /** Sequence number of the last event in this snapshot: subscribe after it. */
  last_seq: number;
}

/** A node with all that is kept of it. */
export type NodeDetail = Snapshot["nodes"][number] & {
  /** The run of the graph it belongs to: 1, and one more for each retry. */
  epoch: number;
  /** null until it has begun; of past nodes only what a fan-out or a fork gave them. */
  input: Json;
  result: Json;
  /** What its worker keeps from one attempt to the next. */
  state: Json;
};

export interface EventsQuery {
  /** Events with a higher number only. Default 0. */
  after?: number;
  /** Default 1,000. */
  limit?: number;
}

/** Who steers a graph by hand, and why: kept in the event of the step, for whoever asks later. */
export interface Steering {
  /** `operator`, a user's id. Default: nobody is named. */
  by?: string;
  /** Why, in a few words. */
  note?: string;
  /** The client's address: kept in the audit trail, not told in events. */
  address?: string;
}

/** `by` is kept in the event `graph.queued`; a start with a `note` is in the audit trail too, as something done by hand. */
export interface StartOptions extends Steering {
  /** The same key again, for the same name, is the same graph. */
  idempotencyKey?: string;
  /** Not before that many milliseconds from now. */
  delayMs?: number;
  /** Added to the workers' (see there). A whole number from -1000 to 1000; default 0. */
  priority?: number;
  /** Not before this time, Unix milliseconds; `delayMs` counts from it. One that is over is now. */
  at?: number;
  tags?: string[];
  /** The graph that this one belongs to, and which of its nodes: shown in both, and found by. */
  parent?: { graphId: string; node?: string };
}

export interface PauseOptions extends Steering {
  /**
   * How long nodes that run may go on: to their end, or their next step. Then they are aborted and begin again when the
   * graph is resumed; the attempt does not count. Default: as long as they take.
   */
  graceMs?: number;
}

export interface RetryOptions extends Steering {
  /**
   * A node, or an item of a fan-out such as `inspect/3`: it runs again, and all that comes after it, also in a graph that
   * is done. What they came to before is kept (`pastNodes`). Default: all that is not done, in a graph that has failed.
   */
  from?: string;
}

export interface ForkOptions extends Steering {
  /** The first node to run in the new graph; results of those it doesn't come after are copied. */
  from: string;
  /** Input of that node, in place of what its definition makes. */
  input?: Json;
}

export interface SignalOptions extends Steering {
  /** Sent once for each key, however often it is called. */
  idempotencyKey?: string;
}

/** What the outbox needs to know of a transition that sends webhooks. */
export interface LifecycleEvent {
  event: WebhookEvent;
  graphId: string;
  worker: string;
  status: GraphStatus;
  timestampMs: number;
  durationMs: number;
  result: Json | undefined;
  error: Failure | undefined;
  epoch: number;
  pauseNo: number;
}

/** An attempt of a node that has ended, for those who count or trace. */
export interface AttemptReport {
  graphId: string;
  node: string;
  worker: string;
  epoch: number;
  attempt: number;
  startedMs: number;
  endedMs: number;
  outcome: "done" | "failed" | "timeout" | "aborted";
  /** Of what failed. */
  message: string | undefined;
}

/** Attempts of one worker in this process, at this moment. */
export interface LaneReport {
  worker: string;
  running: number;
  /** Ready, and without a place yet. */
  waiting: number;
  /** Since when the first of them has waited; absent where none waits. */
  sinceMs?: number;
}

/** Given by the webhooks layer: the rows to write in the transition's own transaction. */
export type OutboxRows = (event: LifecycleEvent) => OutboxRow[];

/** Starts a graph again and again. */
export interface ScheduleDefinition {
  name: string;
  /** Five fields as in "30 2 * * *", six with seconds in front, or a name such as "@daily". */
  cron: string;
  /** Whose clock on the wall counts: "Europe/Berlin". Default "UTC". */
  timeZone?: string;
  /** Name of the graph or worker to start. */
  worker: string;
  /** Default: `{ schedule, scheduled_ms }`, its name and the time the run is for. */
  input?: Json;
  /** What becomes of times that were missed while nothing ran: none, the last, or all of them (1,000 at most). Default "last". */
  catchUp?: "none" | "last" | "all";
  /** What becomes of a time at which the last graph is still under way. Default "skip". */
  overlap?: "skip" | "allow";
}

/** A schedule as the API shows it. */
export interface ScheduleView {
  name: string;
  worker: string;
  cron: string;
  time_zone: string;
  input: Json;
  catch_up: "none" | "last" | "all";
  overlap: "skip" | "allow";
  /** Where it was defined: in the app's code, or over the API. */
  source: "app" | "api";
  paused: boolean;
  /** null while it is paused, and where no time is left. */
  next_ms: number | null;
  last_ms: number | null;
  last_graph_id: string | null;
  created_ms: number;
  updated_ms: number;
}

export interface Schedules {
  /** @throws SvcError `SVC_INVALID`; `SVC_TRANSITION` for one that the app's code defines. */
  upsert(definition: ScheduleDefinition, steering?: Steering): Promise<ScheduleView>;
  /** @throws SvcError `SVC_NOT_FOUND`; `SVC_TRANSITION` for one that the app's code defines. */
  remove(name: string, steering?: Steering): Promise<void>;
  get(name: string): Promise<ScheduleView | undefined>;
  /** By name. */
  list(): Promise<ScheduleView[]>;
  pause(name: string, steering?: Steering): Promise<ScheduleView>;
  /** Goes on with the next time to come. */
  resume(name: string, steering?: Steering): Promise<ScheduleView>;
  /** Starts its graph now, whatever the time and whatever is under way. */
  trigger(name: string, options?: Steering & { idempotencyKey?: string }): Promise<Snapshot>;
}

/** What waits for a worker, and runs, in this process. */
export interface QueueView {
  worker: string;
  paused: boolean;
  paused_ms: number | null;
  paused_by: string | null;
  note: string | null;
  running: number;
  waiting: number;
  /** How long the one that has waited longest of those that are next has. */
  oldest_ms: number | null;
}

export interface Queues {
  /** By worker; those of graphs are among them. */
  list(): Promise<QueueView[]>;
  /** No node of this worker starts, in whatever graph, until it is resumed; what runs goes on. Holds over a restart. */
  pause(worker: string, steering?: Steering): Promise<QueueView>;
  resume(worker: string, steering?: Steering): Promise<QueueView>;
}

export type BulkAction = "pause" | "resume" | "cancel" | "retry";

export interface BulkOptions extends Steering {
  /** Which graphs; an empty one is all. */
  filter: Omit<GraphQuery, "limit" | "cursor">;
  /** Most graphs to steer. Default and most 10,000. */
  limit?: number;
  /** Where an earlier call ended. */
  cursor?: string;
  /** Only counts. */
  isDryRun?: boolean;
}

export interface BulkReport {
  action: BulkAction;
  /** Graphs that the filter fits, by the time it began. */
  matched: number;
  changed: number;
  /** Graphs that did not allow it. */
  refused: number;
  dry_run: boolean;
  /** Where to go on; null when none is left. */
  next_cursor: string | null;
}

export interface Engine {
  /** @returns the snapshot, and whether this call made the graph (false: the idempotency key was known). */
  start(worker: string, input: Json, options?: StartOptions): Promise<{ snapshot: Snapshot; created: boolean }>;
  snapshot(graphId: string): Promise<Snapshot | undefined>;
  list(query: GraphQuery): Promise<Page<Snapshot>>;
  /** A node with what it was given and has come to; undefined for one that is not there. */
  node(graphId: string, nodeId: string): Promise<NodeDetail | undefined>;
  /** What nodes came to before they were run again by `retry`, in order of epoch and id. */
  pastNodes(graphId: string): Promise<NodeDetail[]>;
  /** Stored events, in order. */
  events(graphId: string, query?: EventsQuery): Promise<GraphEvent[]>;
  /** @throws SvcError SVC_TRANSITION naming both states; SVC_NOT_FOUND. */
  pause(graphId: string, options?: PauseOptions): Promise<Snapshot>;
  resume(graphId: string, steering?: Steering): Promise<Snapshot>;
  cancel(graphId: string, steering?: Steering): Promise<Snapshot>;
  /** Runs again what failed, or a node and all after it: same id, next epoch. @throws SvcError `SVC_INVALID` for no node */
  retry(graphId: string, options?: RetryOptions): Promise<Snapshot>;
  /** A new graph that begins at a node of another. @throws SvcError `SVC_INVALID`, `SVC_NOT_FOUND` */
  fork(graphId: string, options: ForkOptions): Promise<Snapshot>;
  /**
   * Tells a graph something from outside: the first `ctx.waitFor` of this name takes it, one that comes later too.
   * @throws SvcError SVC_INVALID with issues where the waiting worker's schema refuses it; SVC_TRANSITION; SVC_NOT_FOUND.
   */
  signal(graphId: string, name: string, payload?: Json, options?: SignalOptions): Promise<Snapshot>;
  /** The same step for many graphs. */
  bulk(action: BulkAction, options: BulkOptions): Promise<BulkReport>;
  readonly schedule: Schedules;
  readonly queues: Queues;
  /** Stored events after `afterSeq`, then live ones; ends after the terminal event of the current epoch. */
  subscribe(graphId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<GraphEvent>;
  /** Goes on with every unfinished graph, with queues that are paused and with schedules. Called once at boot. */
  recover(): Promise<number>;
  /**
   * Takes finished graphs away, with their nodes, events and deliveries; the audit trail stays. Kept are those that a graph under
   * way has started, and those with a delivery that is still to be sent.
   * @returns how many have gone.
   */
  purge(query: PurgeQuery): Promise<number>;
  /** What runs and what waits for a place, by worker; those that ran something since the start. */
  lanes(): LaneReport[];
  /** Resolves when nothing is running. */
  idle(): Promise<void>;
  /** Stops dispatching, aborts what runs past `drainMs`, leaves every graph at a durable point. */
  close(drainMs?: number): Promise<void>;
}
