/** When a queue will be empty, at the rate at which its worker ends attempts at present. Pure. */
import type { FleetQueue } from "../../../index.ts";

const MINUTE_MS = 60_000;

/** "in about 4 min"; undefined where nothing waits. */
export function emptyText({ waiting, paused, ended_per_minute: rate }: FleetQueue): string | undefined {
  if (waiting === 0) return undefined;
  if (paused) return "paused";
  if (rate === 0) return "nothing ends at present";
  const leftMs = (waiting / rate) * MINUTE_MS;
  return leftMs < MINUTE_MS ? "in under a minute" : `in about ${roughText(leftMs / MINUTE_MS)}`;
}

/** "120 / min", "0.4 / min". */
export function rateText(perMinute: number): string {
  return perMinute === 0 ? "–" : `${perMinute < 10 ? perMinute.toFixed(1) : Math.round(perMinute)} / min`;
}

/** An estimate has one unit. */
function roughText(minutes: number): string {
  if (minutes < 90) return `${Math.round(minutes)} min`;
  if (minutes < 36 * 60) return `${Math.round(minutes / 60)} h`;
  return `${Math.round(minutes / (24 * 60))} days`;
}
