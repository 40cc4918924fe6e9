/** The visible range of a run's timeline: as URL parameters, and the ranges to zoom and pan to. Pure. */
import type { TimeRange } from "./time-scale.ts";

/** Minimum range: times are whole milliseconds. */
const LEAST_MS = 4;

/** `from=1200&to=3400`, in milliseconds since the start of the run. If one is missing, the range extends to that end of the run. */
export function readRange(query: URLSearchParams): TimeRange | undefined {
  const [from, to] = ["from", "to"].map((name) => /^\d{1,13}$/.exec(query.get(name) ?? "")?.[0]);
  if (from === undefined && to === undefined) return undefined;
  const range = { fromMs: Number(from ?? 0), toMs: to === undefined ? Infinity : Number(to) };
  return range.toMs > range.fromMs ? range : undefined;
}

/** The parameters for `readRange`. Without a range, empty ones, which remove them from the URL. */
export function rangeEntries(range: TimeRange | undefined): { from: string; to: string } {
  if (!range) return { from: "", to: "" };
  const { fromMs, toMs } = range;
  return { from: fromMs === 0 ? "" : String(fromMs), to: toMs === Infinity ? "" : String(toMs) };
}

export interface ZoomSteps {
  /** Undefined: not possible. */
  closer: TimeRange | undefined;
  earlier: TimeRange | undefined;
  later: TimeRange | undefined;
  wider: TimeRange | "all" | undefined;
}

/** Zooms by a factor of two, and pans by half of the visible range. */
export function zoomSteps({ fromMs, toMs }: TimeRange, totalMs: number): ZoomSteps {
  const shownMs = toMs - fromMs;
  const isAll = fromMs <= 0 && toMs >= totalMs;
  const half = Math.round(shownMs / 2);
  const moved = (byMs: number): TimeRange => {
    const from = Math.min(Math.max(0, fromMs + byMs), totalMs - shownMs);
    return { fromMs: from, toMs: from + shownMs };
  };
  const wide = { fromMs: Math.max(0, fromMs - half), toMs: Math.min(totalMs, toMs + half) };
  const middle = Math.round((fromMs + toMs) / 2);
  const quarter = Math.max(1, Math.round(shownMs / 4));
  return {
    closer: shownMs > LEAST_MS ? { fromMs: middle - quarter, toMs: middle + quarter } : undefined,
    earlier: fromMs > 0 ? moved(-half) : undefined,
    later: toMs < totalMs ? moved(half) : undefined,
    wider: isAll ? undefined : wide.fromMs === 0 && wide.toMs === totalMs ? "all" : wide,
  };
}
