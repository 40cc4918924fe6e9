/** The payloads of an SQLite file, for their encryption with another key. The process has the file to itself. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { SvcError } from "../../platform/shared/errors.ts";
import { SQLITE_TABLES, type Cell, type Cells, type PayloadTable } from "../encryption/payload-tables.ts";
import type { PayloadChange, PayloadDatabase } from "../encryption/rotate-payloads.ts";
import { Database } from "./database.ts";
import type { Statement } from "./file/driver.ts";

/** Both drivers accept and return bytes. */
interface WideStatement {
  run(...values: Cell[]): { changes: number | bigint };
  all(...values: Cell[]): Record<string, Cell | ArrayBuffer>[];
}
const wide = (statement: Statement): WideStatement => statement as unknown as WideStatement;

export class SqlitePayloads implements PayloadDatabase {
  readonly label: string;
  readonly tables = SQLITE_TABLES;
  readonly #database: Database;

  private constructor(label: string, database: Database) {
    this.label = label;
    this.#database = database;
  }

  /** @throws SvcError `SVC_STORE` if it does not exist, or another process has it. */
  static async open(file: string): Promise<SqlitePayloads> {
    if (!existsSync(file))
      throw new SvcError("SVC_STORE", `The database ${file} does not exist; give the path of an existing one`);
    return new SqlitePayloads(`the database ${resolve(file)}`, await Database.open(file));
  }

  async read({ name, key, columns, batch }: PayloadTable, after: Cells | undefined): Promise<Cells[]> {
    const order = key.join(", ");
    const where = after ? `WHERE (${order}) > (${key.map(() => "?").join(", ")})` : "";
    const sql = `SELECT ${[...key, ...columns].join(", ")} FROM ${name} ${where} ORDER BY ${order} LIMIT ${batch}`;
    const rows = wide(this.#database.sql(sql)).all(...(after ? key.map((column) => after[column] as Cell) : []));
    return rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([column, value]) => [
          column,
          value instanceof ArrayBuffer ? new Uint8Array(value) : value,
        ]),
      ),
    );
  }

  write({ name, key }: PayloadTable, changes: readonly PayloadChange[]): Promise<number> {
    return this.#database.write(() => {
      for (const { row, next } of changes) {
        const columns = Object.keys(next);
        const sets = columns.map((column) => `${column} = ?`).join(", ");
        const where = key.map((column) => `${column} = ?`).join(" AND ");
        wide(this.#database.sql(`UPDATE ${name} SET ${sets} WHERE ${where}`)).run(
          ...columns.map((column) => next[column] as Cell),
          ...key.map((column) => row[column] as Cell),
        );
      }
      return changes.length;
    });
  }

  /** Free pages and the log still contain earlier values. The close empties the log. */
  async clean(): Promise<void> {
    this.#database.sql("VACUUM").run();
    this.#database.sql("PRAGMA wal_checkpoint(TRUNCATE)").all();
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
