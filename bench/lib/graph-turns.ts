/** The loads of bench:graphs and bench:cluster, and one turn of a load: as many graphs as end in its time, with a fixed concurrency. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Contender } from "./graph-contenders.ts";

const ITEMS = 100;
/** Longest duration of a turn; a fast contender runs a fixed number of graphs instead. */
const TURN_MS = 2000;
/** Even slow contenders are warm after this time. */
const WARM_MS = 8000;

export interface Load {
  name: string;
  kind: "chain" | "fanOut";
  atOnce: number;
  /** Most graphs in one turn. */
  graphs: number;
  /** Longest duration of a turn; default 2 s. */
  ms?: number;
}

export const chainOf = (atOnce: number, graphs: number): Load => ({
  name: `A chain of 3, ${atOnce} at once`,
  kind: "chain",
  atOnce,
  graphs,
});

export const fanOut = (atOnce: number, graphs: number): Load => ({
  name: `${ITEMS} items and a join, ${atOnce} at once`,
  kind: "fanOut",
  atOnce,
  graphs,
});

/** A turn that does not count. Its size is a number of graphs per process, because query plans and compiled code depend on executions. */
export function warmUp(load: Load, processes: number): Load {
  const each = load.kind === "chain" ? 1500 : 50;
  return { ...load, graphs: Math.min(load.graphs, each) * processes, ms: WARM_MS };
}

const RESULTS: Record<Load["kind"], (n: number) => number> = {
  chain: (n) => n + 3,
  fanOut: (n) => ITEMS * n + (ITEMS * (ITEMS + 1)) / 2,
};

export interface Sample {
  perSecond: number;
  /** Latency of each graph, from its start until its result arrives. */
  ms: number[];
}

/** @throws Error if a graph has a wrong result */
export async function turn(
  contender: Contender,
  { kind, atOnce, graphs, ms: longestMs = TURN_MS }: Load,
): Promise<Sample> {
  const ms: number[] = [];
  let started = 0;
  const beginMs = performance.now();
  const queueReport = async (): Promise<void> => {
    while (started < graphs && performance.now() - beginMs < longestMs) {
      const n = started++;
      const startMs = performance.now();
      const result = await (kind === "chain" ? contender.chain(n) : contender.fanOut?.(n, ITEMS));
      const expected = RESULTS[kind](n);
      if (result !== expected) throw new Error(`graph ${n} returned ${result} instead of ${expected}`);
      ms.push(performance.now() - startMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, queueReport));
  return { perSecond: ms.length / ((performance.now() - beginMs) / 1000), ms };
}

/** Measures the effect on a server in the same process while this number of chains starts per second. @returns p99 of the event-loop delay */
export async function loopDelayMs(contender: Contender, perSecond: number, seconds: number): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const running: Promise<unknown>[] = [];
  delay.enable();
  const beginMs = performance.now();
  while (performance.now() - beginMs < seconds * 1000) {
    while (running.length < ((performance.now() - beginMs) / 1000) * perSecond)
      running.push(contender.chain(running.length));
    await new Promise((done) => setTimeout(done, 1));
  }
  await Promise.all(running);
  delay.disable();
  // The measured value includes the resolution of the monitor.
  return delay.percentile(99) / 1e6 - 1;
}
