/** Why a run is not there, in words: what its id and the rules of retention tell, as these are set now. Pure. */
import type { Absence } from "../../../graph.ts";
import { lengthText } from "./runs-query.ts";
import { momentText } from "../format.ts";

/** Clocks of processes differ; by more than this only ids do that were made up. */
const SKEW_MS = 60 * 60_000;

/** @param zone in which its times are written */
export function absenceText({ createdMs, kept, takenFromMs }: Absence, nowMs: number, zone: string): string {
  if (createdMs === undefined) return 'That is no id of a run: those are "g_" and 26 digits and capital letters.';
  const started = `Its id says that it was started on ${momentText(createdMs, zone)}`;
  if (createdMs > nowMs + SKEW_MS) return `${started}, which is still to come: it was never there.`;
  const isTaken = takenFromMs !== undefined && takenFromMs <= nowMs;
  const end = isTaken
    ? `retention may have taken it, on ${momentText(takenFromMs, zone)} at the earliest`
    : "retention has not taken it: it was removed by hand, or was never there";
  return `${started}. ${keptText(kept)}, so ${end}.`;
}

/** `Runs that have ended are kept for 30d here, those of nightly for 1d`. */
function keptText({ defaultMs, byName }: Absence["kept"]): string {
  const own = [...byName].map(([name, ms]) => `those of ${name} for ${lengthText(ms)}`);
  const all = defaultMs === undefined ? "ever" : lengthText(defaultMs);
  return [`Runs that have ended are kept for ${all} here`, ...own].join(", ");
}
