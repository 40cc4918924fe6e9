/** Which runs a graph cancels when more are started than its limit allows. Pure. */
import type { OnLimit } from "../../definition/flow-control-types.ts";

/** Runs of one key. */
export interface RunsOfKey {
  limit: number;
  /** Ids of runs that count, the oldest first. */
  active: readonly string[];
  /** Ids of runs for which the key has no place, in the order of their starts. */
  waiting: readonly string[];
}

/** @returns ids of runs to cancel. */
export function overflow(onLimit: OnLimit, { limit, active, waiting }: RunsOfKey): string[] {
  if (onLimit === "queue" || waiting.length === 0) return [];
  if (onLimit === "cancel-newest") return [...waiting];
  // The newest ones stay. An active run keeps its place until it has ended, so it may be cancelled already.
  const all = [...active, ...waiting];
  return all.slice(0, Math.max(0, all.length - limit));
}
