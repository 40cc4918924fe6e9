/** What becomes of a schedule's row when a time of it has been dealt with; stores write it. */
import type { ScheduleRow, ScheduleStep } from "./control.ts";

export interface Stepped {
  row: ScheduleRow;
  /** Whether it still was due at the time it moves on from. */
  hasMoved: boolean;
}

export function stepped(row: ScheduleRow, fromMs: number | undefined, { nextMs, ran }: ScheduleStep): Stepped {
  const hasMoved = row.nextMs === fromMs;
  // Who was late, or overtaken by a change, has run it nevertheless.
  const isLast = ran !== undefined && (hasMoved || row.lastMs === undefined || ran.ms > row.lastMs);
  const last = isLast ? { lastMs: ran.ms, lastGraphId: ran.graphId } : {};
  return { row: { ...row, ...(hasMoved ? { nextMs } : {}), ...last }, hasMoved };
}
