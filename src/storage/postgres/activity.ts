/** Activity in PostgreSQL. */
import type { Json } from "../../platform/shared/json.ts";
import type { ActivityRow, ActivityRows } from "../contract/activity.ts";
import type { Database } from "./database.ts";
import { clean } from "./write/group-document.ts";

const UPSERT =
  "INSERT INTO svc.activity (at_ms, process, data) VALUES ($1, $2, $3) ON CONFLICT (at_ms, process) DO UPDATE SET data = excluded.data";

export class PostgresActivity implements ActivityRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async save(rows: readonly ActivityRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#database.transaction(async (sql) => {
      for (const { atMs, process, data } of rows) await sql(UPSERT, atMs, clean(process), clean(JSON.stringify(data)));
    });
  }

  async since(atMs: number): Promise<ActivityRow[]> {
    const text = "SELECT at_ms, process, data FROM svc.activity WHERE at_ms >= $1 ORDER BY at_ms, process";
    const rows = await this.#database.rows(text, atMs);
    return rows.map((row) => ({
      atMs: Number(row["at_ms"]),
      process: String(row["process"]),
      data: JSON.parse(String(row["data"])) as Json,
    }));
  }

  async purge(beforeMs: number): Promise<void> {
    await this.#database.run("DELETE FROM svc.activity WHERE at_ms < $1", beforeMs);
  }
}
