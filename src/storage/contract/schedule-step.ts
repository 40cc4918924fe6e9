/** Computes the row of a schedule after one of its times was handled. */
import type { ScheduleRow, ScheduleStep } from "./control.ts";

export interface Stepped {
  row: ScheduleRow;
  /** Whether it was still due at the old time. */
  hasMoved: boolean;
}

export function stepped(row: ScheduleRow, fromMs: number | undefined, { nextMs, ran }: ScheduleStep): Stepped {
  const hasMoved = row.nextMs === fromMs;
  // A late process, or one that was overtaken by a change, has run it nevertheless.
  const isLast = ran !== undefined && (hasMoved || row.lastMs === undefined || ran.ms > row.lastMs);
  const last = isLast ? { lastMs: ran.ms, lastGraphId: ran.graphId } : {};
  return { row: { ...row, ...(hasMoved ? { nextMs } : {}), ...last }, hasMoved };
}
