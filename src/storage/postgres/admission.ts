/** Admission of waiting runs in PostgreSQL. Admissions of a key take turns, in whichever process. */
import type { Json } from "../../platform/shared/json.ts";
import { COUNTS, openKeys, WAITS, type AdmissionRows, type LimitedKey } from "../contract/admission.ts";
import { toGraph } from "../contract/columns.ts";
import type { GraphRow } from "../contract/graph-rows.ts";
import type { Database } from "./database.ts";
import { clean } from "./write/group-document.ts";

/** "svc" as a number plus two. */
const LOCK = "SELECT pg_advisory_xact_lock(7697253, hashtext($1))";
const OF_KEY = "worker = $1 AND concurrency_key = $2";
const waitingIf = (condition: string): string =>
  `SELECT id FROM svc.graph WHERE ${OF_KEY} AND ${WAITS}${condition} ORDER BY queue_position, id LIMIT $3`;
const WAITING = waitingIf("");
const FIRST = `${waitingIf(" AND (expires_ms IS NULL OR expires_ms > $4)")} FOR UPDATE`;
const EXPIRED = `SELECT id FROM svc.graph WHERE ${WAITS} AND expires_ms IS NOT NULL AND expires_ms <= $1 ORDER BY expires_ms LIMIT $2`;
const NEXT_EXPIRY = `SELECT min(expires_ms) AS due FROM svc.graph WHERE ${WAITS} AND expires_ms IS NOT NULL`;
const ADMITTED = `SELECT id FROM svc.graph WHERE ${OF_KEY} AND ${COUNTS} ORDER BY admitted_ms, id LIMIT $3`;
const COUNT = `SELECT count(*) AS count FROM (SELECT 1 FROM svc.graph WHERE ${OF_KEY} AND ${COUNTS} LIMIT $3) AS counting`;
/** A command may change the run at the same time: its row is locked first, and looked at again. */
const ADMIT = `UPDATE svc.graph SET admitted_ms = $2 WHERE id = ANY ($1::text[]) AND ${WAITS} RETURNING *`;
const OPEN = openKeys("svc.graph", (position) => `$${position}${position === 1 ? "" : "::int"}`);
/** A run has at most one job that is not taken. */
const ADD_JOBS = `SELECT graphile_worker.add_jobs(array(
  SELECT json_populate_record(NULL::graphile_worker.job_spec, spec) FROM json_array_elements($1::json) AS spec))`;

export class PostgresAdmission implements AdmissionRows {
  readonly #database: Database;
  readonly #jobOf: (row: GraphRow) => Json;

  /** @param jobOf job by which a process finds an admitted run, in the format of graphile-worker's `add_jobs`. */
  constructor(database: Database, jobOf: (row: GraphRow) => Json) {
    this.#database = database;
    this.#jobOf = jobOf;
  }

  admit({ worker, key }: LimitedKey, limit: number, nowMs: number, isShared: boolean): Promise<string[]> {
    const of = [worker, clean(key)] as const;
    return this.#database.transaction(async (sql) => {
      await sql(LOCK, JSON.stringify(of));
      const [counted] = await sql(COUNT, ...of, limit);
      const free = limit - Number(counted?.["count"]);
      if (free <= 0) return [];
      const found = (await sql(FIRST, ...of, free, nowMs)).map((row) => String(row["id"]));
      if (found.length === 0) return [];
      const rows = (await sql(ADMIT, found, nowMs)).map((row) => toGraph(row));
      if (isShared && rows.length > 0) await sql(ADD_JOBS, JSON.stringify(rows.map((row) => this.#jobOf(row))));
      const ids = new Set(rows.map(({ id }) => id));
      return found.filter((id) => ids.has(id));
    });
  }

  async expired(nowMs: number, limit: number): Promise<string[]> {
    return (await this.#database.rows(EXPIRED, nowMs, limit)).map((row) => String(row["id"]));
  }

  async nextExpiryMs(): Promise<number | undefined> {
    const due = (await this.#database.row(NEXT_EXPIRY))?.["due"] ?? null;
    return due === null ? undefined : Number(due);
  }

  waiting({ worker, key }: LimitedKey, limit: number): Promise<string[]> {
    return this.#ids(WAITING, worker, clean(key), limit);
  }

  admitted({ worker, key }: LimitedKey, limit: number): Promise<string[]> {
    return this.#ids(ADMITTED, worker, clean(key), limit);
  }

  async open(worker: string, limit: number, most: number): Promise<string[]> {
    return (await this.#database.rows(OPEN, worker, limit, most)).map((row) => String(row["key"]));
  }

  async #ids(text: string, worker: string, key: string, limit: number): Promise<string[]> {
    return (await this.#database.rows(text, worker, key, limit)).map((row) => String(row["id"]));
  }
}
