/** What the figures of processes come to. Pure. */
import type { ProcessView } from "../../ops.ts";

/** A process that lets one thing in a hundred wait for so long computes too much in one go. */
export const SLOW_MS = 500;

/** The one whose event loop is the latest; undefined where none has told. */
export function slowestOf(processes: readonly ProcessView[]): (ProcessView & { loop_p99_ms: number }) | undefined {
  let slowest: (ProcessView & { loop_p99_ms: number }) | undefined;
  for (const process of processes) {
    const { loop_p99_ms: ms } = process;
    if (ms !== null && ms > (slowest?.loop_p99_ms ?? -1)) slowest = { ...process, loop_p99_ms: ms };
  }
  return slowest;
}
