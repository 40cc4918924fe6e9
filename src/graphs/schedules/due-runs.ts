/** Decides which times of a schedule run now and which are skipped. schedules.ts runs them. */
import type { ScheduleRow } from "../../storage/contract/control.ts";
import type { CronTimes } from "./cron.ts";

/** A later run counts as missed: the process was down or suspended. */
const LATE_MS = 60_000;
/** As in Vixie cron: a clock that is set back by less repeats nothing; by more, its time counts from now on. */
const SET_BACK_MS = 3 * 3_600_000;
/** Most missed runs to make up for at once. More would be a flood. */
const MOST_RUNS = 1000;

export interface DueRuns {
  /** Times to run now, in order. */
  runs: number[];
  /** Missed times that are not made up for, among those checked. */
  skipped: number;
  /** Whether more times were missed than are checked. The rest is skipped. */
  isMore: boolean;
  nextMs: number | undefined;
}

export function dueRuns(
  { nextMs: fromMs, catchUp, overlap }: Pick<ScheduleRow, "nextMs" | "catchUp"> & Partial<Pick<ScheduleRow, "overlap">>,
  times: CronTimes,
  nowMs: number,
): DueRuns {
  const due: number[] = [];
  let nextMs = fromMs;
  while (nextMs !== undefined && nextMs <= nowMs && due.length < MOST_RUNS) {
    due.push(nextMs);
    nextMs = times.next(nextMs);
  }
  const isMore = nextMs !== undefined && nextMs <= nowMs;
  if (isMore) {
    const lastMs = times.last(nowMs);
    if (catchUp !== "all" && lastMs !== undefined) due.push(lastMs);
    nextMs = times.next(nowMs);
  }
  // A buffered time waits for the last run: it was not missed.
  const isOnTime = (ms: number): boolean => overlap === "buffer" || nowMs - ms <= LATE_MS;
  const runs = due.slice(catchUp === "all" ? 0 : -1).filter((ms) => catchUp !== "none" || isOnTime(ms));
  return { runs, skipped: due.length - runs.length, isMore, nextMs };
}

/** Log text about missed times; undefined if there are none. */
export function missedText(name: string, { runs, skipped, isMore }: DueRuns): string | undefined {
  if (isMore && skipped === 0)
    return `The schedule ${name} was due more than ${runs.length} times. It catches up with that many and skips the rest.`;
  if (skipped === 0) return undefined;
  return `The schedule ${name} missed ${skipped} of its times${isMore ? ", or more" : ""}`;
}

/**
 * For a schedule that is not due: checks whether its next time was computed by a clock that was ahead and has been corrected. It would
 * wait until that time otherwise. @returns the time to wait for instead
 */
export function afterSetBack(fromMs: number, times: CronTimes, nowMs: number): number | undefined {
  const dealtWithMs = times.last(fromMs - 1);
  return dealtWithMs === undefined || dealtWithMs - nowMs < SET_BACK_MS ? undefined : times.next(nowMs);
}
