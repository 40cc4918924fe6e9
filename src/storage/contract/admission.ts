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
