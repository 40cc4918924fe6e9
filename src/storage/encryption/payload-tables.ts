/**
 * Payloads as they are in the tables, for their encryption with another key: payload-rows.ts defines the payloads and their places, as
 * for every other write.
 */
import type { Json } from "../../platform/shared/json.ts";
import type { ScheduleRow } from "../contract/control.ts";
import type { GraphEventType, GraphRow, NodeRow, SignalRow } from "../contract/graph-rows.ts";
import type { StartGroupRow } from "../contract/start-groups.ts";
import {
  answerPlace,
  attemptPayloads,
  auditPayloads,
  deliveryPayloads,
  eventPayloads,
  graphPayloads,
  nodePayloads,
  partPlace,
  pastNodePayloads,
  schedulePayloads,
  sentEventPayloads,
  signalPayloads,
  startGroupPayloads,
} from "./payload-rows.ts";
import type { PayloadTransform } from "./payload-transform.ts";

export type Cell = string | number | null | Uint8Array;
export type Cells = Readonly<Record<string, Cell>>;

export interface PayloadTable {
  name: string;
  /** Key columns, which also define the order. */
  key: readonly string[];
  /** Other columns that `change` reads. */
  columns: readonly string[];
  /** Rows to read at a time: few where rows are long. */
  batch: number;
  /** @returns the changed columns; empty if nothing changes */
  change(row: Cells, to: PayloadTransform): Cells;
}

/** First character of a reference to a long value, which the table `payload` of SQLite contains. No JSON begins with it. */
const REFERENCE = "@";

const text = (row: Cells, name: string): string => String(row[name]);

/** A table with columns of JSON and of text. @param made applies the payloads of its rows to a record of these columns */
function table(
  given: Pick<PayloadTable, "name" | "key" | "batch"> & { more?: readonly string[] },
  kinds: Readonly<Record<string, "json" | "text">>,
  made: (to: PayloadTransform, record: Record<string, unknown>, row: Cells) => object,
): PayloadTable {
  const { more = [], ...rest } = given;
  return {
    ...rest,
    columns: [...Object.keys(kinds), ...more],
    change: (row, to) => {
      const record: Record<string, unknown> = {};
      for (const [name, kind] of Object.entries(kinds)) {
        const value = row[name];
        if (typeof value !== "string" || (kind === "json" && value.startsWith(REFERENCE))) continue;
        record[name] = kind === "json" ? JSON.parse(value) : value;
      }
      const next = made(to, record, row) as Record<string, unknown>;
      const changed = Object.keys(record).filter((name) => next[name] !== record[name]);
      return Object.fromEntries(
        changed.map((name) => [name, kinds[name] === "json" ? JSON.stringify(next[name]) : String(next[name])]),
      );
    },
  };
}

/** A table whose column `data` is one record in JSON. */
function records<R extends object>(
  given: Pick<PayloadTable, "name" | "key" | "batch">,
  made: (to: PayloadTransform, record: R, row: Cells) => R,
): PayloadTable {
  return {
    ...given,
    columns: ["data"],
    change: (row, to) => {
      const record = JSON.parse(text(row, "data")) as R;
      const next = made(to, record, row);
      return next === record ? {} : { data: JSON.stringify(next) };
    },
  };
}

const PARTS: PayloadTable = {
  name: "artifact_part",
  key: ["graph_id", "id", "at"],
  columns: ["data"],
  batch: 32,
  change: (row, to) => {
    const data = row["data"] as Uint8Array;
    const next = to.bytes(data, partPlace(text(row, "graph_id"), text(row, "id"), Number(row["at"])));
    return next === data ? {} : { data: next };
  },
};

const COMMON: readonly PayloadTable[] = [
  records<ScheduleRow>({ name: "schedule", key: ["id"], batch: 100 }, schedulePayloads),
  table(
    { name: "graph", key: ["id"], batch: 100 },
    { input: "json", result: "json", error: "json", progress: "json", summary: "text" },
    (to, record, row) => graphPayloads(to, text(row, "id"), record as Partial<GraphRow>),
  ),
  table(
    { name: "node", key: ["graph_id", "id"], batch: 100, more: ["kind"] },
    { input: "json", result: "json", error: "json", state: "json" },
    (to, record, row) =>
      nodePayloads(to, text(row, "graph_id"), {
        ...(record as Partial<NodeRow>),
        id: text(row, "id"),
        kind: text(row, "kind") as NodeRow["kind"],
      }),
  ),
  records<NodeRow>({ name: "past_node", key: ["graph_id", "epoch", "id"], batch: 50 }, pastNodePayloads),
  table({ name: "signal", key: ["graph_id", "seq"], batch: 50 }, { payload: "json" }, (to, record, row) =>
    signalPayloads(to, {
      ...(record as unknown as SignalRow),
      graphId: text(row, "graph_id"),
      seq: Number(row["seq"]),
    }),
  ),
  PARTS,
  table({ name: "delivery", key: ["id"], batch: 100 }, { body: "text" }, (to, record, row) =>
    deliveryPayloads(to, { body: String(record["body"]), id: text(row, "id") }),
  ),
  table({ name: "attempt", key: ["delivery_id", "number"], batch: 200 }, { response: "text" }, (to, record, row) =>
    attemptPayloads(to, {
      response: record["response"] as string | undefined,
      deliveryId: text(row, "delivery_id"),
      number: Number(row["number"]),
    }),
  ),
  table({ name: "answer", key: ["id"], batch: 100 }, { body: "text" }, (to, { body }, row) =>
    body === undefined ? {} : { body: to.text(body as string, answerPlace(text(row, "id"))) },
  ),
  table({ name: "sent_event", key: ["name", "id"], batch: 100 }, { data: "json" }, (to, { data }, row) =>
    sentEventPayloads(to, { data: data as Json, name: text(row, "name"), id: text(row, "id") }),
  ),
  records<Pick<StartGroupRow, "events">>(
    { name: "start_group", key: ["graph", "key", "generation"], batch: 50 },
    (to, record, row) => {
      const group = { graph: text(row, "graph"), key: text(row, "key"), generation: text(row, "generation") };
      const { events } = startGroupPayloads(to, { ...group, events: record.events });
      return events === record.events ? record : { ...record, events };
    },
  ),
  table(
    { name: "audit", key: ["id"], batch: 200, more: ["at_ms", "operation", "target"] },
    { data: "json" },
    (to, { data }, row) =>
      auditPayloads(to, {
        data: data as Json | undefined,
        atMs: Number(row["at_ms"]),
        operation: text(row, "operation"),
        target: text(row, "target"),
      }),
  ),
];

/** Events of a run in one row. @param fields of one: its type, its node, and its data as JSON */
function events<E>(
  given: Pick<PayloadTable, "key"> & { name: string; column: string },
  read: (event: E) => { type: GraphEventType; node: string | undefined; data: Json | undefined },
  withData: (event: E, data: Json) => E,
): PayloadTable {
  const { column, ...rest } = given;
  return {
    ...rest,
    columns: [column],
    batch: 50,
    change: (row, to) => {
      const all = JSON.parse(text(row, column)) as E[];
      const next = all.map((event) => {
        const { type, node, data } = read(event);
        if (data === undefined) return event;
        const own = { graphId: text(row, "graph_id"), type, timestampMs: 0, data, ...(node !== undefined && { node }) };
        const made = eventPayloads(to, own);
        return made === own ? event : withData(event, made.data as Json);
      });
      return next.some((event, at) => event !== all[at]) ? { [column]: JSON.stringify(next) } : {};
    },
  };
}

/** Type, time, node, and data as JSON text. */
type SqliteEvent = [type: GraphEventType, timestampMs: number, node: string | null, data?: string];

export const SQLITE_TABLES: readonly PayloadTable[] = [
  ...COMMON,
  events<SqliteEvent>(
    { name: "event_run", key: ["graph_id", "last_seq"], column: "events" },
    ([type, , node, data]) => ({
      type,
      node: node ?? undefined,
      data: data === undefined ? undefined : (JSON.parse(data) as Json),
    }),
    ([type, timestampMs, node], data) => [type, timestampMs, node, JSON.stringify(data)],
  ),
  {
    name: "payload",
    key: ["graph_id", "id"],
    columns: ["data"],
    batch: 8,
    // The id is `graph/<column>` or `node/<node>/<column>`.
    change: (row, to) => {
      const [graphId, id] = [text(row, "graph_id"), text(row, "id")];
      const [of, column] = [id.slice(0, id.indexOf("/")), id.slice(id.lastIndexOf("/") + 1)];
      const node = id.slice(of.length + 1, -(column.length + 1));
      const value = JSON.parse(text(row, "data")) as Json;
      const place = of === "graph" ? `graph/${graphId}/${column}` : `node/${graphId}/${node}/${column}`;
      const next = to.json(value, place);
      return next === value ? {} : { data: JSON.stringify(next) };
    },
  },
];

interface PostgresEvent {
  type: GraphEventType;
  node?: string;
  at: number;
  data?: Json;
}

export const POSTGRES_TABLES: readonly PayloadTable[] = [
  ...COMMON,
  events<PostgresEvent>(
    { name: "event", key: ["graph_id", "last"], column: "data" },
    ({ type, node, data }) => ({ type, node, data }),
    (event, data) => ({ ...event, data }),
  ),
];
