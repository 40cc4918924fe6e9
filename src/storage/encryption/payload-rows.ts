/**
 * The payloads of each row and their places. A place names the row and the column: a value is encrypted for its place only. Ids of runs
 * contain no separator; other names may, so places with two of them are JSON.
 */
import type { NewAudit } from "../contract/control.ts";
import type {
  Failure,
  GraphEvent,
  GraphRow,
  NewEvent,
  NodeRow,
  SignalRow,
  StoredGraph,
} from "../contract/graph-rows.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { SentEventRow } from "../contract/sent-events.ts";
import type { StartGroupRow } from "../contract/start-groups.ts";
import type { AttemptRow, OutboxRow } from "../contract/webhook-rows.ts";
import type { Transition } from "../contract/transition.ts";
import { isMarked } from "./payload-cipher.ts";
import type { PayloadTransform } from "./payload-transform.ts";

type Kind = "json" | "text" | "error" | "progress";
type Payloads<R> = { readonly [Key in keyof R]?: Kind };

/** Every column of a run: a new one must be added here, with the decision whether it is a payload. */
const GRAPH: Record<keyof GraphRow, Kind | "readable"> = {
  id: "readable",
  worker: "readable",
  status: "readable",
  phase: "readable",
  epoch: "readable",
  pauseNo: "readable",
  input: "json",
  result: "json",
  error: "error",
  progress: "progress",
  tags: "readable",
  idempotencyKey: "readable",
  definition: "readable",
  createdMs: "readable",
  dueMs: "readable",
  startedMs: "readable",
  finishedMs: "readable",
  priority: "readable",
  parentGraph: "readable",
  parentNode: "readable",
  forkedFrom: "readable",
  version: "readable",
  timeoutMs: "readable",
  deadlineMs: "readable",
  summary: "text",
  origin: "readable",
  concurrencyKey: "readable",
  queuePosition: "readable",
  admittedMs: "readable",
  expiresMs: "readable",
  fairnessKey: "readable",
  fairnessCost: "readable",
  attributes: "readable",
};

/** Every column of a node, as above. */
const NODE: Record<keyof NodeRow, Kind | "readable"> = {
  graphId: "readable",
  id: "readable",
  worker: "readable",
  kind: "readable",
  status: "readable",
  attempt: "readable",
  crashes: "readable",
  epoch: "readable",
  after: "readable",
  input: "json",
  result: "json",
  error: "error",
  startedMs: "readable",
  finishedMs: "readable",
  dueMs: "readable",
  doneSeq: "readable",
  state: "json",
  keyEpoch: "readable",
  awaits: "readable",
};

const payloadsOf = (columns: Readonly<Record<string, Kind | "readable">>): Readonly<Record<string, Kind>> =>
  Object.fromEntries(Object.entries(columns).filter((entry): entry is [string, Kind] => entry[1] !== "readable"));
const GRAPH_PAYLOADS = payloadsOf(GRAPH);
const NODE_PAYLOADS = payloadsOf(NODE);
/** The database compares the match of a step that waits for an event, so its input stays readable. */
const { input: _input, ...EVENT_WAIT_PAYLOADS } = NODE_PAYLOADS;

export function graphPayloads<R extends Partial<GraphRow>>(to: PayloadTransform, id: string, row: R): R {
  return changed(to, row, GRAPH_PAYLOADS, `graph/${id}`);
}

type NodePart = Pick<NodeRow, "id"> & Partial<NodeRow>;

/** @param row without a kind: a change of a row. The input of a step that waits for an event never changes. */
export function nodePayloads<R extends NodePart>(to: PayloadTransform, graphId: string, row: R): R {
  const payloads = row.kind === "event" ? EVENT_WAIT_PAYLOADS : NODE_PAYLOADS;
  return changed(to, row, payloads, `node/${graphId}/${row.id}`);
}

/** A row of an earlier epoch. */
export function pastNodePayloads(to: PayloadTransform, row: NodeRow): NodeRow {
  const payloads = row.kind === "event" ? EVENT_WAIT_PAYLOADS : NODE_PAYLOADS;
  return changed(to, row, payloads, `past_node/${row.graphId}/${row.epoch}/${row.id}`);
}

/**
 * The number of an event is unknown when it is encrypted. The start of a node has only the number of its attempt, and is a third of all
 * payloads of a fan-out.
 */
export function eventPayloads<E extends NewEvent | GraphEvent>(to: PayloadTransform, event: E): E {
  if (event.type === "node.started") return event;
  return changed(to, event, { data: "json" }, `event/${event.graphId}/${event.type}/${event.node ?? ""}`);
}

export function signalPayloads(to: PayloadTransform, row: SignalRow): SignalRow {
  return changed(to, row, { payload: "json" }, `signal/${row.graphId}/${row.seq}`);
}

export function deliveryPayloads<R extends Pick<OutboxRow, "id" | "body">>(to: PayloadTransform, row: R): R {
  return changed(to, row, { body: "text" }, `delivery/${row.id}`);
}

/** The beginning of a receiver's response may repeat the body. */
export function attemptPayloads<R extends Pick<AttemptRow, "deliveryId" | "number" | "response">>(
  to: PayloadTransform,
  row: R,
): R {
  return changed(to, row, { response: "text" }, `attempt/${row.deliveryId}/${row.number}`);
}

export function schedulePayloads<R extends { name: string; input?: Json | undefined }>(
  to: PayloadTransform,
  row: R,
): R {
  return changed(to, row, { input: "json" }, `schedule/${row.name}`);
}

export function auditPayloads<R extends Pick<NewAudit, "atMs" | "operation" | "target" | "data">>(
  to: PayloadTransform,
  row: R,
): R {
  return changed(to, row, { data: "json" }, `audit/${JSON.stringify([row.operation, row.target, row.atMs])}`);
}

export function sentEventPayloads<R extends Pick<SentEventRow, "name" | "id" | "data">>(
  to: PayloadTransform,
  row: R,
): R {
  return changed(to, row, { data: "json" }, `sent_event/${JSON.stringify([row.name, row.id])}`);
}

export function startGroupPayloads<R extends Pick<StartGroupRow, "graph" | "key" | "generation" | "events">>(
  to: PayloadTransform,
  row: R,
): R {
  const { graph, key, generation, events } = row;
  const place = `start_group/${JSON.stringify([graph, key, generation])}`;
  const next = events.map((event) => changed(to, event, { data: "json" }, `${place}/${event.id}`));
  return next.some((event, at) => event !== events[at]) ? { ...row, events: next } : row;
}

export const answerPlace = (id: string): string => `answer/${id}`;
export const partPlace = (graphId: string, upload: string, at: number): string => `artifact/${graphId}/${upload}/${at}`;

/** The values of a run in a transition. Copies only the changed parts of it, which its owner may use again. */
export function transitionPayloads(to: PayloadTransform, transition: Transition): Transition {
  const { graphId, insert, graph, nodes, insertNodes, events, signals, pastNodes } = transition;
  return {
    ...transition,
    ...(insert && { insert: graphPayloads(to, graphId, insert) }),
    ...(graph && { graph: graphPayloads(to, graphId, graph) }),
    ...(nodes && { nodes: nodes.map((row) => nodePayloads(to, graphId, row)) }),
    ...(insertNodes && { insertNodes: insertNodes.map((row) => nodePayloads(to, graphId, row)) }),
    ...(events && { events: events.map((event) => eventPayloads(to, event)) }),
    ...(signals && { signals: signals.map((row) => signalPayloads(to, row)) }),
    ...(pastNodes && { pastNodes: pastNodes.map((row) => pastNodePayloads(to, row)) }),
  };
}

/** A run as it was loaded. */
export function storedPayloads(to: PayloadTransform, { row, nodes, lastSeq, signals }: StoredGraph): StoredGraph {
  return {
    row: graphPayloads(to, row.id, row),
    nodes: nodes.map((node) => nodePayloads(to, row.id, node)),
    lastSeq,
    signals: signals.map((signal) => signalPayloads(to, signal)),
  };
}

/** Whether a transition needs no prefix while encryption is off: none of its values looks like an encrypted one. Most cost only this check. */
export function staysPlain(transition: Transition): boolean {
  const { insert, graph, nodes, insertNodes, pastNodes, events, outbox, outboxAgain, signals, audit } = transition;
  const isPlainNode = (row: Partial<NodeRow>): boolean => isPlain(row, NODE_PAYLOADS);
  return (
    outboxAgain === undefined &&
    (!insert || isPlain(insert, GRAPH_PAYLOADS)) &&
    (!graph || isPlain(graph, GRAPH_PAYLOADS)) &&
    (!audit || !isMarked(audit.data)) &&
    [nodes, insertNodes, pastNodes].every((rows) => !rows || rows.every(isPlainNode)) &&
    (!events || events.every(({ data }) => !isMarked(data))) &&
    (!outbox || outbox.every(({ body }) => !isMarked(body))) &&
    (!signals || signals.every(({ payload }) => !isMarked(payload)))
  );
}

function isPlain(row: Partial<GraphRow> | Partial<NodeRow>, payloads: Readonly<Record<string, Kind>>): boolean {
  const columns = row as Readonly<Record<string, unknown>>;
  for (const key in payloads) {
    const value = columns[key];
    const text = payloads[key] === "error" ? (value as Failure | null | undefined)?.message : value;
    if (isMarked(text) || (payloads[key] === "progress" && value !== undefined && value !== null)) return false;
  }
  return true;
}

/** @returns the row itself if nothing changes. Keeps the order of the columns, by which stores group changes. */
function changed<R extends object>(to: PayloadTransform, row: R, payloads: Payloads<R>, place: string): R {
  // Columns of any type, by name.
  const columns = row as Readonly<Record<string, unknown>>;
  let next: Record<string, unknown> | undefined;
  for (const key in payloads) {
    const value = columns[key];
    if (value === undefined || value === null) continue;
    const made = transformed(to, payloads[key] as Kind, value, `${place}/${key}`);
    if (made !== value) (next ??= { ...columns })[key] = made;
  }
  return next ? (next as R) : row;
}

/** @param value of the type that its column has */
function transformed(to: PayloadTransform, kind: Kind, value: unknown, place: string): unknown {
  if (kind === "json") return to.json(value as Json, place);
  if (kind === "text") return to.text(value as string, place);
  if (kind === "error") return to.error(value as NonNullable<NodeRow["error"]>, place);
  const progress = value as NonNullable<GraphRow["progress"]>;
  if (progress.note === undefined) return progress;
  const note = to.text(progress.note, place);
  return note === progress.note ? progress : { ...progress, note };
}
