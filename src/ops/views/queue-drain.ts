/** When a queue will be empty, at the rates at which nodes come in and attempts of its worker end at present. Pure. */
import type { ClusterQueue } from "../../ops.ts";

const MINUTE_MS = 60_000;

type Queue = Pick<ClusterQueue, "waiting" | "paused" | "ready_per_minute" | "ended_per_minute">;

/** "in about 4 min", "fills by 12 / min"; undefined where nothing waits. */
export function emptyText({
  waiting,
  paused,
  ready_per_minute: ready,
  ended_per_minute: ended,
}: Queue): string | undefined {
  if (waiting === 0) return undefined;
  if (paused) return "paused";
  if (ended === 0) return "nothing ends at present";
  const rate = ended - ready;
  if (-rate >= ended * LEAST_SHARE) return `fills by ${rateText(-rate)}`;
  if (rate < ended * LEAST_SHARE) return "as much comes in as ends";
  const leftMs = (waiting / rate) * MINUTE_MS;
  return leftMs < MINUTE_MS ? "in under a minute" : `in about ${roughText(leftMs / MINUTE_MS)}`;
}

/** Rates that differ by less are the same: both are of a few minutes. */
const LEAST_SHARE = 0.05;

/** "120 / min", "0.4 / min". */
export function rateText(perMinute: number): string {
  return perMinute === 0 ? "–" : `${perMinute < 10 ? perMinute.toFixed(1) : Math.round(perMinute)} / min`;
}

export function ratesText({ ready_per_minute: ready, ended_per_minute: ended }: Queue): string {
  return `comes in: ${rateText(ready)}, ends: ${rateText(ended)}`;
}

/** An estimate has one unit. */
function roughText(minutes: number): string {
  if (minutes < 90) return `${Math.round(minutes)} min`;
  if (minutes < 36 * 60) return `${Math.round(minutes / 60)} h`;
  return `${Math.round(minutes / (24 * 60))} days`;
}
