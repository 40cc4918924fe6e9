/**
 * Typical durations of a worker's runs, from those that are done. The runs list draws each duration against them. Workers with few runs
 * have none.
 */
import type { App } from "../../index.ts";
import { quantile } from "./histogram.ts";

/** Number of the newest runs to use: enough for a 99th percentile, and read within a millisecond. */
const NEWEST = 1000;
/** Fewer runs are not representative. */
const FEWEST = 5;
/** Cache lifetime. Active lists refresh every second, but typical durations change slowly. */
const KEPT_MS = 10_000;
/** Maximum number of cached workers. Lists show fifty runs. */
const MOST_KEPT = 500;
/** Position of the 99th percentile in a bar, in percent, which leaves room for longer runs. */
const P99_AT = 80;

export interface TypicalDuration {
  medianMs: number;
  /** 99th percentile. */
  p99Ms: number;
}

interface Known {
  readMs: number;
  usual: Promise<TypicalDuration | undefined>;
}

const known = new WeakMap<App, Map<string, Known>>();

/** Typical durations by worker, at most ten seconds old. */
export async function typicalDurations(
  app: App,
  workers: Iterable<string>,
  nowMs: number,
): Promise<ReadonlyMap<string, TypicalDuration>> {
  const ofApp = known.get(app) ?? new Map<string, Known>();
  known.set(app, ofApp);
  const read = [...new Set(workers)].map(async (worker) => [worker, await lookUp(app, ofApp, worker, nowMs)] as const);
  return new Map((await Promise.all(read)).flatMap(([worker, usual]) => (usual ? [[worker, usual]] : [])));
}

function lookUp(
  app: App,
  ofApp: Map<string, Known>,
  worker: string,
  nowMs: number,
): Promise<TypicalDuration | undefined> {
  const last = ofApp.get(worker);
  if (last && nowMs - last.readMs < KEPT_MS) return last.usual;
  const usual = readUsual(app, worker);
  const next = { readMs: nowMs, usual };
  ofApp.delete(worker);
  ofApp.set(worker, next);
  // Do not cache failures.
  usual.catch(() => ofApp.get(worker) === next && ofApp.delete(worker));
  for (const oldest of ofApp.keys()) if (ofApp.size > MOST_KEPT) ofApp.delete(oldest);
  return usual;
}

async function readUsual({ engine }: App, worker: string): Promise<TypicalDuration | undefined> {
  const { durationsMs } = await engine.durations({ worker, status: "done", limit: NEWEST });
  if (durationsMs.length < FEWEST) return undefined;
  const sorted = Float64Array.from(durationsMs).sort();
  return { medianMs: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
}

/** The geometry of a bar, in percent of its width. */
export interface ComparedToTypical {
  share: number;
  medianAt: number;
  p99At: number;
  word: "less than the median" | "more than the median" | "more than p99";
}

export function comparedToTypical(tookMs: number, { medianMs, p99Ms }: TypicalDuration): ComparedToTypical {
  const at = (ms: number): number => Math.min(100, Math.round((ms / Math.max(1, p99Ms)) * P99_AT * 10) / 10);
  const word = tookMs > medianMs ? "more than the median" : "less than the median";
  return {
    share: at(tookMs),
    medianAt: at(medianMs),
    p99At: P99_AT,
    word: tookMs > p99Ms ? "more than p99" : word,
  };
}
