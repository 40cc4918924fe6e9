/** How a process is doing, as it is told of each: how long things wait for their turn, and what memory it has. */
import type { ProcessFigures } from "../../graphs/cluster/membership.ts";
import type { LoopWatch } from "./loop-watch.ts";

/** A tenth of a millisecond is as exact as timers are. */
const EXACT = 10;

/** @param watch undefined: nobody watches yet */
export function processStatsOf(watch: LoopWatch | undefined): ProcessFigures {
  const p99Ms = watch?.delays.p99Ms();
  return {
    loop_p99_ms: p99Ms === undefined ? null : Math.round(p99Ms * EXACT) / EXACT,
    memory_bytes: process.memoryUsage.rss(),
  };
}
