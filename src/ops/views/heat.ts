/** What graphs did over time, as a strip of cells for each: how much by shade, what failed by a part of the cell. Pure. */
import type { Activity, ProcessView } from "../../ops.ts";
import { countText, shareText } from "./format.ts";

export interface HeatCell {
  /** Which step it is, from 0. */
  step: number;
  atMs: number;
  untilMs: number;
  /** 1 to 4: of the busiest cell of all a quarter each. */
  level: number;
  /** 0 to 1, of those that ended. */
  failedShare: number;
  failed: number;
  started: number;
  done: number;
}

export interface HeatRow {
  worker: string;
  /** Those in which something happened. */
  cells: HeatCell[];
  started: number;
  done: number;
  failed: number;
}

export interface Heat {
  steps: number;
  stepMs: number;
  rows: HeatRow[];
  /** Graphs that are not among them. */
  left: number;
}

const LEVELS = 4;
const MOST_ROWS = 8;

/** Those with the most failures first, then the busiest. */
export function heatOf({ step_ms: stepMs, workers }: Activity): Heat {
  const busiest = Math.max(
    1,
    ...workers.flatMap(({ steps }) => steps.map((step) => step.started + step.done + step.failed)),
  );
  const rows = workers.map(({ worker, steps }): HeatRow => {
    const cells = steps.flatMap(({ at_ms: atMs, started, done, failed }, step) => {
      const amount = started + done + failed;
      if (amount === 0) return [];
      const level = Math.max(1, Math.ceil((amount / busiest) * LEVELS));
      const failedShare = failed === 0 ? 0 : failed / (done + failed);
      return [{ step, atMs, untilMs: atMs + stepMs, level, failedShare, started, done, failed }];
    });
    const sum = (key: "started" | "done" | "failed"): number => cells.reduce((all, cell) => all + cell[key], 0);
    return { worker, cells, started: sum("started"), done: sum("done"), failed: sum("failed") };
  });
  rows.sort((a, b) => b.failed - a.failed || b.started - a.started || (a.worker < b.worker ? -1 : 1));
  return {
    steps: workers[0]?.steps.length ?? 0,
    stepMs,
    rows: rows.slice(0, MOST_ROWS),
    left: Math.max(0, rows.length - MOST_ROWS),
  };
}

/** Where on the strips a build begins. */
export interface BuildMark {
  build: string;
  atMs: number;
  /** 0 to 1, of the width of a strip. */
  share: number;
}

const MOST_MARKS = 4;

/**
 * When each build came: the start of the longest there of its processes, the newest builds last. Processes that have ended tell
 * nothing: where all of a build were started anew, it is that start which is marked.
 */
export function buildMarks(
  processes: readonly Pick<ProcessView, "build" | "started_ms">[],
  { since_ms: sinceMs }: Pick<Activity, "since_ms">,
  { steps, stepMs }: Pick<Heat, "steps" | "stepMs">,
): BuildMark[] {
  const first = new Map<string, number>();
  for (const { build, started_ms: atMs } of processes) first.set(build, Math.min(atMs, first.get(build) ?? atMs));
  return [...first]
    .map(([build, atMs]) => ({ build, atMs, share: (atMs - sinceMs) / (steps * stepMs) }))
    .filter(({ share }) => share >= 0 && share <= 1)
    .sort((a, b) => a.atMs - b.atMs)
    .slice(-MOST_MARKS);
}

/** "12 started, 11 done, 1 failed (8.3 %)". */
export function heatText({ started, done, failed }: Pick<HeatCell, "started" | "done" | "failed">): string {
  const share = failed === 0 ? "" : ` (${shareText(failed, done + failed)})`;
  return `${countText(started)} started, ${countText(done)} done, ${countText(failed)} failed${share}`;
}
