/**
 * A step for many runs as it is done: for those that were ticked, or for those that the filters of a list fit. What was confirmed is a
 * number, so it is not done to more. What is shown before, bulk.tsx has; how it is held back, deferred.tsx.
 */
import { SvcError } from "../../../index.ts";
import type { Doing } from "../../../ops.ts";
import type { BulkOptions, AuditContext } from "../../../graph.ts";
import type { Step } from "../../operator-route.ts";
import type { BulkChoice, BulkStep } from "../../views/bulk/bulk.ts";
import { graphQueryOf } from "../../views/runs/runs-query.ts";
import { BulkProgress } from "../../views/bulk/bulk-progress.ts";

/** Tells how far it has come, and is told to stop. */
export type Watch = Pick<Doing, "signal"> & { report: (taken: BulkProgress) => Promise<void> };

/** @param taken counted up as it is done, so that it is known where that fails. @returns whether it came to its end, unstopped */
export type Run = (taken: BulkProgress, watch?: Watch) => Promise<boolean>;

/** Takes those that were ticked, one by one. */
export function ticked(
  { engine }: Step["app"],
  step: BulkStep,
  ids: readonly string[],
  auditContext: AuditContext,
): Run {
  return async (taken, watch) => {
    for (const id of ids) {
      if (watch?.signal.aborted === true) return false;
      const refusal = await refusalOf(engine[step](id, auditContext));
      if (refusal) taken.refuse(id, refusal);
      else taken.changed++;
      await watch?.report(taken);
    }
    return true;
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
  auditContext: AuditContext,
  nowMs: number,
): Promise<{ isGrown: boolean; run: Run }> {
  const query = { ...graphQueryOf(filter, nowMs), nowMs };
  const begin = newest === undefined ? await newestOf(engine, query) : newest + ABOVE;
  if (begin === undefined) return { isGrown: false, run: async () => true };
  const { matched } = await engine.bulk(step, { filter: query, isDryRun: true, cursor: begin });
  const run: Run = async (taken, watch) => {
    for (let cursor: string | undefined = begin; cursor !== undefined;) {
      const left = isMore ? Infinity : expected - taken.count;
      if (left <= 0) break;
      if (watch?.signal.aborted === true) return false;
      const before = taken.changed;
      const { next_cursor: next } = await engine.bulk(step, {
        ...auditContext,
        filter: query,
        cursor,
        ...(left < Infinity && { limit: left }),
        ...(watch && { signal: watch.signal }),
        onRefused: (id, refusal) => taken.refuse(id, refusal),
        onProgress: ({ changed }) => {
          taken.changed = before + changed;
          return watch?.report(taken);
        },
      });
      cursor = next ?? undefined;
    }
    return true;
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

/** Why a run did not allow its step, or that it is gone. @throws what is neither: what was steered until then is. */
async function refusalOf(step: Promise<unknown>): Promise<SvcError | undefined> {
  try {
    await step;
    return undefined;
  } catch (error) {
    if (error instanceof SvcError && (error.code === "SVC_TRANSITION" || error.code === "SVC_NOT_FOUND")) return error;
    throw error;
  }
}
