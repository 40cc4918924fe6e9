/**
 * The histogram of run durations. Its columns have round edges, each about twice the previous one, so that milliseconds and hours are
 * equally readable. Pure.
 */
import type { Durations } from "../../graph.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Edges of the columns. */
const EDGES: readonly number[] = [
  0,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 20, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((count) => count * MINUTE),
  ...[1, 2, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 30].map((count) => count * DAY),
];

export interface Column {
  fromMs: number;
  /** Undefined: no upper edge. */
  toMs: number | undefined;
  count: number;
  /** Relative to the highest column. */
  share: number;
  /** Whether the filters select the whole column. */
  isChosen: boolean;
}

export interface Histogram {
  columns: Column[];
  /** Number of runs in the histogram, and whether these are all. */
  count: number;
  isAll: boolean;
  medianMs: number;
  /** 95th percentile. */
  p95Ms: number;
}

export interface ChosenLengths {
  longerMs?: number | undefined;
  shorterMs?: number | undefined;
}

/** Undefined without durations. */
export function histogramOf(
  { durationsMs, isAll }: Durations,
  { longerMs = 0, shorterMs = Infinity }: ChosenLengths = {},
): Histogram | undefined {
  if (durationsMs.length === 0) return undefined;
  const sorted = Float64Array.from(durationsMs).sort();
  const counts = countsOf(sorted);
  const first = counts.findIndex((count) => count > 0);
  const last = counts.findLastIndex((count) => count > 0);
  const highest = Math.max(...counts);
  const columns = counts.slice(first, last + 1).map((count, at) => {
    const [fromMs = 0, toMs] = [EDGES[first + at], EDGES[first + at + 1]];
    const isChosen = fromMs >= longerMs && (toMs ?? Infinity) <= shorterMs;
    return { fromMs, toMs, count, share: count / highest, isChosen };
  });
  return { columns, count: sorted.length, isAll, medianMs: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) };
}

/** Counts the durations per column. */
function countsOf(sorted: Float64Array): number[] {
  const counts = EDGES.map(() => 0);
  let column = 0;
  for (const ms of sorted) {
    while (ms >= (EDGES[column + 1] ?? Infinity)) column++;
    counts[column] = (counts[column] ?? 0) + 1;
  }
  return counts;
}

/** The value at that rank of a sorted array: `0.5` is the median. */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
