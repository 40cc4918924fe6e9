/** The goals of bench:growth at the sizes for which they are set. No I/O. */
import type { Growth, GrowthStep } from "./growth-ratios.ts";

interface Goal {
  load: string;
  size: number;
  figure: string;
  unit: string;
  of: (step: GrowthStep) => number | undefined;
  limit: number;
  isAtLeast?: boolean;
}

const GOALS: readonly Goal[] = [
  {
    load: "recover() with waiting runs",
    size: 100_000,
    figure: "longest block",
    unit: "ms",
    of: ({ blockMs }) => blockMs,
    limit: 50,
  },
  {
    load: "recover() with waiting runs",
    size: 100_000,
    figure: "peak memory",
    unit: "MB",
    of: ({ peakMb }) => peakMb,
    limit: 300,
  },
  {
    load: "recover() with delayed runs",
    size: 100_000,
    figure: "longest block",
    unit: "ms",
    of: ({ blockMs }) => blockMs,
    limit: 50,
  },
  {
    load: "recover() with delayed runs",
    size: 100_000,
    figure: "peak memory",
    unit: "MB",
    of: ({ peakMb }) => peakMb,
    limit: 300,
  },
  {
    load: "sleepers that wake together",
    size: 10_000,
    figure: "longest block",
    unit: "ms",
    of: ({ blockMs }) => blockMs,
    limit: 50,
  },
  {
    load: "suspended sleepers that wake together",
    size: 10_000,
    figure: "longest block",
    unit: "ms",
    of: ({ blockMs }) => blockMs,
    limit: 50,
  },
  {
    load: "nodes in one run",
    size: 20_000,
    figure: "a snapshot over HTTP",
    unit: "kB",
    of: ({ bytes }) => (bytes === undefined ? undefined : bytes / 1000),
    limit: 300,
  },
  {
    load: "followers of one run",
    size: 1000,
    figure: "processor time of all",
    unit: "ms",
    of: ({ cpuUs, size }) => (cpuUs * size) / 1000,
    limit: 5000,
  },
  {
    load: "starts over HTTP on PostgreSQL",
    size: 16_384,
    figure: "starts",
    unit: "per second",
    of: ({ perSecond }) => perSecond,
    limit: 1900,
    isAtLeast: true,
  },
];

/** A row for each goal whose size was measured: load, size, figure, value, goal, share of the goal. A share above 1 misses it. */
export function goalRows(growths: readonly Growth[]): string[][] {
  return GOALS.flatMap(({ load, size, figure, unit, of, limit, isAtLeast = false }) => {
    const step = growths.find(({ name }) => name === load)?.steps.find((each) => each.size === size);
    const value = step && of(step);
    if (value === undefined) return [];
    const share = isAtLeast ? limit / value : value / limit;
    const goal = `${isAtLeast ? "≥" : "≤"} ${limit} ${unit}`;
    return [[load, String(size), figure, `${value.toFixed(0)} ${unit}`, goal, share.toFixed(2)]];
  });
}
