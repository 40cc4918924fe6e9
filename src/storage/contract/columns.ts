/** Converts records to columns and back. Absent values are NULL; structured values are JSON text. */
import type { RunStatus } from "../../platform/shared/wire.ts";
import {
  CHILD_KEYS,
  type ChildRow,
  type Failure,
  type GraphEvent,
  type GraphHead,
  type GraphRow,
  type NodeHead,
  type NodeRow,
  type Origin,
  type SignalRow,
} from "./graph-rows.ts";
import type {
  AttemptRow,
  DeliveryRow,
  DeliveryStatus,
  DeliveryTally,
  FailedRow,
  LastOutcomeRow,
  OutcomeRow,
  ReceiverOutcomeRow,
  RegistrationRow,
} from "./webhook-rows.ts";
import type { ArtifactRow } from "./artifacts.ts";
import type { Attributes } from "./attributes.ts";
import type { AuditRow, PausedQueueRow, ScheduleRow } from "./control.ts";
import type { Row, Value } from "./row.ts";

type Kind = "text" | "json" | "number";
export type Columns = Readonly<Record<string, readonly [column: string, kind: Kind]>>;

export const GRAPH_COLUMNS: Columns = {
  id: ["id", "text"],
  worker: ["worker", "text"],
  status: ["status", "text"],
  phase: ["phase", "text"],
  epoch: ["epoch", "number"],
  pauseNo: ["pause_no", "number"],
  input: ["input", "json"],
  result: ["result", "json"],
  error: ["error", "json"],
  progress: ["progress", "json"],
  tags: ["tags", "json"],
  idempotencyKey: ["idempotency_key", "text"],
  definition: ["definition", "text"],
  createdMs: ["created_ms", "number"],
  dueMs: ["due_ms", "number"],
  startedMs: ["started_ms", "number"],
  finishedMs: ["finished_ms", "number"],
  priority: ["priority", "number"],
  parentGraph: ["parent_graph", "text"],
  parentNode: ["parent_node", "text"],
  forkedFrom: ["forked_from", "text"],
  version: ["version", "text"],
  timeoutMs: ["timeout_ms", "number"],
  deadlineMs: ["deadline_ms", "number"],
  // New columns come last: the position of a column is a bit that older processes know as well.
  summary: ["summary", "text"],
  origin: ["origin", "json"],
  concurrencyKey: ["concurrency_key", "text"],
  queuePosition: ["queue_position", "number"],
  admittedMs: ["admitted_ms", "number"],
  expiresMs: ["expires_ms", "number"],
  fairnessKey: ["fairness_key", "text"],
  fairnessCost: ["fairness_cost", "number"],
  attributes: ["attributes", "json"],
};

/** Columns of a child run. */
const CHILD_COLUMNS: Columns = Object.fromEntries(
  CHILD_KEYS.map((key) => [key, GRAPH_COLUMNS[key] as Columns[string]]),
);
export const CHILD_NAMES = Object.values(CHILD_COLUMNS)
  .map(([name]) => name)
  .join(", ");

export const NODE_COLUMNS: Columns = {
  graphId: ["graph_id", "text"],
  id: ["id", "text"],
  worker: ["worker", "text"],
  kind: ["kind", "text"],
  status: ["status", "text"],
  attempt: ["attempt", "number"],
  crashes: ["crashes", "number"],
  doneSeq: ["done_seq", "number"],
  epoch: ["epoch", "number"],
  after: ["after", "json"],
  input: ["input", "json"],
  result: ["result", "json"],
  error: ["error", "json"],
  startedMs: ["started_ms", "number"],
  finishedMs: ["finished_ms", "number"],
  dueMs: ["due_ms", "number"],
  state: ["state", "json"],
  // New columns come last, as above.
  keyEpoch: ["key_epoch", "number"],
  awaits: ["awaits", "text"],
};

const { input: _input, result: _result, state: _state, ...HEAD } = NODE_COLUMNS;

/** Columns of a node in lists; the database computes `result_bytes`. */
const NODE_HEAD_COLUMNS: Columns = { ...HEAD, resultBytes: ["result_bytes", "number"] };

/** Columns of `node` that lists read, except `result_bytes`. */
export const NODE_HEAD_NAMES = Object.values(HEAD)
  .map(([name]) => name)
  .join(", ");

export const EVENT_COLUMNS: Columns = {
  graphId: ["graph_id", "text"],
  seq: ["seq", "number"],
  type: ["type", "text"],
  node: ["node", "text"],
  timestampMs: ["timestamp_ms", "number"],
  data: ["data", "json"],
};

export const ARTIFACT_COLUMNS: Columns = {
  graphId: ["graph_id", "text"],
  name: ["id", "text"],
  node: ["node", "text"],
  type: ["type", "text"],
  bytes: ["bytes", "number"],
  sha256: ["sha256", "text"],
  createdMs: ["created_ms", "number"],
  upload: ["upload", "text"],
};

export const SIGNAL_COLUMNS: Columns = {
  graphId: ["graph_id", "text"],
  seq: ["seq", "number"],
  name: ["name", "text"],
  payload: ["payload", "json"],
  key: ["key", "text"],
  actor: ["actor", "text"],
  createdMs: ["created_ms", "number"],
  node: ["node", "text"],
};

export const DELIVERY_COLUMNS: Columns = {
  id: ["id", "text"],
  registrationId: ["registration_id", "text"],
  graphId: ["graph_id", "text"],
  event: ["event", "text"],
  epoch: ["epoch", "number"],
  pauseNo: ["pause_no", "number"],
  body: ["body", "text"],
  createdMs: ["created_ms", "number"],
  dueMs: ["due_ms", "number"],
  status: ["status", "text"],
  attempts: ["attempts", "number"],
  deliveredMs: ["delivered_ms", "number"],
};

export const ATTEMPT_COLUMNS: Columns = {
  deliveryId: ["delivery_id", "text"],
  number: ["number", "number"],
  startedMs: ["started_ms", "number"],
  durationMs: ["duration_ms", "number"],
  statusCode: ["status_code", "number"],
  response: ["response", "text"],
  error: ["error", "text"],
  timings: ["timings", "json"],
  responseHeaders: ["response_headers", "json"],
};

export const AUDIT_COLUMNS = {
  id: ["id", "number"],
  atMs: ["at_ms", "number"],
  actor: ["actor", "text"],
  address: ["address", "text"],
  operation: ["operation", "text"],
  target: ["target", "text"],
  note: ["note", "text"],
  data: ["data", "json"],
} as const satisfies Columns;

export function toColumn(columns: Columns, key: string, value: unknown): Value {
  if (value === undefined) return null;
  return columns[key]?.[1] === "json" ? JSON.stringify(value) : (value as Value);
}

/** `INSERT INTO <table> (…) VALUES (?, …)` with every column. */
export function insertSql(table: string, columns: Columns): string {
  const names = Object.values(columns).map(([name]) => name);
  return `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
}

export function insertValues(columns: Columns, record: object): Value[] {
  return Object.keys(columns).map((key) => toColumn(columns, key, (record as Record<string, unknown>)[key]));
}

/** @param whole reads a text that may be stored outside the row. */
function fromColumns(
  columns: Columns,
  row: Row,
  whole: (text: string) => string = (text) => text,
): Record<string, unknown> {
  const { entries, empty } = shapeOf(columns);
  const record = { ...empty };
  for (const [key, [name, kind]] of entries) {
    const value = row[name];
    record[key] =
      value === null || value === undefined ? undefined : kind === "json" ? JSON.parse(whole(value as string)) : value;
  }
  return record;
}

interface Shape {
  readonly entries: readonly [string, Columns[string]][];
  /** Has all properties. A copy is compact, while an object that gets thirty of them one by one becomes a hash table of several times the size. */
  readonly empty: Readonly<Record<string, unknown>>;
}

const shapes = new Map<Columns, Shape>();

function shapeOf(columns: Columns): Shape {
  let shape = shapes.get(columns);
  if (!shape) {
    const entries = Object.entries(columns);
    // The parser knows all properties before it creates the object.
    const text = JSON.stringify(Object.fromEntries(entries.map(([key]) => [key, null])));
    shape = { entries, empty: JSON.parse(text) as Record<string, unknown> };
    shapes.set(columns, shape);
  }
  return shape;
}

type Whole = (text: string) => string;

export const toGraph = (row: Row): GraphRow => graphFrom(row);
export const toChild = (row: Row): ChildRow => fromColumns(CHILD_COLUMNS, row) as unknown as ChildRow;
export const toNode = (row: Row): NodeRow => nodeFrom(row);

/** @param whole reads a text that may be stored outside the row. */
export function graphFrom(row: Row, whole?: Whole): GraphRow {
  return fromColumns(GRAPH_COLUMNS, row, whole) as unknown as GraphRow;
}

/** @param whole as for `graphFrom`. */
export function nodeFrom(row: Row, whole?: Whole): NodeRow {
  return fromColumns(NODE_COLUMNS, row, whole) as unknown as NodeRow;
}

export const toNodeHead = (row: Row): NodeHead => fromColumns(NODE_HEAD_COLUMNS, row) as unknown as NodeHead;

/** JSON omits keys that are undefined. */
const EMPTY_NODE = Object.fromEntries(Object.keys(NODE_COLUMNS).map((key) => [key, undefined]));
export const pastNode = (data: string): NodeRow => ({ ...EMPTY_NODE, ...(JSON.parse(data) as NodeRow) });
export const toSignal = (row: Row): SignalRow => fromColumns(SIGNAL_COLUMNS, row) as unknown as SignalRow;
export const toArtifact = (row: Row): ArtifactRow => fromColumns(ARTIFACT_COLUMNS, row) as unknown as ArtifactRow;
export const toDelivery = (row: Row): DeliveryRow =>
  deliveryOf(row, row["registration_id"] as string, row["status"] as DeliveryStatus);
/** Converts a row whose registration and status are known. */
export const toPending = (row: Row, registrationId: string): DeliveryRow => deliveryOf(row, registrationId, "pending");

/** Written out for speed: many rows are read again before they are sent. */
function deliveryOf(row: Row, registrationId: string, status: DeliveryStatus): DeliveryRow {
  const text = (name: string): string => row[name] as string;
  const deliveredMs = row["delivered_ms"];
  return {
    id: text("id"),
    registrationId,
    graphId: text("graph_id"),
    event: row["event"] as DeliveryRow["event"],
    epoch: Number(row["epoch"]),
    pauseNo: Number(row["pause_no"]),
    body: text("body"),
    createdMs: Number(row["created_ms"]),
    dueMs: Number(row["due_ms"]),
    status,
    attempts: Number(row["attempts"]),
    deliveredMs: deliveredMs === null || deliveredMs === undefined ? undefined : Number(deliveredMs),
  };
}
export const toAttempt = (row: Row): AttemptRow => fromColumns(ATTEMPT_COLUMNS, row) as unknown as AttemptRow;
const OUTCOME_COLUMNS: Columns = {
  startedMs: ["started_ms", "number"],
  durationMs: ["duration_ms", "number"],
  statusCode: ["status_code", "number"],
  error: ["error", "text"],
};
const toOutcome = (row: Row): OutcomeRow => fromColumns(OUTCOME_COLUMNS, row) as unknown as OutcomeRow;
export const toLastOutcome = (row: Row): LastOutcomeRow => ({
  ...toOutcome(row),
  deliveryId: row["delivery_id"] as string,
});
export const toReceiverOutcome = (row: Row): ReceiverOutcomeRow => ({
  ...toOutcome(row),
  registrationId: row["registration_id"] as string,
});
/** Written out for speed: all failed deliveries may be read. */
export const toFailed = (row: Row): FailedRow => ({
  id: row["id"] as string,
  event: row["event"] as FailedRow["event"],
  createdMs: Number(row["created_ms"]),
});
export const toTally = (row: Row): DeliveryTally => ({
  registrationId: row["registration_id"] as string,
  delivered: Number(row["delivered"]),
  failed: Number(row["failed"]),
  pending: Number(row["pending"]),
});
export const toAudit = (row: Row): AuditRow => fromColumns(AUDIT_COLUMNS, row) as unknown as AuditRow;

/** Written out for speed: a page may look at thousands. */
export function toHead(row: Row): GraphHead {
  const text = (name: string): string => row[name] as string;
  const [error, parent, summary, origin] = [row["error"], row["parent_graph"], row["summary"], row["origin"]];
  const { attributes } = row;
  return {
    id: text("id"),
    worker: text("worker"),
    status: row["status"] as RunStatus,
    tags: row["tags"] === "[]" ? [] : (JSON.parse(text("tags")) as string[]),
    error: typeof error === "string" ? (JSON.parse(error) as Failure) : undefined,
    parentGraph: typeof parent === "string" ? parent : undefined,
    startedMs: numberIn(row, "started_ms"),
    finishedMs: numberIn(row, "finished_ms"),
    summary: typeof summary === "string" ? summary : undefined,
    origin: typeof origin === "string" ? (JSON.parse(origin) as Origin) : undefined,
    attributes: typeof attributes === "string" ? (JSON.parse(attributes) as Attributes) : undefined,
  };
}

/** PostgreSQL returns numbers above 32 bits as text. */
function numberIn(row: Row, name: string): number | undefined {
  const value = row[name] ?? null;
  return value === null ? undefined : Number(value);
}

/** Omits absent keys, so that all stores return the same shape. */
export function toEvent(row: Row): GraphEvent {
  const event = fromColumns(EVENT_COLUMNS, row);
  for (const key of ["node", "data"]) if (event[key] === undefined) delete event[key];
  return event as unknown as GraphEvent;
}

/** JSON omits keys that are undefined. */
const NOBODY: Pick<PausedQueueRow, "by" | "note"> = { by: undefined, note: undefined };
export const toPausedQueue = (row: Row): PausedQueueRow => ({
  ...NOBODY,
  ...(JSON.parse(row["data"] as string) as PausedQueueRow),
});

const EMPTY_SCHEDULE = { input: undefined, lastMs: undefined, lastGraphId: undefined };
export function toSchedule(row: Row): ScheduleRow {
  const data = JSON.parse(row["data"] as string) as Omit<ScheduleRow, "nextMs">;
  return { ...EMPTY_SCHEDULE, ...data, nextMs: row["next_ms"] === null ? undefined : Number(row["next_ms"]) };
}

/** Defaults for absent keys, including those of later versions. */
const EMPTY_REGISTRATION = {
  workers: [],
  headers: {},
  ordered: false,
  disabledReason: undefined,
  secret: undefined,
  previousSecret: undefined,
  previousUntilMs: undefined,
  openUntilMs: undefined,
  failingSinceMs: undefined,
};
export function toRegistration(row: Row): RegistrationRow {
  return {
    ...EMPTY_REGISTRATION,
    ...(JSON.parse(row["data"] as string) as Partial<RegistrationRow>),
  } as RegistrationRow;
}
