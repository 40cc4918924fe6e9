/** Admission of waiting runs in SQLite. The phase and status of a run stay, so caches of them stay valid. */
import {
  COUNTS,
  FAIR_SLICE,
  nextFairRun,
  openKeys,
  virtualTime,
  WAITS,
  type AdmissionRows,
  type FairTable,
  type LimitedKey,
} from "../contract/admission.ts";
import type { Database } from "./database.ts";

const OF_KEY = "worker = ? AND concurrency_key = ?";
const waitingIf = (condition: string): string =>
  `SELECT id FROM graph WHERE ${OF_KEY} AND ${WAITS}${condition} ORDER BY queue_position, id LIMIT ?`;
const WAITING = waitingIf("");
const NOT_EXPIRED = " AND (expires_ms IS NULL OR expires_ms > ?)";
const FIRST = waitingIf(NOT_EXPIRED);
/** Runs that were started before their graph had `fairness`. */
const FIRST_WITHOUT_KEY = `SELECT id FROM graph INDEXED BY graph_fair_waiting
  WHERE ${OF_KEY} AND fairness_key IS NULL AND ${WAITS}${NOT_EXPIRED} ORDER BY queue_position, id LIMIT ?`;
// Without statistics SQLite would take the index of all queued runs.
const EXPIRED = `SELECT id FROM graph INDEXED BY graph_expiry WHERE ${WAITS} AND expires_ms IS NOT NULL AND expires_ms <= ? ORDER BY expires_ms LIMIT ?`;
const NEXT_EXPIRY = `SELECT min(expires_ms) AS due FROM graph INDEXED BY graph_expiry WHERE ${WAITS} AND expires_ms IS NOT NULL`;
const ADMITTED = `SELECT id FROM graph WHERE ${OF_KEY} AND ${COUNTS} ORDER BY admitted_ms, id LIMIT ?`;
const COUNT = `SELECT count(*) AS count FROM (SELECT 1 FROM graph WHERE ${OF_KEY} AND ${COUNTS} LIMIT ?)`;
const OPEN = openKeys("graph", (position) => `?${position}`);
// Without statistics SQLite might take another index of waiting runs.
const FAIR: FairTable = { name: "graph", at: (position) => `?${position}`, index: (name) => ` INDEXED BY ${name}` };
const NEXT_FAIR = nextFairRun(FAIR);
const VIRTUAL_TIME = virtualTime(FAIR);

export class SqliteAdmission implements AdmissionRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  admit({ worker, key }: LimitedKey, limit: number, nowMs: number): Promise<string[]> {
    const of = [worker, key] as const;
    return this.#database.write(() => this.#admitFirst(FIRST, of, nowMs, this.#free(of, limit)));
  }

  admitFairly({ worker, key }: LimitedKey, limit: number, nowMs: number): Promise<string[]> {
    const of = [worker, key] as const;
    return this.#database.write(() => {
      const free = Math.min(this.#free(of, limit), FAIR_SLICE);
      const ids = this.#admitFirst(FIRST_WITHOUT_KEY, of, nowMs, free);
      let tag = Number(this.#database.sql(VIRTUAL_TIME).get(...of)?.["tag"] ?? 0);
      while (ids.length < free) {
        const next = this.#database.sql(NEXT_FAIR).get(...of, nowMs, tag);
        if (!next) break;
        tag = Number(next["tag"]);
        const id = String(next["id"]);
        this.#database.sql("UPDATE graph SET admitted_ms = ?, fair_tag = ? WHERE id = ?").run(nowMs, tag, id);
        ids.push(id);
      }
      return ids;
    });
  }

  #free(of: readonly [worker: string, key: string], limit: number): number {
    return limit - Number(this.#database.sql(COUNT).get(...of, limit)?.["count"]);
  }

  #admitFirst(text: string, of: readonly [worker: string, key: string], nowMs: number, free: number): string[] {
    if (free <= 0) return [];
    const rows = this.#database.sql(text).all(...of, nowMs, free);
    const ids = rows.map((row) => String(row["id"]));
    for (const id of ids) this.#database.sql("UPDATE graph SET admitted_ms = ? WHERE id = ?").run(nowMs, id);
    return ids;
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
