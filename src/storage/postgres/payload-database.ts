/** The payloads of a PostgreSQL database, for their encryption with another key, also while processes use it. */
import { POSTGRES_TABLES, type Cell, type Cells, type PayloadTable } from "../encryption/payload-tables.ts";
import type { PayloadChange, PayloadDatabase } from "../encryption/rotate-payloads.ts";
import { Database, type SqlValue } from "./database.ts";
import { postgresLabel } from "./migration-state.ts";

export class PostgresPayloads implements PayloadDatabase {
  readonly label: string;
  readonly tables = POSTGRES_TABLES;
  readonly #database: Database;

  private constructor(label: string, database: Database) {
    this.label = label;
    this.#database = database;
  }

  /** @throws SvcError `SVC_CONFIG`, `SVC_STORE` */
  static async open(databaseUrl: string): Promise<PostgresPayloads> {
    return new PostgresPayloads(postgresLabel(databaseUrl), await Database.open(databaseUrl));
  }

  async read({ name, key, columns, batch }: PayloadTable, after: Cells | undefined): Promise<Cells[]> {
    const order = key.join(", ");
    const where = after ? `WHERE (${order}) > (${key.map((_, at) => `$${at + 1}`).join(", ")})` : "";
    const text = `SELECT ${[...key, ...columns].join(", ")} FROM svc.${name} ${where} ORDER BY ${order} LIMIT ${batch}`;
    const rows = await this.#database.rows(text, ...(after ? key.map((column) => sqlValue(after[column])) : []));
    // Columns of these tables are texts, numbers and bytes.
    return rows as unknown as Cells[];
  }

  /** Compares all changed columns with their read values, because processes write at the same time. */
  write({ name, key }: PayloadTable, changes: readonly PayloadChange[]): Promise<number> {
    return this.#database.transaction(async (sql) => {
      let changed = 0;
      for (const { row, next } of changes) {
        const columns = Object.keys(next);
        const at = (index: number): string => `$${index + 1}`;
        const sets = columns.map((column, index) => `${column} = ${at(index)}`);
        const same = columns.map((column, index) => `${column} = ${at(columns.length + index)}`);
        const ids = key.map((column, index) => `${column} = ${at(2 * columns.length + index)}`);
        const found = await sql(
          `UPDATE svc.${name} SET ${sets.join(", ")} WHERE ${[...same, ...ids].join(" AND ")} RETURNING 1`,
          ...columns.map((column) => sqlValue(next[column])),
          ...[...columns, ...key].map((column) => sqlValue(row[column])),
        );
        changed += found.length;
      }
      return changed;
    });
  }

  /** VACUUM of the server removes earlier rows by and by. */
  async clean(): Promise<void> {}

  close(): Promise<void> {
    return this.#database.close();
  }
}

function sqlValue(cell: Cell | undefined): SqlValue {
  return cell as SqlValue;
}
