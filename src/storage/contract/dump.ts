/**
 * What a store holds, as rows that any other store takes: table by table, in the order of their keys, in batches that fit into memory.
 * Tables that follow from these (counts, tags, values beside their row) are not among them: whoever loads makes its own. For
 * `svc migrate` (docs/decisions/049-moving-to-another-database.md).
 */
import {
  ARTIFACT_COLUMNS,
  ATTEMPT_COLUMNS,
  AUDIT_COLUMNS,
  DELIVERY_COLUMNS,
  EVENT_COLUMNS,
  GRAPH_COLUMNS,
  NODE_COLUMNS,
  SIGNAL_COLUMNS,
  type Columns,
} from "./columns.ts";
import type { MigrationState } from "./migration-state.ts";

/** `json`: text of our own making, in which no character stands that a database could refuse. */
export type DumpKind = "text" | "json" | "integer" | "real" | "bytes";
export type DumpValue = string | number | null | Uint8Array;
/** Values in the order of the table's columns. */
export type DumpRow = readonly DumpValue[];
export type DumpKey = readonly (string | number)[];

export interface DumpColumn {
  name: string;
  kind: DumpKind;
}

export interface DumpTable {
  name: string;
  columns: readonly DumpColumn[];
  /** Names of the columns by which rows are told apart, and in whose order they come. */
  key: readonly string[];
  /** Rows of a batch, at most: fewer where they may be long. */
  batch: number;
}

/** Bytes of a batch, about: then it is full, however few rows it has. */
export const BATCH_BYTES = 8 * 1024 * 1024;

export interface Dump {
  /** The database in words for people, without a password; the same each time. */
  readonly label: string;
  count(table: DumpTable): Promise<number>;
  /** The first rows behind a key, in order: at least one where there is any. Order is that of the texts' bytes. */
  read(table: DumpTable, after: DumpKey | undefined): Promise<DumpRow[]>;
  mark(): Promise<MigrationState | undefined>;
  setMark(mark: MigrationState | undefined): Promise<void>;
  /** A row as this database can keep it: the same one where nothing had to be replaced. @throws SvcError `SVC_MOVE` for one that it can't. */
  kept(table: DumpTable, row: DumpRow): DumpRow;
  /** Writes rows that are `kept`, and the mark with them, in one transaction. Rows whose key is there already stay as they are. */
  load(table: DumpTable, rows: readonly DumpRow[], mark: MigrationState): Promise<void>;
  /** What is left to do once all rows are there. May be done twice. */
  finish(): Promise<void>;
  /** Who uses it now, in words; undefined: nobody. */
  user(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Of columns that are numbers those that may have a fraction. */
const REAL = new Set(["duration_ms"]);

function from(columns: Columns): DumpColumn[] {
  return Object.values(columns).map(([name, kind]) => {
    return { name, kind: kind !== "number" ? kind : REAL.has(name) ? "real" : "integer" };
  });
}

const text = (name: string): DumpColumn => ({ name, kind: "text" });
const json = (name: string): DumpColumn => ({ name, kind: "json" });
const integer = (name: string): DumpColumn => ({ name, kind: "integer" });

/** In the order in which they are moved: what is looked at first by who looks for trouble comes first. */
export const DUMP_TABLES: readonly DumpTable[] = [
  {
    name: "registration",
    columns: [text("id"), text("url"), integer("created_ms"), json("data")],
    key: ["id"],
    batch: 100,
  },
  { name: "schedule", columns: [text("id"), integer("next_ms"), json("data")], key: ["id"], batch: 100 },
  { name: "queue", columns: [text("worker"), json("data")], key: ["worker"], batch: 100 },
  { name: "graph", columns: [...from(GRAPH_COLUMNS), integer("seq")], key: ["id"], batch: 500 },
  { name: "node", columns: from(NODE_COLUMNS), key: ["graph_id", "id"], batch: 500 },
  {
    name: "past_node",
    columns: [text("graph_id"), integer("epoch"), text("id"), json("data")],
    key: ["graph_id", "epoch", "id"],
    batch: 50,
  },
  { name: "event", columns: from(EVENT_COLUMNS), key: ["graph_id", "seq"], batch: 1000 },
  { name: "signal", columns: from(SIGNAL_COLUMNS), key: ["graph_id", "seq"], batch: 50 },
  { name: "artifact", columns: from(ARTIFACT_COLUMNS), key: ["graph_id", "id"], batch: 500 },
  {
    name: "artifact_part",
    columns: [text("graph_id"), text("id"), integer("at"), { name: "data", kind: "bytes" }],
    key: ["graph_id", "id", "at"],
    batch: 32,
  },
  { name: "delivery", columns: from(DELIVERY_COLUMNS), key: ["id"], batch: 100 },
  { name: "attempt", columns: from(ATTEMPT_COLUMNS), key: ["delivery_id", "number"], batch: 500 },
  { name: "session", columns: [text("id"), text("data"), integer("expires_ms")], key: ["id"], batch: 500 },
  {
    name: "answer",
    columns: [text("id"), text("body_hash"), integer("created_ms"), integer("status"), text("body")],
    key: ["id"],
    batch: 100,
  },
  { name: "audit", columns: from(AUDIT_COLUMNS), key: ["id"], batch: 500 },
  {
    name: "activity",
    columns: [integer("at_ms"), text("process"), json("data")],
    key: ["at_ms", "process"],
    batch: 500,
  },
];

/** The key of a row. */
export function keyOf({ columns, key }: DumpTable, row: DumpRow): DumpKey {
  return key.map((name) => row[columns.findIndex((column) => column.name === name)] as string | number);
}

/** Bytes of a value, about. */
export function sizeOf(value: DumpValue): number {
  return typeof value === "string" ? value.length : value instanceof Uint8Array ? value.byteLength : 8;
}
