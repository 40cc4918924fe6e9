/** Lengths of time in the widgets: of what is over as text, of what goes on with its beginning, from which the browser counts. */
import { durationText } from "../views/format.ts";

export interface TookProps {
  startedMs: number | null;
  finishedMs: number | null;
  /** When it goes on by itself, where it waits for that. */
  dueMs: number | null;
  /** Undefined: what goes on is left empty, for the browser to write; so the same state is the same text at any time. */
  nowMs: number | undefined;
}

/** The text of a length that may go on. */
export function tookText({ startedMs, finishedMs, dueMs, nowMs }: TookProps): string {
  if (dueMs !== null) return nowMs === undefined ? "" : `in ${durationText(dueMs - nowMs)}`;
  if (startedMs === null) return "";
  const until = finishedMs ?? nowMs;
  return until === undefined ? "" : durationText(until - startedMs);
}

/** For `data-since`: the beginning of what goes on; undefined for all else. */
export function sinceOf({ startedMs, finishedMs, dueMs }: Omit<TookProps, "nowMs">): number | undefined {
  return startedMs !== null && finishedMs === null && dueMs === null ? startedMs : undefined;
}

/** For `data-until`: when what waits goes on. */
export function untilOf({ dueMs }: Pick<TookProps, "dueMs">): number | undefined {
  return dueMs ?? undefined;
}

/** How long something took, or has taken so far. */
export function Took(props: TookProps) {
  return (
    <span class="svc-took" data-since={sinceOf(props)} data-until={untilOf(props)}>
      {tookText(props)}
    </span>
  );
}
