/**
 * What runs of a worker usually take, by those that were done: what the length of one of them is drawn against. Of workers that ran seldom
 * nothing is told.
 */
import type { App } from "../../index.ts";
import { quantile } from "./histogram.ts";

/** Newest runs that it is made of: as many as 99 of 100 needs, and read in a millisecond. */
const NEWEST = 1000;
/** Of fewer nobody can say what is usual. */
const FEWEST = 5;
/** A list is renewed each second while something happens; what is usual does not change so fast. */
const KEPT_MS = 10_000;
/** Names that are remembered; lists show fifty runs. */
const MOST_KEPT = 500;
/** Where in a bar stands what 99 of 100 took less than, in per cent: what is longer has room to be seen so. */
const P99_AT = 80;

export interface TypicalDuration {
  medianMs: number;
  /** What 99 of 100 took less than. */
  p99Ms: number;
}

interface Known {
  readMs: number;
  usual: Promise<TypicalDuration | undefined>;
}

const known = new WeakMap<App, Map<string, Known>>();

/** By worker, as it was within the last ten seconds. */
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
  // Who looks next asks again.
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

/** Of a bar. Numbers are per cent of its width. */
export interface ComparedToTypical {
  share: number;
  medianAt: number;
  p99At: number;
  word: "less than half of them" | "more than half of them" | "more than 99 % of them";
}

export function comparedToTypical(tookMs: number, { medianMs, p99Ms }: TypicalDuration): ComparedToTypical {
  const at = (ms: number): number => Math.min(100, Math.round((ms / Math.max(1, p99Ms)) * P99_AT * 10) / 10);
  const word = tookMs > medianMs ? "more than half of them" : "less than half of them";
  return {
    share: at(tookMs),
    medianAt: at(medianMs),
    p99At: P99_AT,
    word: tookMs > p99Ms ? "more than 99 % of them" : word,
  };
}
