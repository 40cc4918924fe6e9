/**
 * Applies a bulk action to the ticked runs, or to the runs that match the filters of a list. It never changes more runs than were
 * confirmed. bulk.tsx shows the preview; deferred.tsx delays the action.
 */
import { SvcError } from "../../../index.ts";
import type { Doing } from "../../../ops.ts";
import type { BulkOptions, AuditContext } from "../../../graph.ts";
import type { Step } from "../../operator-route.ts";
import type { BulkChoice, BulkStep } from "../../views/bulk/bulk.ts";
import { graphQueryOf } from "../../views/runs/runs-query.ts";
import { BulkProgress } from "../../views/bulk/bulk-progress.ts";

/** Reports the progress of an action, and signals when to stop. */
export type Watch = Pick<Doing, "signal"> & { report: (taken: BulkProgress) => Promise<void> };

/**
 * @param taken counted up while the action runs, so that the counts survive a failure @returns whether the action completed, without being
 * stopped
 */
export type Run = (taken: BulkProgress, watch?: Watch) => Promise<boolean>;

/** An action on the ticked runs, one by one. */
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

/** The selection as the preview showed it. */
interface Shown {
  expected: number;
  /** Whether there were more runs than that, uncounted. */
  isMore: boolean;
  /** The newest run in the preview. Undefined: the newest one now. */
  newest: string | undefined;
}

/** An action on the matching runs: none that is newer than the preview and, if the preview counted all, no more than were confirmed. */
export async function fitting(
  { engine }: Step["app"],
  { step, filter }: BulkChoice,
  { expected, isMore, newest }: Shown,
  auditContext: AuditContext,
  nowMs: number,
): Promise<{ isGrown: boolean; run: Run }> {
  const query = { ...graphQueryOf(filter, nowMs), nowMs };
  const begin = newest === undefined ? await newestOf(engine, query) : newest + AFTER_ALL_IDS;
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

/** A cursor before all runs that match now; undefined if none does. */
async function newestOf(engine: Step["app"]["engine"], query: BulkOptions["filter"]): Promise<string | undefined> {
  const { items, nextCursor } = await engine.list({ ...query, limit: 1 });
  return items[0] === undefined ? nextCursor : items[0].graph_id + AFTER_ALL_IDS;
}

/** Sorts after every character of an ID. */
export const AFTER_ALL_IDS = "~";

/** Why a run rejected the action, or that it is gone. @throws other errors; the runs changed before stay changed */
async function refusalOf(step: Promise<unknown>): Promise<SvcError | undefined> {
  try {
    await step;
    return undefined;
  } catch (error) {
    if (error instanceof SvcError && (error.code === "SVC_TRANSITION" || error.code === "SVC_NOT_FOUND")) return error;
    throw error;
  }
}
