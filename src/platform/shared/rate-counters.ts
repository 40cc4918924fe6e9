/**
 * Counters of rate limits: in this process (platform/security/rate-limits/memory-counters.ts), in a file (storage/sqlite/rate-file.ts) or in a
 * database (storage/postgres/rate-table.ts).
 */

export interface RateCount {
  /** Calls in this window, including this one. */
  consumed: number;
  /** End of the window, in Unix milliseconds. */
  endMs: number;
}

/** Counts in windows of a fixed length. A window starts with the first call of a key. */
export interface RateCounters {
  /** Adds to the count of a key. @throws, or rejects with, the storage error that prevents counting */
  add(key: string, points: number, windowMs: number, nowMs: number): RateCount | Promise<RateCount>;
}

/** Whether a window has ended, or ends later than possible because the clock was set back. */
export function isOver(endMs: number, windowMs: number, nowMs: number): boolean {
  return endMs <= nowMs || endMs > nowMs + windowMs;
}
