/** Where calls of clients are counted: in this process (platform/security/memory-counters.ts), in a file (storage/sqlite/rate-file.ts) or in a database (storage/postgres/rate-table.ts). */

export interface RateCount {
  /** Calls of this window, this one included. */
  consumed: number;
  /** When the window ends and counting begins anew, in Unix milliseconds. */
  endMs: number;
}

/** Counts in windows of a fixed length, each of which begins with a key's first call. */
export interface RateCounters {
  /** Adds to the count of a key. @throws, or rejects with, whatever keeps it from counting */
  add(key: string, points: number, windowMs: number, nowMs: number): RateCount | Promise<RateCount>;
}

/** Whether a window counts no more: it is over, or ends later than it can, because the clock was set back. */
export function isOver(endMs: number, windowMs: number, nowMs: number): boolean {
  return endMs <= nowMs || endMs > nowMs + windowMs;
}
