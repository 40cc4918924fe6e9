/** Which times of a schedule are to be run now, and which are over. Decides only; schedules.ts runs them. */
import type { ScheduleRow } from "../../storage/contract/control.ts";
import type { CronTimes } from "./cron.ts";

/** Later than that a run was missed: the process was down, or asleep. */
const LATE_MS = 60_000;
/** As Vixie cron has it: set back by less, a clock repeats nothing; by more, what it shows is the time from now on. */
const SET_BACK_MS = 3 * 3_600_000;
/** Runs that are made up for at once. More would be a flood, and nobody's plan. */
const MOST_RUNS = 1000;

export interface DueRuns {
  /** Times to run now, in order. */
  runs: number[];
  /** Times that were missed and are not made up for, of those that were looked at. */
  skipped: number;
  /** Whether more were missed than are looked at: the rest is passed over. */
  isMore: boolean;
  nextMs: number | undefined;
}

export function dueRuns(
  { nextMs: fromMs, catchUp }: Pick<ScheduleRow, "nextMs" | "catchUp">,
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
  const runs = due.slice(catchUp === "all" ? 0 : -1).filter((ms) => catchUp !== "none" || nowMs - ms <= LATE_MS);
  return { runs, skipped: due.length - runs.length, isMore, nextMs };
}

/** What those who run it are told of times that nobody makes up for; undefined where there are none. */
export function missedText(name: string, { runs, skipped, isMore }: DueRuns): string | undefined {
  if (isMore && skipped === 0)
    return `The schedule ${name} was due more than ${runs.length} times: so many are made up for, the rest is passed over`;
  if (skipped === 0) return undefined;
  return `The schedule ${name} missed ${skipped} of its times${isMore ? ", or more" : ""}`;
}

/**
 * Of a schedule that is not due: whether the time it is due next was counted by a clock that was ahead and has been set right, after
 * which it would wait until then. @returns the time to wait for instead
 */
export function afterSetBack(fromMs: number, times: CronTimes, nowMs: number): number | undefined {
  const dealtWithMs = times.last(fromMs - 1);
  return dealtWithMs === undefined || dealtWithMs - nowMs < SET_BACK_MS ? undefined : times.next(nowMs);
}
