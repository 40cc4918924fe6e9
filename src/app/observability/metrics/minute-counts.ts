/** The counts of one minute: of graphs by the name they were started by, of attempts by worker, and of how long graphs took. Pure. */
import type { Json } from "../../../platform/shared/json.ts";

/** Ranges of lengths: each is 2^(1/4) times the one before, so that a quantile is off by a tenth at most. */
const RANGES_PER_DOUBLING = 4;
const RANGES = 160;

export interface Counts {
  started: number;
  done: number;
  failed: number;
}

export interface Minute {
  /** Its number since 1970. */
  readonly at: number;
  readonly graphs: Map<string, Counts>;
  /** Attempts that ended. */
  readonly attempts: Map<string, number>;
  /** Nodes that became ready, for each of their attempts. */
  readonly ready: Map<string, number>;
  /** Graphs that had ended and were retried, by the name they were started by. */
  readonly retried: Map<string, number>;
  /** Graphs that ended, by the range of their length. */
  readonly lengths: Map<number, number>;
}

export function emptyMinute(at: number): Minute {
  return { at, graphs: new Map(), attempts: new Map(), ready: new Map(), retried: new Map(), lengths: new Map() };
}

export function countsIn({ graphs }: Minute, worker: string): Counts {
  let counts = graphs.get(worker);
  if (!counts) graphs.set(worker, (counts = { started: 0, done: 0, failed: 0 }));
  return counts;
}

export function addTo<Key>(counts: Map<Key, number>, key: Key, count = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** All of them as one: of several processes, or of a longer time. */
export function sumOfMinutes(at: number, minutes: Iterable<Minute>): Minute {
  const sum = emptyMinute(at);
  for (const minute of minutes) {
    for (const [worker, { started, done, failed }] of minute.graphs) {
      const counts = countsIn(sum, worker);
      counts.started += started;
      counts.done += done;
      counts.failed += failed;
    }
    for (const kind of BY_NAME) for (const [name, count] of minute[kind]) addTo(sum[kind], name, count);
    for (const [range, count] of minute.lengths) addTo(sum.lengths, range, count);
  }
  return sum;
}

/** What is one number for each name. */
const BY_NAME = ["attempts", "ready", "retried"] as const;

export function totalOf({ graphs }: Minute): Counts {
  const total = { started: 0, done: 0, failed: 0 };
  for (const { started, done, failed } of graphs.values()) {
    total.started += started;
    total.done += done;
    total.failed += failed;
  }
  return total;
}

/** By how many more graphs had been started, or retried, than ended as the minute was over. */
export function growthOf(minute: Minute): number {
  const { started, done, failed } = totalOf(minute);
  return started + sumOf(minute.retried) - done - failed;
}

function sumOf(counts: ReadonlyMap<unknown, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

export function rangeOf(ms: number): number {
  return Math.min(RANGES - 1, Math.ceil(Math.log2(Math.max(1, ms)) * RANGES_PER_DOUBLING));
}

/** The upper end of the range in which that part of all is reached, in milliseconds; null where nothing ended. */
export function quantileOf({ lengths }: Minute, part: number): number | null {
  const ranges = [...lengths].sort(([a], [b]) => a - b);
  const wanted = sumOf(lengths) * part;
  if (wanted === 0) return null;
  let below = 0;
  const [range] = ranges.find(([, count]) => (below += count) >= wanted) ?? [RANGES];
  return Math.round(2 ** (range / RANGES_PER_DOUBLING));
}

/** As it is kept. */
export function minuteJson({ graphs, attempts, ready, retried, lengths }: Minute): Json {
  return {
    graphs: Object.fromEntries([...graphs].map(([name, { started, done, failed }]) => [name, [started, done, failed]])),
    attempts: Object.fromEntries(attempts),
    ready: Object.fromEntries(ready),
    ...(retried.size > 0 && { retried: Object.fromEntries(retried) }),
    lengths: Object.fromEntries(lengths),
  };
}

/** What can't be read counts nothing: another version of svc may have written it. */
export function readMinute(at: number, data: Json): Minute {
  const minute = emptyMinute(at);
  for (const [name, counts] of entriesOf(data, "graphs")) {
    if (!Array.isArray(counts)) continue;
    const [started, done, failed] = counts.map(Number);
    minute.graphs.set(name, { started: started || 0, done: done || 0, failed: failed || 0 });
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
