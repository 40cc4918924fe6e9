/** Durations in the widgets. Finished ones are text; for running ones the browser gets the start time and counts. */
import { durationText } from "../views/format.ts";

export interface TookProps {
  startedMs: number | null;
  finishedMs: number | null;
  /** When a sleeping or retrying node continues. */
  dueMs: number | null;
  /** Undefined: running durations stay empty and the browser fills them in, so that the same state always renders the same HTML. */
  nowMs: number | undefined;
}

/** The text of a duration that may still be running. */
export function tookText({ startedMs, finishedMs, dueMs, nowMs }: TookProps): string {
  if (dueMs !== null) return nowMs === undefined ? "" : `in ${durationText(dueMs - nowMs)}`;
  if (startedMs === null) return "";
  const until = finishedMs ?? nowMs;
  return until === undefined ? "" : durationText(until - startedMs);
}

/** The `data-since` attribute: the start of a running duration; undefined otherwise. */
export function sinceOf({ startedMs, finishedMs, dueMs }: Omit<TookProps, "nowMs">): number | undefined {
  return startedMs !== null && finishedMs === null && dueMs === null ? startedMs : undefined;
}

/** The `data-until` attribute: when a waiting node continues. */
export function untilOf({ dueMs }: Pick<TookProps, "dueMs">): number | undefined {
  return dueMs ?? undefined;
}

/** The duration so far, or in total. */
export function Took(props: TookProps) {
  return (
    <span class="svc-took" data-since={sinceOf(props)} data-until={untilOf(props)}>
      {tookText(props)}
    </span>
  );
}
