/** Lengths of time in the widgets: of what is over as text, of what goes on with its beginning, from which the browser counts. */
import { durationText } from "../ops/views/text.ts";

export interface TookProps {
  startedMs: number | null;
  finishedMs: number | null;
  /** Undefined: what goes on is left empty, for the browser to write; so the same state is the same text at any time. */
  nowMs: number | undefined;
}

/** The text of a length that may go on. */
export function tookText({ startedMs, finishedMs, nowMs }: TookProps): string {
  if (startedMs === null) return "";
  const until = finishedMs ?? nowMs;
  return until === undefined ? "" : durationText(until - startedMs);
}

/** For `data-since`: the beginning of what goes on; undefined for all else. */
export function sinceOf({ startedMs, finishedMs }: TookProps): number | undefined {
  return startedMs !== null && finishedMs === null ? startedMs : undefined;
}

/** How long something took, or has taken so far. */
export function Took(props: TookProps) {
  return (
    <span class="svc-took" data-since={sinceOf(props)}>
      {tookText(props)}
    </span>
  );
}
