/** Sessions in SQLite. */
import type { SessionRows } from "../contract/session-store.ts";
import type { Database } from "./database.ts";

const UPSERT =
  "INSERT INTO session (id, data, expires_ms) VALUES (?, ?, ?) " +
  "ON CONFLICT (id) DO UPDATE SET data = excluded.data, expires_ms = excluded.expires_ms";

const UPDATE = "UPDATE session SET data = ?, expires_ms = ? WHERE id = ?";

export class SqliteSessions implements SessionRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async read(id: string): Promise<string | undefined> {
    const row = this.#database.sql("SELECT data FROM session WHERE id = ?").get(id);
    return row && String(row["data"]);
  }

  async write(id: string, data: string, expiresMs: number): Promise<void> {
    await this.#database.write(() => this.#database.sql(UPSERT).run(id, data, expiresMs));
  }

  async replace(id: string, data: string, expiresMs: number): Promise<boolean> {
    const { changes } = await this.#database.write(() => this.#database.sql(UPDATE).run(data, expiresMs, id));
    return Number(changes) > 0;
  }

  async remove(id: string): Promise<void> {
    await this.#database.write(() => this.#database.sql("DELETE FROM session WHERE id = ?").run(id));
  }

  async purge(nowMs: number): Promise<void> {
    await this.#database.write(() => this.#database.sql("DELETE FROM session WHERE expires_ms <= ?").run(nowMs));
  }
}
