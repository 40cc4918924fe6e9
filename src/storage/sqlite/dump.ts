/** The content of an SQLite file as rows, for migrations (../contract/dump.ts). The process has the file to itself. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { SvcError } from "../../platform/shared/errors.ts";
import type { RunStatus } from "../../platform/shared/wire.ts";
import type { Attributes } from "../contract/attributes.ts";
import {
  BATCH_BYTES,
  sizeOf,
  type Dump,
  type DumpColumn,
  type DumpKey,
  type DumpRow,
  type DumpTable,
  type DumpValue,
} from "../contract/dump.ts";
import type { MigrationState } from "../contract/migration-state.ts";
import type { Value } from "../contract/row.ts";
import { Database } from "./database.ts";
import type { Statement } from "./file/driver.ts";
import { countEvents, dumpedEvents, loadEvents } from "./event-dump.ts";
import { lastSeqOf } from "./runs/event-runs.ts";
import { LONG } from "./runs/long-columns.ts";
import { readMigrationState, writeMigrationState } from "./migration-state.ts";
import { Payloads } from "./runs/payloads.ts";
import { countGraphs } from "./runs/totals.ts";

/** Includes bytes, which the drivers accept and return. */
interface WideStatement {
  run(...values: DumpValue[]): { changes: number | bigint };
  all(...values: DumpValue[]): Record<string, DumpValue | ArrayBuffer>[];
}
const wide = (statement: Statement): WideStatement => statement as unknown as WideStatement;

/** Additional columns of the tables, computed from others. */
const MORE: Readonly<Record<string, Readonly<Record<string, (row: (name: string) => DumpValue) => Value>>>> = {
  schedule: {
    worker: (row) => scheduleOf(row).worker,
    is_enabled: (row) => (scheduleOf(row).isPaused ? 0 : 1),
  },
  queue: { is_paused: () => 1 },
};

export class SqliteDump implements Dump {
  readonly label: string;
  readonly #database: Database;
  readonly #payloads: Payloads;

  private constructor(label: string, database: Database) {
    this.label = label;
    this.#database = database;
    this.#payloads = new Payloads(database);
  }

  /**
   * @param options.isNew whether to create a missing file.
   * @throws SvcError `SVC_STORE` if it does not exist, or another process has it.
   */
  static async open(file: string, { isNew }: { isNew: boolean }): Promise<SqliteDump> {
    if (!isNew && !existsSync(file))
      throw new SvcError("SVC_STORE", `The database ${file} does not exist; give the path of an existing one`);
    return new SqliteDump(`the database ${resolve(file)}`, await Database.open(file));
  }

  async count({ name }: DumpTable): Promise<number> {
    if (name === "event") return countEvents(this.#database);
    return Number(this.#database.sql(`SELECT count(*) AS total FROM ${name}`).get()?.["total"]);
  }

  async read(table: DumpTable, after: DumpKey | undefined): Promise<DumpRow[]> {
    const { name, columns, key, batch } = table;
    if (name === "event") return dumpedEvents(this.#database, after, batch);
    const list = columns.map((column, at) => `${selected(table, column)} AS c${at}`).join(", ");
    const order = key.map((column) => `t.${column}`).join(", ");
    const where = after ? `WHERE (${order}) > (${key.map(() => "?").join(", ")})` : "";
    const found = wide(
      this.#database.sql(`SELECT ${list} FROM ${name} AS t ${where} ORDER BY ${order} LIMIT ${batch}`),
    ).all(...(after ?? []));
    const rows: DumpRow[] = [];
    let bytes = 0;
    for (const one of found) {
      const row = columns.map((column, at) => this.#valueOf(table, column, one[`c${at}`] ?? null, one["c0"]));
      rows.push(row);
      for (const value of row) bytes += sizeOf(value);
      if (bytes >= BATCH_BYTES) break;
    }
    return rows;
  }

  /** @param graphId the first column of each table with long values. */
  #valueOf(
    table: DumpTable,
    { name, kind }: DumpColumn,
    given: DumpValue | ArrayBuffer,
    graphId: DumpValue | ArrayBuffer | undefined,
  ): DumpValue {
    const value = given instanceof ArrayBuffer ? new Uint8Array(given) : given;
    if (kind !== "bytes" && value instanceof Uint8Array) return new TextDecoder().decode(value);
    if (typeof value === "string" && isLong(table, name)) return this.#payloads.get(String(graphId), value);
    return value;
  }

  async mark(): Promise<MigrationState | undefined> {
    return readMigrationState(this.#database);
  }

  setMark(mark: MigrationState | undefined): Promise<void> {
    return this.#database.write(() => writeMigrationState(this.#database, mark));
  }

  kept(_table: DumpTable, row: DumpRow): DumpRow {
    return row;
  }

  load(table: DumpTable, rows: readonly DumpRow[], mark: MigrationState): Promise<void> {
    const more = MORE[table.name] ?? {};
    const columns = [...table.columns.entries()].filter(([, { name }]) => isOwn(table, name));
    const names = [...columns.map(([, { name }]) => name), ...Object.keys(more)];
    const insert = `INSERT INTO ${table.name} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})
      ON CONFLICT (${table.key.join(", ")}) DO NOTHING`;
    if (table.name === "event")
      return this.#database.write(() => {
        loadEvents(this.#database, rows);
        writeMigrationState(this.#database, mark);
      });
    return this.#database.write(() => {
      const statement = wide(this.#database.sql(insert));
      const added = rows.filter((row) => {
        const named = (name: string): DumpValue =>
          row[table.columns.findIndex((column) => column.name === name)] ?? null;
        const own = columns.map(([at, { name }]) => this.#short(table, name, row[at] ?? null, named));
        return statement.run(...own, ...Object.values(more).map((value) => value(named))).changes > 0;
      });
      if (table.name === "graph") this.#count(table, added);
      writeMigrationState(this.#database, mark);
    });
  }

  #short(table: DumpTable, name: string, value: DumpValue, named: (name: string) => DumpValue): DumpValue {
    if (typeof value !== "string" || !isLong(table, name)) return value;
    return table.name === "graph"
      ? this.#payloads.put(String(named("id")), `graph/${name}`, value)
      : this.#payloads.put(String(named("graph_id")), `node/${String(named("id"))}/${name}`, value);
  }

  #count({ columns }: DumpTable, rows: readonly DumpRow[]): void {
    const [id, worker, tags, status, attributes] = ["id", "worker", "tags", "status", "attributes"].map((name) =>
      columns.findIndex((column) => column.name === name),
    ) as [number, number, number, number, number];
    countGraphs(
      this.#database,
      rows.map((row) => ({
        id: String(row[id]),
        worker: String(row[worker]),
        tags: String(row[tags]),
        status: row[status] as RunStatus,
        attributes: row[attributes] == null ? undefined : (JSON.parse(String(row[attributes])) as Attributes),
        stored: undefined,
        indexed: undefined,
      })),
    );
  }

  async finish(): Promise<void> {
    await this.#database.write(() => this.#database.sql("ANALYZE").run());
  }

  /** Other processes are refused when they open it. */
  async user(): Promise<string | undefined> {
    return undefined;
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

/** One of the two drivers cuts a text at U+0000, so such a text is read as bytes. */
function selected(table: DumpTable, { name, kind }: DumpColumn): string {
  if (!isOwn(table, name)) return lastSeqOf("t");
  if (kind !== "text") return `t.${name}`;
  return `CASE WHEN instr(CAST(t.${name} AS BLOB), x'00') > 0 THEN CAST(t.${name} AS BLOB) ELSE t.${name} END`;
}

/** Whether a column is in the table: the number of a run's last event is only in its events. */
function isOwn({ name }: DumpTable, column: string): boolean {
  return !(name === "graph" && column === "seq");
}

function isLong({ name }: DumpTable, column: string): boolean {
  return (name === "graph" || name === "node") && LONG.has(column);
}

function scheduleOf(row: (name: string) => DumpValue): { worker: string; isPaused: boolean } {
  return JSON.parse(String(row("data"))) as { worker: string; isPaused: boolean };
}
