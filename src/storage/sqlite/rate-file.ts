/**
 * Counters of clients in a file that several processes of a machine share, apart from the store, which belongs to one. Not synced to
 * disk: a lost minute of counts is no lost data.
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { SvcError } from "../../platform/shared/errors.ts";
import type { RateCount, RateCounters } from "../../platform/shared/rate-counters.ts";
import { loadDriver, type Driver, type Statement } from "./file/driver.ts";

const SETUP = [
  "PRAGMA journal_mode=WAL",
  "PRAGMA synchronous=OFF",
  // Longest delay of this process by counting. After it, the limit counts in memory.
  "PRAGMA busy_timeout=250",
  "CREATE TABLE IF NOT EXISTS rate (key TEXT PRIMARY KEY, consumed INTEGER NOT NULL, end_ms INTEGER NOT NULL, window_ms INTEGER NOT NULL) WITHOUT ROWID",
];

/** `isOver` of platform/shared/rate-counters.ts, for the stored window and one that begins now. */
const IS_OVER = "end_ms <= excluded.end_ms - excluded.window_ms OR end_ms > excluded.end_ms";

/** One statement, so that concurrent calls of several processes all count. */
const ADD = `
  INSERT INTO rate (key, consumed, end_ms, window_ms) VALUES (?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET
    consumed = CASE WHEN ${IS_OVER} THEN excluded.consumed ELSE consumed + excluded.consumed END,
    end_ms = CASE WHEN ${IS_OVER} THEN excluded.end_ms ELSE end_ms END
  RETURNING consumed, end_ms`;

export class RateFile implements RateCounters {
  readonly #driver: Driver;
  readonly #add: Statement;
  readonly #purge: Statement;
  #purgeDueMs = 0;

  private constructor(driver: Driver) {
    this.#driver = driver;
    this.#add = driver.prepare(ADD);
    this.#purge = driver.prepare("DELETE FROM rate WHERE end_ms <= ?");
  }

  /** @throws SvcError `SVC_STORE` if the file can't be used */
  static async open(file: string): Promise<RateFile> {
    const DriverClass = await loadDriver();
    try {
      mkdirSync(dirname(file), { recursive: true });
      const driver = new DriverClass(file);
      for (const line of SETUP) driver.prepare(line).all();
      return new RateFile(driver);
    } catch (cause) {
      throw new SvcError("SVC_STORE", `The file of rate limits ${file} can't be used: ${(cause as Error).message}`, {
        cause,
      });
    }
  }

  add(key: string, points: number, windowMs: number, nowMs: number): RateCount {
    if (nowMs >= this.#purgeDueMs) this.#clean(nowMs, windowMs);
    const row = this.#add.get(key, points, nowMs + windowMs, windowMs);
    return { consumed: Number(row?.["consumed"]), endMs: Number(row?.["end_ms"]) };
  }

  close(): void {
    this.#driver.close();
  }

  #clean(nowMs: number, windowMs: number): void {
    this.#purgeDueMs = nowMs + windowMs;
    this.#purge.run(nowMs);
  }
}
