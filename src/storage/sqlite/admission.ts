/** Admission of waiting runs in SQLite. The phase and status of a run stay, so caches of them stay valid. */
import { COUNTS, openKeys, WAITS, type AdmissionRows, type LimitedKey } from "../contract/admission.ts";
import type { Database } from "./database.ts";

const OF_KEY = "worker = ? AND concurrency_key = ?";
const waitingIf = (condition: string): string =>
  `SELECT id FROM graph WHERE ${OF_KEY} AND ${WAITS}${condition} ORDER BY queue_position, id LIMIT ?`;
const WAITING = waitingIf("");
const FIRST = waitingIf(" AND (expires_ms IS NULL OR expires_ms > ?)");
// Without statistics SQLite would take the index of all queued runs.
const EXPIRED = `SELECT id FROM graph INDEXED BY graph_expiry WHERE ${WAITS} AND expires_ms IS NOT NULL AND expires_ms <= ? ORDER BY expires_ms LIMIT ?`;
const NEXT_EXPIRY = `SELECT min(expires_ms) AS due FROM graph INDEXED BY graph_expiry WHERE ${WAITS} AND expires_ms IS NOT NULL`;
const ADMITTED = `SELECT id FROM graph WHERE ${OF_KEY} AND ${COUNTS} ORDER BY admitted_ms, id LIMIT ?`;
const COUNT = `SELECT count(*) AS count FROM (SELECT 1 FROM graph WHERE ${OF_KEY} AND ${COUNTS} LIMIT ?)`;
const OPEN = openKeys("graph", (position) => `?${position}`);

export class SqliteAdmission implements AdmissionRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  admit({ worker, key }: LimitedKey, limit: number, nowMs: number): Promise<string[]> {
    const sql = (text: string) => this.#database.sql(text);
    return this.#database.write(() => {
      const free = limit - Number(sql(COUNT).get(worker, key, limit)?.["count"]);
      if (free <= 0) return [];
      const ids = sql(FIRST)
        .all(worker, key, nowMs, free)
        .map((row) => String(row["id"]));
      for (const id of ids) sql("UPDATE graph SET admitted_ms = ? WHERE id = ?").run(nowMs, id);
      return ids;
    });
  }

  async expired(nowMs: number, limit: number): Promise<string[]> {
    const rows = this.#database.sql(EXPIRED).all(nowMs, limit);
    return rows.map((row) => String(row["id"]));
  }

  async nextExpiryMs(): Promise<number | undefined> {
    const due = this.#database.sql(NEXT_EXPIRY).get()?.["due"] ?? null;
    return due === null ? undefined : Number(due);
  }

  async waiting({ worker, key }: LimitedKey, limit: number): Promise<string[]> {
    return this.#ids(WAITING, worker, key, limit);
  }

  async admitted({ worker, key }: LimitedKey, limit: number): Promise<string[]> {
    return this.#ids(ADMITTED, worker, key, limit);
  }

  async open(worker: string, limit: number, most: number): Promise<string[]> {
    const rows = this.#database.sql(OPEN).all(worker, limit, most);
    return rows.map((row) => String(row["key"]));
  }

  #ids(text: string, worker: string, key: string, limit: number): string[] {
    const rows = this.#database.sql(text).all(worker, key, limit);
    return rows.map((row) => String(row["id"]));
  }
}
