/** Sessions in PostgreSQL. */
import type { SessionRows } from "../contract/session-store.ts";
import type { Database } from "./database.ts";
import { clean } from "./write/group-document.ts";

const UPSERT =
  "INSERT INTO svc.session (id, data, expires_ms) VALUES ($1, $2, $3) " +
  "ON CONFLICT (id) DO UPDATE SET data = excluded.data, expires_ms = excluded.expires_ms";

const UPDATE = "UPDATE svc.session SET data = $2, expires_ms = $3 WHERE id = $1";

export class PostgresSessions implements SessionRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async read(id: string): Promise<string | undefined> {
    const row = await this.#database.row("SELECT data FROM svc.session WHERE id = $1", clean(id));
    return row && String(row["data"]);
  }

  async write(id: string, data: string, expiresMs: number): Promise<void> {
    await this.#database.run(UPSERT, clean(id), clean(data), expiresMs);
  }

  async replace(id: string, data: string, expiresMs: number): Promise<boolean> {
    const { count } = await this.#database.run(UPDATE, clean(id), clean(data), expiresMs);
    return count > 0;
  }

  async remove(id: string): Promise<void> {
    await this.#database.run("DELETE FROM svc.session WHERE id = $1", clean(id));
  }

  async purge(nowMs: number): Promise<void> {
    await this.#database.run("DELETE FROM svc.session WHERE expires_ms <= $1", nowMs);
  }
}
