/**
 * Admission of runs whose graph limits its concurrency. The rows of the runs are the queue: a run with a `concurrencyKey` waits until it
 * has an `admittedMs`, and counts for its key from then until it ends. Nothing else is stored, so nothing can disagree after a crash.
 */
import type { GraphRow } from "./graph-rows.ts";

/** Whether a run waits for its key. Only an admission or a command changes it. */
export function waitsForKey({ status, admittedMs }: Pick<GraphRow, "status" | "admittedMs">): boolean {
  return status === "queued" && admittedMs === undefined;
}

/** Runs that count together: of one graph, with one key. */
export interface LimitedKey {
  worker: string;
  key: string;
}

export interface AdmissionRows {
  /**
   * Admits the first waiting runs of a key that have not expired while fewer than `limit` count, in one transaction. Its cost depends on the limit, not on the
   * number of waiting runs.
   * @param isShared whether several processes share the store: then each admitted run gets a job.
   * @returns ids of the admitted runs, in their order.
   */
  admit(of: LimitedKey, limit: number, nowMs: number, isShared: boolean): Promise<string[]>;
  /**
   * As `admit`, for a graph with `fairness`: the next run is of the fairness key that has used up the least of the limit, and among runs of
   * that key the first one. Admits at most `FAIR_SLICE` runs. Its cost grows with the number of fairness keys that wait.
   */
  admitFairly(of: LimitedKey, limit: number, nowMs: number, isShared: boolean): Promise<string[]>;
  /** Ids of waiting runs, of any graph, whose time to wait is over: they are never admitted. */
  expired(nowMs: number, limit: number): Promise<string[]>;
  /** Time at which the next waiting run expires; undefined: none does. */
  nextExpiryMs(): Promise<number | undefined>;
  /** Ids of waiting runs of a key, the first one first. */
  waiting(of: LimitedKey, limit: number): Promise<string[]>;
  /** Ids of runs that count for a key, by the time of their admission. */
  admitted(of: LimitedKey, limit: number): Promise<string[]>;
  /** Keys of a graph with a waiting run and fewer than `limit` counting ones, in order, at most `most`. */
  open(worker: string, limit: number, most: number): Promise<string[]>;
}

/** Condition of the index `graph_waiting`. */
export const WAITS = "status = 'queued' AND admitted_ms IS NULL";
/** Condition of the index `graph_admitted`. */
export const COUNTS = "admitted_ms IS NOT NULL AND phase NOT IN ('done', 'failed')";

/**
 * The keys of a graph one after another, each found by the index, so that the cost depends on the number of keys. Parameters: worker,
 * limit, most.
 * @param graph name of the table. @param at placeholder of a parameter, from 1.
 */
export function openKeys(graph: string, at: (position: number) => string): string {
  const next = (after: string): string =>
    `SELECT min(concurrency_key) FROM ${graph} WHERE worker = ${at(1)} AND ${WAITS}${after}`;
  return `WITH RECURSIVE waiting (key) AS (
      SELECT (${next("")})
      UNION ALL SELECT (${next(" AND concurrency_key > waiting.key")}) FROM waiting WHERE waiting.key IS NOT NULL)
    SELECT key FROM waiting WHERE key IS NOT NULL AND ${at(2)} > (SELECT count(*) FROM (
      SELECT 1 FROM ${graph} WHERE worker = ${at(1)} AND concurrency_key = waiting.key AND ${COUNTS} LIMIT ${at(2)}) AS counting)
    LIMIT ${at(3)}`;
}

/** Most runs in one fair admission. */
export const FAIR_SLICE = 20;

export interface FairTable {
  name: string;
  /** Placeholder of a parameter, from 1. */
  at: (position: number) => string;
  /** Names the index of a statement, where the database does not choose it by itself. */
  index: (name: string) => string;
}

/**
 * The run to admit next by start-time fair queueing, and its tag. A run of a key begins at the virtual time at which the key's last run
 * ends, which is the begin of that run plus its cost, and not before the virtual time of the last admission. The lowest tag is next. A tag
 * is computed only for the first run of each key and only when it may be admitted, so runs that are cancelled, expire or become due later
 * use up nothing. Parameters: worker, concurrency key, time, virtual time.
 */
export function nextFairRun({ name, at, index }: FairTable): string {
  const ofKey = `worker = ${at(1)} AND concurrency_key = ${at(2)}`;
  const waiting = `${name}${index("graph_fair_waiting")} WHERE ${ofKey} AND ${WAITS}`;
  const next = (after: string): string => `SELECT min(fairness_key) FROM ${waiting}${after}`;
  return `WITH RECURSIVE sharer (key) AS (
      SELECT (${next(" AND fairness_key IS NOT NULL")})
      UNION ALL SELECT (${next(" AND fairness_key > sharer.key")}) FROM sharer WHERE sharer.key IS NOT NULL),
    first (id, finish) AS (SELECT
      (SELECT id FROM ${waiting} AND fairness_key = sharer.key AND (expires_ms IS NULL OR expires_ms > ${at(3)})
        ORDER BY queue_position, id LIMIT 1),
      (SELECT fair_tag + fairness_cost FROM ${name}${index("graph_fair_key")}
        WHERE ${ofKey} AND fairness_key = sharer.key AND fair_tag IS NOT NULL ORDER BY fair_tag DESC LIMIT 1)
      FROM sharer WHERE sharer.key IS NOT NULL)
    SELECT run.id, CASE WHEN finish > ${at(4)} THEN finish ELSE ${at(4)} END AS tag
    FROM first JOIN ${name} AS run ON run.id = first.id ORDER BY tag, run.queue_position, run.id LIMIT 1`;
}

/** Virtual time of the last admission. Parameters: worker, concurrency key. */
export function virtualTime({ name, at, index }: FairTable): string {
  return `SELECT max(fair_tag) AS tag FROM ${name}${index("graph_fair_tag")}
    WHERE worker = ${at(1)} AND concurrency_key = ${at(2)} AND fair_tag IS NOT NULL`;
}
