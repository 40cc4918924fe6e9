/** Activity in SQLite. */
import type { Json } from "../../platform/shared/json.ts";
import type { ActivityRow, ActivityRows } from "../contract/activity.ts";
import type { Database } from "./database.ts";

const UPSERT =
  "INSERT INTO activity (at_ms, process, data) VALUES (?, ?, ?) ON CONFLICT (at_ms, process) DO UPDATE SET data = excluded.data";

export class SqliteActivity implements ActivityRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async save(rows: readonly ActivityRow[]): Promise<void> {
    await this.#database.write(() => {
      for (const { atMs, process, data } of rows) this.#database.sql(UPSERT).run(atMs, process, JSON.stringify(data));
    });
  }

  async since(atMs: number): Promise<ActivityRow[]> {
    return this.#database
      .sql("SELECT at_ms, process, data FROM activity WHERE at_ms >= ? ORDER BY at_ms, process")
      .all(atMs)
      .map((row) => ({
        atMs: Number(row["at_ms"]),
        process: String(row["process"]),
        data: JSON.parse(String(row["data"])) as Json,
      }));
  }

  async purge(beforeMs: number): Promise<void> {
    await this.#database.write(() => this.#database.sql("DELETE FROM activity WHERE at_ms < ?").run(beforeMs));
  }
}
