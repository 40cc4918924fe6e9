/** Estimates when a queue will be empty, from the current rates of new nodes and finished attempts. Pure. */
import type { ClusterQueue } from "../../ops.ts";

const MINUTE_MS = 60_000;

type Queue = Pick<ClusterQueue, "waiting" | "paused" | "ready_per_minute" | "ended_per_minute">;

/** "in about 4 min", "growing by 12 / min"; undefined if nothing waits. */
export function emptyText({
  waiting,
  paused,
  ready_per_minute: ready,
  ended_per_minute: ended,
}: Queue): string | undefined {
  if (waiting === 0) return undefined;
  if (paused) return "paused";
  if (ended === 0) return "no progress";
  const rate = ended - ready;
  if (-rate >= ended * LEAST_SHARE) return `growing by ${rateText(-rate)}`;
  if (rate < ended * LEAST_SHARE) return "steady";
  const leftMs = (waiting / rate) * MINUTE_MS;
  return leftMs < MINUTE_MS ? "in under a minute" : `in about ${roughText(leftMs / MINUTE_MS)}`;
}

/** Rates that differ by less count as equal: both are averages over a few minutes. */
const LEAST_SHARE = 0.05;

/** "120 / min", "0.4 / min". */
export function rateText(perMinute: number): string {
  return perMinute === 0 ? "–" : `${perMinute < 10 ? perMinute.toFixed(1) : Math.round(perMinute)} / min`;
}

export function ratesText({ ready_per_minute: ready, ended_per_minute: ended }: Queue): string {
  return `incoming: ${rateText(ready)}, finished: ${rateText(ended)}`;
}

/** Rounded to one unit, because it is an estimate. */
function roughText(minutes: number): string {
  if (minutes < 90) return `${Math.round(minutes)} min`;
  if (minutes < 36 * 60) return `${Math.round(minutes / 60)} h`;
  return `${Math.round(minutes / (24 * 60))} days`;
}
