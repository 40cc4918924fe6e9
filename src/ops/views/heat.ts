/** Activity of graphs over time, as a strip of cells per graph: the level shows the amount, part of the cell the failures. Pure. */
import type { Activity, ProcessView } from "../../ops.ts";
import { countText, shareText } from "./format.ts";

export interface HeatCell {
  /** Index of the time step, from 0. */
  step: number;
  atMs: number;
  untilMs: number;
  /** 1 to 4: a quarter each of the busiest cell. */
  level: number;
  /** 0 to 1, of the ended runs. */
  failedShare: number;
  failed: number;
  cancelled: number;
  started: number;
  done: number;
}

export interface HeatRow {
  worker: string;
  /** The cells with activity. */
  cells: HeatCell[];
  started: number;
  done: number;
  failed: number;
  cancelled: number;
}

export interface Heat {
  steps: number;
  stepMs: number;
  rows: HeatRow[];
  /** Number of graphs that are not in `rows`. */
  left: number;
}

const LEVELS = 4;
const MOST_ROWS = 8;

/** Rows with the most failures first, then the busiest. */
export function heatOf({ step_ms: stepMs, workers }: Activity): Heat {
  const busiest = Math.max(
    1,
    ...workers.flatMap(({ steps }) => steps.map((step) => step.started + step.done + step.failed + step.cancelled)),
  );
  const rows = workers.map(({ worker, steps }): HeatRow => {
    const cells = steps.flatMap(({ at_ms: atMs, started, done, failed, cancelled }, step) => {
      const amount = started + done + failed + cancelled;
      if (amount === 0) return [];
      const level = Math.max(1, Math.ceil((amount / busiest) * LEVELS));
      const failedShare = failed === 0 ? 0 : failed / (done + failed);
      return [{ step, atMs, untilMs: atMs + stepMs, level, failedShare, started, done, failed, cancelled }];
    });
    const sum = (key: "started" | "done" | "failed" | "cancelled"): number =>
      cells.reduce((all, cell) => all + cell[key], 0);
    return {
      worker,
      cells,
      started: sum("started"),
      done: sum("done"),
      failed: sum("failed"),
      cancelled: sum("cancelled"),
    };
  });
  rows.sort((a, b) => b.failed - a.failed || b.started - a.started || (a.worker < b.worker ? -1 : 1));
  return {
    steps: workers[0]?.steps.length ?? 0,
    stepMs,
    rows: rows.slice(0, MOST_ROWS),
    left: Math.max(0, rows.length - MOST_ROWS),
  };
}

/** The start of a build, as a mark on the strips. */
export interface BuildMark {
  build: string;
  atMs: number;
  /** 0 to 1, of the width of a strip. */
  share: number;
}

const MOST_MARKS = 4;

/**
 * The first start of each build, by its oldest running process; the newest builds last. Processes that have ended are unknown, so if all
 * processes of a build were restarted, the mark is at the restart.
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

type HeatCounts = Pick<HeatCell, "started" | "done" | "failed" | "cancelled">;

/** "12 started, 11 done, 1 failed (8.3 %), 2 cancelled". */
export function heatText({ started, done, failed, cancelled }: HeatCounts): string {
  const share = failed === 0 ? "" : ` (${shareText(failed, done + failed)})`;
  const aborted = cancelled === 0 ? "" : `, ${countText(cancelled)} cancelled`;
  return `${countText(started)} started, ${countText(done)} done, ${countText(failed)} failed${share}${aborted}`;
}
