/** Figures across processes. Pure. */
import type { ProcessView } from "../../ops.ts";

/** From this p99 on, the event loop of a process counts as blocked. */
export const SLOW_MS = 500;

/** The process with the highest event-loop lag; undefined if none has reported it. */
export function slowestOf(processes: readonly ProcessView[]): (ProcessView & { loop_p99_ms: number }) | undefined {
  let slowest: (ProcessView & { loop_p99_ms: number }) | undefined;
  for (const process of processes) {
    const { loop_p99_ms: ms } = process;
    if (ms !== null && ms > (slowest?.loop_p99_ms ?? -1)) slowest = { ...process, loop_p99_ms: ms };
  }
  return slowest;
}
