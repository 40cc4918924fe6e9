/**
 * A step for many runs as it is done: for those that were ticked, or for those that the filters of a list fit. What was confirmed is a
 * number, so it is not done to more. What is shown before, bulk.tsx has; how it is held back, held.tsx.
 */
import { SvcError } from "../../../index.ts";
import type { BulkOptions, BulkReport, Steering } from "../../../graph.ts";
import type { Step } from "../operator-route.ts";
import type { BulkChoice, BulkStep } from "../views/bulk.ts";
import { graphQueryOf } from "../views/runs-query.ts";

interface Taken {
  changed: number;
  refused: number;
}

type Run = () => Promise<Taken>;

/** Takes those that were ticked, one by one. */
export function ticked({ engine }: Step["app"], step: BulkStep, ids: readonly string[], steering: Steering): Run {
  return async () => {
    const taken = { changed: 0, refused: 0 };
    for (const id of ids) taken[(await isTaken(engine[step](id, steering))) ? "changed" : "refused"]++;
    return taken;
  };
}

/** What a preview has shown. */
interface Shown {
  expected: number;
  /** Whether there were more than that, uncounted. */
  isMore: boolean;
  /** Undefined: as it is now. */
  newest: string | undefined;
}

/** Takes those that fit: none that is newer than what was shown, and no more than were confirmed where all of them were counted. */
export async function fitting(
  { engine }: Step["app"],
  { step, filter }: BulkChoice,
  { expected, isMore, newest }: Shown,
  steering: Steering,
  nowMs: number,
): Promise<{ isGrown: boolean; run: Run }> {
  const query = { ...graphQueryOf(filter, nowMs), nowMs };
  const begin = newest === undefined ? await newestOf(engine, query) : newest + ABOVE;
  if (begin === undefined) return { isGrown: false, run: async () => ({ changed: 0, refused: 0 }) };
  const { matched } = await engine.bulk(step, { filter: query, isDryRun: true, cursor: begin });
  const run = async (): Promise<Taken> => {
    const taken = { changed: 0, refused: 0 };
    for (let cursor: string | undefined = begin; cursor !== undefined;) {
      const left = isMore ? Infinity : expected - taken.changed - taken.refused;
      if (left <= 0) break;
      const report: BulkReport = await engine.bulk(step, {
        ...steering,
        filter: query,
        cursor,
        ...(left < Infinity && { limit: left }),
      });
      taken.changed += report.changed;
      taken.refused += report.refused;
      cursor = report.next_cursor ?? undefined;
    }
    return taken;
  };
  return { isGrown: matched > expected && !isMore, run };
}

/** A cursor before all that fit by now; undefined where none does. */
async function newestOf(engine: Step["app"]["engine"], query: BulkOptions["filter"]): Promise<string | undefined> {
  const { items, nextCursor } = await engine.list({ ...query, limit: 1 });
  return items[0] === undefined ? nextCursor : items[0].graph_id + ABOVE;
}

/** Sorts behind all that ids are made of. */
export const ABOVE = "~";

/** Whether a run allowed its step. @throws what is neither a refusal nor a run that is gone: what was steered until then is. */
async function isTaken(step: Promise<unknown>): Promise<boolean> {
  try {
    await step;
    return true;
  } catch (error) {
    if (error instanceof SvcError && (error.code === "SVC_TRANSITION" || error.code === "SVC_NOT_FOUND")) return false;
    throw error;
  }
}
