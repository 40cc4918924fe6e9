/** Admission of waiting runs in PostgreSQL. Admissions of a key take turns, in whichever process. */
import type { Json } from "../../platform/shared/json.ts";
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
import { toGraph } from "../contract/columns.ts";
import type { GraphRow } from "../contract/graph-rows.ts";
import type { Database, Sql } from "./database.ts";
import { clean } from "./write/group-document.ts";

/** "svc" as a number plus two. */
const LOCK = "SELECT pg_advisory_xact_lock(7697253, hashtext($1))";
const OF_KEY = "worker = $1 AND concurrency_key = $2";
const waitingIf = (condition: string): string =>
  `SELECT id FROM svc.graph WHERE ${OF_KEY} AND ${WAITS}${condition} ORDER BY queue_position, id LIMIT $3`;
const WAITING = waitingIf("");
const NOT_EXPIRED = " AND (expires_ms IS NULL OR expires_ms > $4)";
const FIRST = `${waitingIf(NOT_EXPIRED)} FOR UPDATE`;
/** Runs that were started before their graph had `fairness`. */
const FIRST_WITHOUT_KEY = `${waitingIf(` AND fairness_key IS NULL${NOT_EXPIRED}`)} FOR UPDATE`;
const EXPIRED = `SELECT id FROM svc.graph WHERE ${WAITS} AND expires_ms IS NOT NULL AND expires_ms <= $1 ORDER BY expires_ms LIMIT $2`;
const NEXT_EXPIRY = `SELECT min(expires_ms) AS due FROM svc.graph WHERE ${WAITS} AND expires_ms IS NOT NULL`;
const ADMITTED = `SELECT id FROM svc.graph WHERE ${OF_KEY} AND ${COUNTS} ORDER BY admitted_ms, id LIMIT $3`;
const COUNT = `SELECT count(*) AS count FROM (SELECT 1 FROM svc.graph WHERE ${OF_KEY} AND ${COUNTS} LIMIT $3) AS counting`;
/** A command may change the run at the same time: its row is locked first, and looked at again. */
const ADMIT = `UPDATE svc.graph SET admitted_ms = $2 WHERE id = ANY ($1::text[]) AND ${WAITS} RETURNING *`;
const OPEN = openKeys("svc.graph", (position) => `$${position}${position === 1 ? "" : "::int"}`);
const FAIR: FairTable = {
  name: "svc.graph",
  at: (position) => `$${position}${["", "", "::bigint", "::float8"][position - 1]}`,
  index: () => "",
};
const NEXT_FAIR = nextFairRun(FAIR);
const VIRTUAL_TIME = virtualTime(FAIR);
const ADMIT_FAIR = `UPDATE svc.graph SET admitted_ms = $2, fair_tag = $3 WHERE id = $1 AND ${WAITS} RETURNING *`;
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
      const rows = await admitFirst(sql, FIRST, of, nowMs, await lockedFree(sql, of, limit));
      return this.#admitted(sql, rows, isShared);
    });
  }

  admitFairly({ worker, key }: LimitedKey, limit: number, nowMs: number, isShared: boolean): Promise<string[]> {
    const of = [worker, clean(key)] as const;
    return this.#database.transaction(async (sql) => {
      const free = Math.min(await lockedFree(sql, of, limit), FAIR_SLICE);
      const rows = await admitFirst(sql, FIRST_WITHOUT_KEY, of, nowMs, free);
      const [time] = rows.length < free ? await sql(VIRTUAL_TIME, ...of) : [];
      let tag = Number(time?.["tag"] ?? 0);
      while (rows.length < free) {
        const [next] = await sql(NEXT_FAIR, ...of, nowMs, tag);
        if (!next) break;
        // A command may have changed the run meanwhile: then it waits no longer, and another one is next.
        const [admitted] = await sql(ADMIT_FAIR, String(next["id"]), nowMs, Number(next["tag"]));
        if (!admitted) continue;
        tag = Number(next["tag"]);
        rows.push(toGraph(admitted));
      }
      return this.#admitted(sql, rows, isShared);
    });
  }

  async #admitted(sql: Sql, rows: readonly GraphRow[], isShared: boolean): Promise<string[]> {
    if (isShared && rows.length > 0) await sql(ADD_JOBS, JSON.stringify(rows.map((row) => this.#jobOf(row))));
    return rows.map(({ id }) => id);
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

type OfKey = readonly [worker: string, key: string];

/** Number of runs that may be admitted. No other process admits runs of the key until the end of the transaction. */
async function lockedFree(sql: Sql, of: OfKey, limit: number): Promise<number> {
  await sql(LOCK, JSON.stringify(of));
  const [counted] = await sql(COUNT, ...of, limit);
  return limit - Number(counted?.["count"]);
}

/** Admits the first runs of a statement, in its order. */
async function admitFirst(sql: Sql, text: string, of: OfKey, nowMs: number, free: number): Promise<GraphRow[]> {
  if (free <= 0) return [];
  const found = (await sql(text, ...of, free, nowMs)).map((row) => String(row["id"]));
  if (found.length === 0) return [];
  const rows = new Map((await sql(ADMIT, found, nowMs)).map((row) => [String(row["id"]), toGraph(row)]));
  return found.flatMap((id) => rows.get(id) ?? []);
}
