/**
 * Shared counters of clients on one database, in an unlogged table and without waiting for the disk: a lost minute of counts is no lost
 * data.
 */
import type { RateCount, RateCounters } from "../../platform/shared/rate-counters.ts";
import type { Database } from "./database.ts";

/** `isOver` of platform/shared/rate-counters.ts, for the stored window and one that begins now. */
const IS_OVER = "rate.end_ms <= excluded.end_ms - $4::bigint OR rate.end_ms > excluded.end_ms";

/** One statement, so that concurrent calls of several processes all count. */
const ADD = `
  INSERT INTO svc.rate AS rate (key, consumed, end_ms) VALUES ($1, $2, $3)
  ON CONFLICT (key) DO UPDATE SET
    consumed = CASE WHEN ${IS_OVER} THEN excluded.consumed ELSE rate.consumed + excluded.consumed END,
    end_ms = CASE WHEN ${IS_OVER} THEN excluded.end_ms ELSE rate.end_ms END
  RETURNING consumed, end_ms`;

/** Longest delay of a call by counting. After it, the limit counts in memory. */
const LONGEST_MS = 1000;

export class RateTable implements RateCounters {
  readonly #database: Database;
  #purgeDueMs = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  add(key: string, points: number, windowMs: number, nowMs: number): Promise<RateCount> {
    return inTime(this.#add(key, points, windowMs, nowMs));
  }

  async #add(key: string, points: number, windowMs: number, nowMs: number): Promise<RateCount> {
    if (nowMs >= this.#purgeDueMs) {
      this.#purgeDueMs = nowMs + windowMs;
      await this.#database.once("DELETE FROM svc.rate WHERE end_ms <= $1", nowMs);
    }
    const [row] = await this.#database.once(ADD, key, points, nowMs + windowMs, windowMs);
    return { consumed: Number(row?.["consumed"]), endMs: Number(row?.["end_ms"]) };
  }
}

async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("The database did not count in time")), LONGEST_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
