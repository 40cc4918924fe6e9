/** Load of a process: event-loop lag and memory. */
import type { ProcessFigures } from "../../graphs/cluster/membership.ts";
import type { LoopWatch } from "./loop-watch.ts";

/** Timers are exact to a tenth of a millisecond. */
const EXACT = 10;

/** @param watch undefined: not measured yet */
export function processStatsOf(watch: LoopWatch | undefined): ProcessFigures {
  const p99Ms = watch?.delays.p99Ms();
  return {
    loop_p99_ms: p99Ms === undefined ? null : Math.round(p99Ms * EXACT) / EXACT,
    memory_bytes: process.memoryUsage.rss(),
  };
}
