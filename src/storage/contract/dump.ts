/**
 * The content of a store as rows that any other store accepts: table by table, in key order, in batches that fit into memory. Derived
 * tables (counts, tags, values outside their row) are not included: the target creates its own. For `svc migrate`
 * (docs/decisions/049-moving-to-another-database.md).
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

/** `json`: text that svc wrote, without characters that a database could reject. */
export type DumpKind = "text" | "json" | "integer" | "real" | "bytes";
export type DumpValue = string | number | null | Uint8Array;
/** Values in the order of the columns. */
export type DumpRow = readonly DumpValue[];
export type DumpKey = readonly (string | number)[];

export interface DumpColumn {
  name: string;
  kind: DumpKind;
}

export interface DumpTable {
  name: string;
  columns: readonly DumpColumn[];
  /** Key columns, which also define the order. */
  key: readonly string[];
  /** Maximum number of rows in a batch: few for tables with long rows. */
  batch: number;
}

/** Approximate bytes of a batch. A batch ends with the row that reaches this size. */
export const BATCH_BYTES = 8 * 1024 * 1024;

export interface Dump {
  /** Names the database without its password. Stable, so that a resumed move recognizes it. */
  readonly label: string;
  count(table: DumpTable): Promise<number>;
  /** The first rows after a key, in order: at least one if there is any. Texts are ordered by bytes. */
  read(table: DumpTable, after: DumpKey | undefined): Promise<DumpRow[]>;
  mark(): Promise<MigrationState | undefined>;
  setMark(mark: MigrationState | undefined): Promise<void>;
  /**
   * A row as this database can store it: unchanged if nothing must be replaced. @throws SvcError `SVC_MOVE` for a row that it can't
   * store.
   */
  kept(table: DumpTable, row: DumpRow): DumpRow;
  /** Writes converted rows and the state of the migration in one transaction. Rows with an existing key stay. */
  load(table: DumpTable, rows: readonly DumpRow[], mark: MigrationState): Promise<void>;
  /** Final work after all rows. Idempotent. */
  finish(): Promise<void>;
  /** The current user of the database in words; undefined: none. */
  user(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Number columns that may have a fraction. */
const REAL = new Set(["duration_ms", "fairness_cost"]);

function from(columns: Columns): DumpColumn[] {
  return Object.values(columns).map(([name, kind]) => {
    return { name, kind: kind !== "number" ? kind : REAL.has(name) ? "real" : "integer" };
  });
}

const text = (name: string): DumpColumn => ({ name, kind: "text" });
const json = (name: string): DumpColumn => ({ name, kind: "json" });
const integer = (name: string): DumpColumn => ({ name, kind: "integer" });
/** Only admissions use it, so runs in memory lack it. */
const FAIR_TAG: DumpColumn = { name: "fair_tag", kind: "real" };

/** In the order of the migration: the data that operators look at first comes first. */
export const DUMP_TABLES: readonly DumpTable[] = [
  {
    name: "registration",
    columns: [text("id"), text("url"), integer("created_ms"), json("data")],
    key: ["id"],
    batch: 100,
  },
  { name: "schedule", columns: [text("id"), integer("next_ms"), json("data")], key: ["id"], batch: 100 },
  { name: "queue", columns: [text("worker"), json("data")], key: ["worker"], batch: 100 },
  { name: "graph", columns: [...from(GRAPH_COLUMNS), integer("seq"), FAIR_TAG], key: ["id"], batch: 500 },
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
  {
    name: "sent_event",
    columns: [text("name"), text("id"), integer("position"), integer("is_pending"), json("data"), json("decided")],
    key: ["name", "id"],
    batch: 100,
  },
  {
    name: "start_group",
    columns: [text("graph"), text("key"), text("generation"), integer("is_open"), integer("due_ms"), json("data")],
    key: ["graph", "key", "generation"],
    batch: 50,
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

/** Approximate bytes of a value. */
export function sizeOf(value: DumpValue): number {
  return typeof value === "string" ? value.length : value instanceof Uint8Array ? value.byteLength : 8;
}
