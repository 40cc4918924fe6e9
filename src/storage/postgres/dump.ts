/** The content of a schema in PostgreSQL as rows, for migrations (../contract/dump.ts). */
import { SvcError } from "../../platform/shared/errors.ts";
import {
  BATCH_BYTES,
  keyOf,
  type Dump,
  type DumpColumn,
  type DumpKey,
  type DumpKind,
  type DumpRow,
  type DumpTable,
  type DumpValue,
} from "../contract/dump.ts";
import { attributeKeys, type Attributes } from "../contract/attributes.ts";
import type { MigrationState } from "../contract/migration-state.ts";
import { Database, type SqlValue } from "./database.ts";
import { COUNT_EVENTS, readEvents, writeEvents } from "./event-dump.ts";
import { openPool, readPostgresUrl } from "./connection/driver.ts";
import { clean } from "./write/group-document.ts";
import { postgresLabel, readMigrationState, writeMigrationState } from "./migration-state.ts";
import { SILENT_MS } from "./webhooks/claim-function.ts";
import { storeError } from "./connection/store-error.ts";

const EVENT = "event";

const ARRAYS: Readonly<Record<DumpKind, string>> = {
  text: "text[]",
  json: "text[]",
  integer: "bigint[]",
  real: "double precision[]",
  bytes: "bytea[]",
};

/** Columns of one index. PostgreSQL refuses entries above about 2,700 bytes. */
const INDEXED: Readonly<Record<string, readonly (readonly string[])[]>> = {
  graph: [["worker", "idempotency_key"]],
  signal: [["graph_id", "key"]],
  registration: [["url"]],
  audit: [["target"]],
};
const LONGEST_ENTRY = 2600;

/** Derived data of runs: counts and tags. */
const WITH_GRAPHS = (insert: string): string => `
  WITH added AS (${insert} RETURNING id, worker, status, tags),
  counted AS (
    INSERT INTO svc.graph_total (worker, status, slot, total) SELECT worker, status, '', count(*) FROM added GROUP BY worker, status
    ON CONFLICT (worker, status, slot) DO UPDATE SET total = graph_total.total + excluded.total
  )
  INSERT INTO svc.graph_tag (tag, status, graph_id)
  SELECT DISTINCT tag.value, status, id FROM added, json_array_elements_text(added.tags::json) AS tag WHERE tags <> '[]'
  ON CONFLICT DO NOTHING`;

/** The index of attributes. */
const ADD_ATTRIBUTES = `
  INSERT INTO svc.graph_attribute (name, status, graph_id, value)
  SELECT r.name, r.status, r.id, r.value FROM json_to_recordset($1::json) AS r(name text, status text, id text, value text)
  ON CONFLICT DO NOTHING`;

/** Additional columns of tables, each as an expression. */
const MORE: Readonly<Record<string, Readonly<Record<string, string>>>> = { answer: { claim: "''" } };

export class PostgresDump implements Dump {
  readonly label: string;
  readonly #database: Database;
  readonly #statements = new Map<string, string>();

  private constructor(label: string, database: Database) {
    this.label = label;
    this.#database = database;
  }

  /** Creates missing tables. @throws SvcError `SVC_CONFIG`, `SVC_STORE` */
  static async open(databaseUrl: string): Promise<PostgresDump> {
    return new PostgresDump(postgresLabel(databaseUrl), await Database.open(databaseUrl));
  }

  /** Whether the schema has svc's tables. Creates nothing. */
  static async isThere(databaseUrl: string): Promise<boolean> {
    const { url, schema } = readPostgresUrl(databaseUrl);
    const pool = await openPool(url, 1);
    try {
      const { rows } = await pool.query<{ meta: string | null }>("SELECT to_regclass($1) AS meta", [`${schema}.meta`]);
      return rows[0]?.meta !== null;
    } catch (error) {
      throw storeError(error);
    } finally {
      await pool.end();
    }
  }

  async count({ name }: DumpTable): Promise<number> {
    const text = name === EVENT ? COUNT_EVENTS : `SELECT count(*) AS total FROM svc.${name}`;
    return Number((await this.#database.row(text))?.["total"]);
  }

  async read(table: DumpTable, after: DumpKey | undefined): Promise<DumpRow[]> {
    if (table.name === EVENT) return readEvents(this.#database, after, table.batch);
    const rows = await this.#database.rows(readSql(table, after !== undefined), ...(after ?? []));
    return rows.map((row) => table.columns.map((_, at) => (row[`c${at}`] ?? null) as DumpValue));
  }

  async mark(): Promise<MigrationState | undefined> {
    return this.#database.transaction(readMigrationState);
  }

  async setMark(mark: MigrationState | undefined): Promise<void> {
    await this.#database.transaction(async (sql) => {
      await writeMigrationState(sql, mark);
      // A process that was frozen for long and is no longer visible writes nothing when it wakes up.
      if (mark?.state === "leaving")
        await sql("UPDATE svc.graph SET holder = NULL, lease = lease + 1 WHERE holder IS NOT NULL");
    });
  }

  kept(table: DumpTable, row: DumpRow): DumpRow {
    return keptInPostgres(table, row);
  }

  load(table: DumpTable, rows: readonly DumpRow[], mark: MigrationState): Promise<void> {
    const values = table.columns.map((_, at) => rows.map((row) => row[at] ?? null)) as unknown as SqlValue[];
    return this.#database.transaction(async (sql) => {
      if (table.name === EVENT) await writeEvents(sql, rows);
      else await sql(this.#insertSql(table), ...values);
      const attributes = table.name === "graph" ? attributeRows(table, rows) : [];
      if (attributes.length > 0) await sql(ADD_ATTRIBUTES, JSON.stringify(attributes));
      await writeMigrationState(sql, mark);
    });
  }

  #insertSql(table: DumpTable): string {
    let text = this.#statements.get(table.name);
    if (text === undefined) this.#statements.set(table.name, (text = insertSql(table)));
    return text;
  }

  async finish(): Promise<void> {
    await this.#database.row(
      "SELECT setval(pg_get_serial_sequence('svc.audit', 'id'), max(id)) FROM svc.audit HAVING max(id) IS NOT NULL",
    );
    // Update statistics for the query planner: the tables were empty when they were created.
    for (const name of ["graph", "graph_attribute", "node", "event", "delivery", "attempt"])
      await this.#database.row(`ANALYZE svc.${name}`);
  }

  async user(): Promise<string | undefined> {
    const row = await this.#database.row(
      `SELECT count(*) AS total FROM svc.slot WHERE used_at > clock_timestamp() - interval '${SILENT_MS} ms'`,
    );
    return Number(row?.["total"]) === 0
      ? undefined
      : `a process that has it open, or had it less than ${SILENT_MS / 1000} s ago`;
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

function attributeRows({ columns }: DumpTable, rows: readonly DumpRow[]): Record<string, string>[] {
  const [id, status, attributes] = ["id", "status", "attributes"].map((name) =>
    columns.findIndex((column) => column.name === name),
  ) as [number, number, number];
  return rows.flatMap((row) => {
    const text = row[attributes];
    const keys = typeof text === "string" ? attributeKeys(JSON.parse(text) as Attributes) : {};
    return Object.entries(keys).map(([name, value]) => ({
      id: String(row[id]),
      status: String(row[status]),
      name,
      value,
    }));
  });
}

/** Does not read long values to learn their length: rows are read until the batch is full. */
function readSql({ name, columns, key, batch }: DumpTable, isBehind: boolean): string {
  const keys = key.map((column) => `c${columns.findIndex((one) => one.name === column)}`).join(", ");
  const order = key.map((column) => `t.${column}`).join(", ");
  const where = isBehind ? `WHERE (${order}) > (${key.map((_, at) => `$${at + 1}`).join(", ")})` : "";
  const list = columns.map((column, at) => `t.${column.name} AS c${at}`).join(", ");
  const size = columns
    .filter(({ kind }) => ["text", "json", "bytes"].includes(kind))
    .map((column) => `coalesce(octet_length(t.${column.name}), 0)`)
    .join(" + ");
  return `SELECT * FROM (
      SELECT *, sum(size) OVER (ORDER BY ${keys} ROWS UNBOUNDED PRECEDING) - size AS before FROM (
        SELECT ${list}, ${size === "" ? "8" : size} AS size FROM svc.${name} AS t ${where} ORDER BY ${order} LIMIT ${batch}
      ) AS page
    ) AS sized WHERE before < ${BATCH_BYTES} ORDER BY ${keys}`;
}

function insertSql(table: DumpTable): string {
  const { name, columns, key } = table;
  const more = MORE[name] ?? {};
  const names = [...columns.map((column) => column.name), ...Object.keys(more)].join(", ");
  const arrays = columns.map(({ kind }, at) => `$${at + 1}::${ARRAYS[kind]}`).join(", ");
  const values = ["given.*", ...Object.values(more)].join(", ");
  // The database assigns numbers of the audit trail unless it is overridden.
  const own = name === "audit" ? "OVERRIDING SYSTEM VALUE" : "";
  const insert = `INSERT INTO svc.${name} (${names}) ${own} SELECT ${values} FROM unnest(${arrays}) AS given ON CONFLICT (${key.join(", ")}) DO NOTHING`;
  return name === "graph" ? WITH_GRAPHS(insert) : insert;
}

/** Implements `Dump.kept`, also without a database. @throws SvcError `SVC_MOVE` */
export function keptInPostgres(table: DumpTable, row: DumpRow): DumpRow {
  let kept: DumpRow = row;
  table.columns.forEach((column, at) => {
    const value = cleaned(table, column, row[at] ?? null);
    if (value !== row[at]) kept = kept.with(at, value);
  });
  for (const names of [table.key, ...(INDEXED[table.name] ?? [])]) requireShort(table, kept, names);
  return kept;
}

/** The database parses these columns, so characters that it can't store must not be in them as escapes either. */
const PARSED: readonly string[] = ["tags", "attributes"];

function cleaned({ name }: DumpTable, column: DumpColumn, value: DumpValue): DumpValue {
  if (name !== "graph" || !PARSED.includes(column.name) || typeof value !== "string") return clean(value);
  return value.includes("\\u") ? JSON.stringify(JSON.parse(value, (_, each: unknown) => clean(each))) : value;
}

function requireShort(table: DumpTable, row: DumpRow, names: readonly string[]): void {
  let bytes = 0;
  for (const name of names) {
    const value = row[table.columns.findIndex((column) => column.name === name)];
    if (typeof value === "string") bytes += value.length > LONGEST_ENTRY / 4 ? Buffer.byteLength(value) : value.length;
  }
  if (bytes <= LONGEST_ENTRY) return;
  const key = JSON.stringify(keyOf(table, row)).slice(0, 120);
  throw new SvcError(
    "SVC_MOVE",
    `The ${table.name} ${key} has ${names.join(" and ")} of ${bytes} bytes in total; PostgreSQL indexes up to ${LONGEST_ENTRY}. Purge the row before the move`,
  );
}
