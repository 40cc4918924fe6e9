/** Explains why a run does not exist, from its ID and the current retention settings. Pure. */
import type { Absence } from "../../../graph.ts";
import { lengthText } from "./runs-query.ts";
import { momentText } from "../format.ts";

/** Maximum clock difference between processes. A later time means that the ID was made up. */
const SKEW_MS = 60 * 60_000;

/** @param zone the time zone of the text */
export function absenceText({ createdMs, kept, takenFromMs }: Absence, nowMs: number, zone: string): string {
  if (createdMs === undefined)
    return 'This is not a run ID. Run IDs are "g_" followed by 26 digits and capital letters.';
  const started = `According to its ID, the run started on ${momentText(createdMs, zone)}`;
  if (createdMs > nowMs + SKEW_MS) return `${started}, which is in the future, so it never existed.`;
  const isTaken = takenFromMs !== undefined && takenFromMs <= nowMs;
  const end = isTaken
    ? `retention may have deleted it, on ${momentText(takenFromMs, zone)} at the earliest`
    : "retention has not deleted it: it was deleted manually, or it never existed";
  return `${started}. ${keptText(kept)}, so ${end}.`;
}

/** `Ended runs are kept for 30d, runs of nightly for 1d`. */
function keptText({ defaultMs, byName }: Absence["kept"]): string {
  const own = [...byName].map(([name, ms]) => `runs of ${name} for ${lengthText(ms)}`);
  const all = defaultMs === undefined ? "forever" : `for ${lengthText(defaultMs)}`;
  return [`Ended runs are kept ${all}`, ...own].join(", ");
}
