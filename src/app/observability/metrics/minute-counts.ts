/** Counts of one minute: runs by name, attempts by worker, and durations of runs. Pure. */
import type { Json } from "../../../platform/shared/json.ts";

/** Each bucket is 2^(1/4) times the previous one, so a quantile is off by a tenth at most. */
const RANGES_PER_DOUBLING = 4;
const RANGES = 160;

export interface Counts {
  started: number;
  done: number;
  failed: number;
  cancelled: number;
}

export interface Minute {
  /** Minutes since 1970. */
  readonly at: number;
  readonly graphs: Map<string, Counts>;
  /** Ended attempts. */
  readonly attempts: Map<string, number>;
  /** Nodes that became ready, for each attempt. */
  readonly ready: Map<string, number>;
  /** Retried runs, by name. */
  readonly retried: Map<string, number>;
  /** Ended runs, by bucket of their duration. */
  readonly lengths: Map<number, number>;
}

export function emptyMinute(at: number): Minute {
  return { at, graphs: new Map(), attempts: new Map(), ready: new Map(), retried: new Map(), lengths: new Map() };
}

export function countsIn({ graphs }: Minute, worker: string): Counts {
  let counts = graphs.get(worker);
  if (!counts) graphs.set(worker, (counts = noCounts()));
  return counts;
}

/** @returns counts of nothing. */
export function noCounts(): Counts {
  return { started: 0, done: 0, failed: 0, cancelled: 0 };
}

function addCounts(sum: Counts, { started, done, failed, cancelled }: Counts): void {
  sum.started += started;
  sum.done += done;
  sum.failed += failed;
  sum.cancelled += cancelled;
}

export function addTo<Key>(counts: Map<Key, number>, key: Key, count = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** Sum of minutes: of several processes, or of a longer time. */
export function sumOfMinutes(at: number, minutes: Iterable<Minute>): Minute {
  const sum = emptyMinute(at);
  for (const minute of minutes) {
    for (const [worker, counts] of minute.graphs) addCounts(countsIn(sum, worker), counts);
    for (const kind of BY_NAME) for (const [name, count] of minute[kind]) addTo(sum[kind], name, count);
    for (const [range, count] of minute.lengths) addTo(sum.lengths, range, count);
  }
  return sum;
}

/** Counts with one number per name. */
const BY_NAME = ["attempts", "ready", "retried"] as const;

export function totalOf({ graphs }: Minute): Counts {
  const total = noCounts();
  for (const counts of graphs.values()) addCounts(total, counts);
  return total;
}

/** Started and retried runs minus ended ones. */
export function growthOf(minute: Minute): number {
  const { started, done, failed, cancelled } = totalOf(minute);
  return started + sumOf(minute.retried) - done - failed - cancelled;
}

function sumOf(counts: ReadonlyMap<unknown, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

export function rangeOf(ms: number): number {
  return Math.min(RANGES - 1, Math.ceil(Math.log2(Math.max(1, ms)) * RANGES_PER_DOUBLING));
}

/** Upper bound of the bucket with this quantile, in milliseconds; null without ended runs. */
export function quantileOf({ lengths }: Minute, part: number): number | null {
  const ranges = [...lengths].sort(([a], [b]) => a - b);
  const wanted = sumOf(lengths) * part;
  if (wanted === 0) return null;
  let below = 0;
  const [range] = ranges.find(([, count]) => (below += count) >= wanted) ?? [RANGES];
  return Math.round(2 ** (range / RANGES_PER_DOUBLING));
}

/** Stored form. */
export function minuteJson({ graphs, attempts, ready, retried, lengths }: Minute): Json {
  return {
    graphs: Object.fromEntries(
      [...graphs].map(([name, { started, done, failed, cancelled }]) => [name, [started, done, failed, cancelled]]),
    ),
    attempts: Object.fromEntries(attempts),
    ready: Object.fromEntries(ready),
    ...(retried.size > 0 && { retried: Object.fromEntries(retried) }),
    lengths: Object.fromEntries(lengths),
  };
}

/** Ignores what can't be read: another version of svc may have written it. */
export function readMinute(at: number, data: Json): Minute {
  const minute = emptyMinute(at);
  for (const [name, counts] of entriesOf(data, "graphs")) {
    if (!Array.isArray(counts)) continue;
    const [started, done, failed, cancelled] = counts.map(Number);
    minute.graphs.set(name, {
      started: started || 0,
      done: done || 0,
      failed: failed || 0,
      cancelled: cancelled || 0,
    });
  }
  for (const kind of BY_NAME)
    for (const [name, count] of entriesOf(data, kind)) minute[kind].set(name, Number(count) || 0);
  for (const [range, count] of entriesOf(data, "lengths")) minute.lengths.set(Number(range), Number(count) || 0);
  return minute;
}

function entriesOf(data: Json, key: string): [string, Json][] {
  const found = data !== null && typeof data === "object" && !Array.isArray(data) ? data[key] : undefined;
  return found !== null && typeof found === "object" && !Array.isArray(found) ? Object.entries(found) : [];
}
