/**
 * What a store keeps, and the promises every store makes. Graphs and webhooks share one store, so that a
 * graph's transition and the outbox rows it causes are one transaction.
 *
 * Promises (held by the conformance suite, which runs on every store):
 * - `commit` is atomic per unit; it resolves only after the durable commit; units may share one transaction.
 * - A unit whose fence does not match changes nothing and yields `false`, and so do all that follow in its line.
 * - Events of a graph get the next `seq` in commit order, from 1, without gaps.
 * - An outbox row is unique by (registration_id, graph_id, event, epoch, pause_no).
 */
import type { ArtifactRow, ArtifactRows } from "./artifacts.ts";
import type { Json } from "../shared/json.ts";
import type { GraphStatus, WebhookEvent } from "../shared/wire.ts";
import type { AuditRows, NewAudit, QueueRows, ScheduleRows } from "./control.ts";

/** Finer truth behind the wire status. */
export type GraphPhase = "queued" | "running" | "pausing" | "paused" | "cancelling" | "done" | "failed";

export type FailureReason = "error" | "timeout" | "cancelled" | "poison";

export interface Failure {
  message: string;
  reason: FailureReason;
  node?: string;
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
}

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
  error: Failure | undefined;
  startedMs: number | undefined;
  finishedMs: number | undefined;
  /** When a retry or a sleep is due. */
  dueMs: number | undefined;
  /** Number of the event with which it was done, where it may have to be compensated: the last goes first. */
  doneSeq: number | undefined;
  /** What the worker keeps from one attempt to the next. */
  state: Json | undefined;
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

export type NewEvent = Omit<GraphEvent, "seq">;

export interface OutboxRow {
  /** `msg_…`: the delivery id, stable over retries and replays. */
  id: string;
  registrationId: string;
  graphId: string;
  event: WebhookEvent | "ping";
  epoch: number;
  pauseNo: number;
  /** Exact text of the body that is sent and signed. */
  body: string;
  createdMs: number;
  dueMs: number;
}

/**
 * What one transition changes. `fence` is checked first, inside the transaction: the graph row must have this
 * epoch and one of these phases (and, when given, the node this status and attempt).
 */
export interface Unit {
  graphId: string;
  fence?: {
    epoch: number;
    phases: GraphPhase[];
    /** Number of the graph's last event: a unit made on top of one that was not written is refused with it. */
    seq?: number;
    /** Who made it, of those that don't wait for their units: once one of a line was not written, none that follows is. */
    line?: number;
    node?: { id: string; status: NodeStatus[]; attempt: number };
  };
  /** Columns to change; absent keys stay. `insert` creates the row. */
  insert?: GraphRow;
  graph?: Partial<Omit<GraphRow, "id">>;
  nodes?: (Partial<NodeRow> & { id: string })[];
  insertNodes?: NodeRow[];
  /** Ids of nodes to take away, before any are inserted or changed; unknown ones are no error. */
  deleteNodes?: string[];
  events?: NewEvent[];
  outbox?: OutboxRow[];
  signals?: SignalRow[];
  /** Signals that nodes take. */
  takenSignals?: { seq: number; node: string }[];
  /** Files whose parts are written. */
  artifacts?: ArtifactRow[];
  /** Rows of an epoch that is over, to keep for reading. */
  pastNodes?: NodeRow[];
  /** Who wanted it, where somebody did. */
  audit?: NewAudit;
}

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

export interface SignalRows {
  /** Signals that no node has taken, oldest first. */
  signals(graphId: string): SignalRow[];
  hasSignal(graphId: string, key: string): boolean;
}

export interface Page<Item> {
  items: Item[];
  /** Of all that match, on this page or not; see the query for how far that is counted. */
  total: number;
  nextCursor: string | undefined;
}

/**
 * All conditions must hold. By worker and status the total is exact; with any other condition it counts to 1,000 at
 * most, and where `error` is given only those that the page looked at.
 */
export interface GraphQuery {
  worker?: string;
  status?: GraphStatus;
  tag?: string;
  /** Created at this time or later, and at this time or before, as their ids tell it. */
  sinceMs?: number;
  untilMs?: number;
  /** The beginning of an id. */
  idPrefix?: string;
  /** Text in the message of what failed, upper and lower case alike. A page looks at the newest 2,000 failures at most. */
  error?: string;
  /** Started by a node of this graph. */
  parent?: string;
  /** 1 to 200; default 50. */
  limit?: number;
  cursor?: string;
}

/** Which finished graphs may go. All conditions must hold. */
export interface PurgeQuery {
  worker?: string;
  status?: "done" | "failed";
  tag?: string;
  finishedBeforeMs: number;
  /** Looks at graphs with a higher id only: where the slice before has ended. */
  after?: string;
  /** Graphs that a slice looks at; default 100. */
  limit?: number;
}

export interface PurgeStep {
  deleted: number;
  /** Where the next slice begins; undefined when nothing is left to look at. */
  next: string | undefined;
}

/** A column's value in the author's own rows. */
export type TransactionValue = string | number | null;

export interface TransactionStatement {
  run(...values: TransactionValue[]): { changes: number | bigint };
  get(...values: TransactionValue[]): Record<string, TransactionValue> | undefined;
  all(...values: TransactionValue[]): Record<string, TransactionValue>[];
}

/** The database inside of a transaction. */
export interface TransactionHandle {
  /** A statement, prepared once. @throws SvcError `SVC_STORE` for one that would end the transaction. */
  prepare(sql: string): TransactionStatement;
}

export interface TransactionRun {
  /** The author's statements. May run twice: what they did the first time is undone then. */
  statements: (handle: TransactionHandle) => Json;
  /** The unit that is written with them. @param before the one that was decided when it ran the first time: to be mended. */
  decide: (result: Json, before: Unit | undefined) => Unit;
}

/** The author's own function has thrown: nothing was written, and no unit made. */
export class OwnError extends Error {
  constructor(cause: unknown) {
    super("The function of a transaction has thrown", { cause });
  }
}

export interface GraphStore extends SignalRows, ArtifactRows {
  /**
   * Writes rows of the author's and a unit in one transaction. Resolves after the durable commit. Absent where the store
   * has no tables. Rejects with `OwnError` for what `statements` or `decide` throws.
   */
  transact?(run: TransactionRun): Promise<Json>;
  /** Resolves after the durable commit: for each unit whether its fence held. */
  commit(unit: Unit): Promise<boolean>;
  graph(id: string): GraphRow | undefined;
  byIdempotencyKey(worker: string, key: string): GraphRow | undefined;
  nodes(graphId: string): NodeRow[];
  /** What nodes came to in earlier epochs, in order of epoch and id. */
  pastNodes(graphId: string): NodeRow[];
  /** Graphs that nodes of this one started, oldest first. */
  children(graphId: string): GraphRow[];
  /** Events after `afterSeq`, in order, at most `limit` (default 1,000). */
  events(graphId: string, afterSeq: number, limit?: number): GraphEvent[];
  /** Number of the graph's last event; 0 before there is one. */
  lastSeq(graphId: string): number;
  /** Calls back after each commit that added events to this graph. Returns the way to stop. */
  onEvents(graphId: string, listener: (events: readonly GraphEvent[]) => void): () => void;
  /** Graphs that are not done or failed, oldest first: what a starting process goes on with. */
  unfinished(): GraphRow[];
  list(query: GraphQuery): Page<GraphRow>;
  countByStatus(): Record<GraphStatus, number>;
  /** Names that graphs were started by. */
  workers(): string[];
  /**
   * Deletes finished graphs, oldest first, with their nodes, events, deliveries and all else but the audit trail. It keeps
   * those with a delivery that is still to be sent, and those that a graph under way has started. One slice at a time.
   */
  purge(query: PurgeQuery): Promise<PurgeStep>;
}

export interface RegistrationRow {
  /** `wh_…` */
  id: string;
  url: string;
  events: WebhookEvent[];
  /** Names of the graphs or workers it hears of; empty: all. */
  workers: string[];
  /** Whether deliveries of one graph wait for those before them. */
  ordered: boolean;
  /** Sent along with each delivery. Values may be credentials: they never leave the process otherwise. */
  headers: Record<string, string>;
  enabled: boolean;
  description: string;
  /** Own secret; otherwise SVC_WEBHOOK_SECRET signs. Never leaves the process except in signatures. */
  secret: string | undefined;
  /** Secret before the last rotation, and until when it still signs. */
  previousSecret: string | undefined;
  previousUntilMs: number | undefined;
  state: "active" | "failing" | "disabled";
  /** Why deliveries disabled it: answered 410, or nothing but failures for too long. */
  disabledReason: "gone" | "failing" | undefined;
  consecutiveFailures: number;
  /** Breaker: no attempt before this time. */
  openUntilMs: number | undefined;
  /** First failure since the last success. */
  failingSinceMs: number | undefined;
  createdMs: number;
  updatedMs: number;
}

export type DeliveryStatus = "pending" | "delivered" | "failed";

export interface DeliveryRow extends OutboxRow {
  status: DeliveryStatus;
  attempts: number;
  deliveredMs: number | undefined;
}

export interface AttemptRow {
  deliveryId: string;
  number: number;
  startedMs: number;
  durationMs: number;
  statusCode: number | undefined;
  /** First 2 KB of the answer, as text. */
  response: string | undefined;
  error: string | undefined;
  timings: AttemptTimings | undefined;
}

/** Where an attempt's time went, in milliseconds; the first three only of an attempt that made a connection. */
export interface AttemptTimings {
  dns?: number;
  connect?: number;
  tls?: number;
  /** From the connection to the first byte of the answer. */
  first_byte?: number;
}

/** An attempt, and what it means for its delivery. */
export interface AttemptRecord {
  attempt: AttemptRow;
  change: { status: DeliveryStatus; dueMs?: number; deliveredMs?: number };
}

/** Pending deliveries of one registration: those never tried, or those tried before. */
export interface DeliveryLane {
  registrationId: string;
  isRetry: boolean;
}

export interface DeliveryQuery {
  registrationId?: string;
  status?: DeliveryStatus;
  event?: string;
  graphId?: string;
  sinceMs?: number;
  limit?: number;
  cursor?: string;
}

export type OutboxListener = (registrationIds: ReadonlySet<string>) => void;

export interface WebhookStore {
  /** Inserts or replaces a registration. The URL is unique. */
  saveRegistration(row: RegistrationRow): Promise<void>;
  deleteRegistration(id: string): Promise<boolean>;
  registration(id: string): RegistrationRow | undefined;
  registrationByUrl(url: string): RegistrationRow | undefined;
  registrations(): RegistrationRow[];
  addDelivery(row: OutboxRow): Promise<void>;
  /** Deliveries of a lane due at `nowMs`, oldest due first, at most `limit`. Costs what it gives, however many wait. */
  due(lane: DeliveryLane, nowMs: number, limit: number): DeliveryRow[];
  /** When the first delivery of a lane that is due after `afterMs` falls due. */
  nextDueMs(lane: DeliveryLane, afterMs: number): number | undefined;
  /** Registrations that have pending deliveries, those included that are gone. */
  pendingRegistrations(): string[];
  /**
   * When the earliest due of the pending deliveries falls due that tell of the same graph and come before this one: by
   * epoch, then by pause; undefined when there is none.
   */
  earlierDueMs(row: OutboxRow): number | undefined;
  /** Makes what is pending of a graph due no later than `dueMs`. */
  release(registrationId: string, graphId: string, dueMs: number): Promise<void>;
  /** Records attempts and what they mean for their deliveries, in one commit. */
  recordAttempts(records: readonly AttemptRecord[]): Promise<void>;
  /** Makes a delivery pending again, due at once. */
  requeue(deliveryId: string, dueMs: number): Promise<boolean>;
  delivery(id: string): DeliveryRow | undefined;
  attempts(deliveryId: string): AttemptRow[];
  listDeliveries(query: DeliveryQuery): Page<DeliveryRow>;
  /** Calls back after each commit that made deliveries pending, with their registrations. Returns the way to stop. */
  onOutbox(listener: OutboxListener): () => void;
}

/** Sessions of visitors: text by id. Whether one has expired is for the reader to know. */
export interface SessionRows {
  read(id: string): string | undefined;
  write(id: string, data: string, expiresMs: number): Promise<void>;
  remove(id: string): Promise<void>;
  /** Throws away what has expired by `nowMs`. */
  purge(nowMs: number): Promise<void>;
}

/** The answer to a call that may be sent again. */
export interface AnswerRow {
  /** Hash of the key and of whose it is. */
  id: string;
  /** Hash of what the call was about. */
  bodyHash: string;
  createdMs: number;
  /** undefined until the call has ended. */
  answer: { status: number; body: string } | undefined;
}

export interface AnswerStore {
  /**
   * Takes an id for a call that is about to run. Of several at once one gets it.
   * @param sinceMs a row from before this time is taken over
   * @returns the row that is there already, or undefined: then the call may run. Resolves after the durable commit
   */
  claim(row: AnswerRow, sinceMs: number): Promise<AnswerRow | undefined>;
  /** Keeps the answer. Resolves after the durable commit. */
  settle(id: string, status: number, body: string): Promise<void>;
  /** Deletes rows from before this time. */
  purge(beforeMs: number): Promise<void>;
}

export interface Store {
  graphs: GraphStore;
  webhooks: WebhookStore;
  sessions: SessionRows;
  answers: AnswerStore;
  schedules: ScheduleRows;
  queues: QueueRows;
  audit: AuditRows;
  /** Flushes and closes. Later calls reject. */
  close(): Promise<void>;
}
