/** Queries of lists and purges. graph-query.ts and page.ts define how stores answer them. */
import type { AttributeFilter } from "./attributes.ts";
import type { GraphOrigin, RunStatus } from "../../platform/shared/wire.ts";

export interface Page<Item> {
  items: Item[];
  /** Number of all matches; see the query for the limit of counting. */
  total: number;
  nextCursor: string | undefined;
}

/**
 * All conditions must hold. With worker and status only, the total is exact; otherwise it counts to 1,000, and with `error`, `summary`, `origin`
 * or `attributes` only the runs that the page has read.
 */
export interface GraphQuery {
  worker?: string;
  status?: RunStatus;
  tag?: string;
  /** Created since and until these times, by their ids. */
  sinceMs?: number;
  untilMs?: number;
  /** Prefix of an id. */
  idPrefix?: string;
  /** Text in the error message, case-insensitive. A page reads the newest 2,000 failures at most. */
  error?: string;
  /** Text in the summary, case-insensitive. A page reads the newest 2,000 runs at most. */
  summary?: string;
  /** Origin. A page reads the newest 2,000 runs at most. */
  origin?: GraphOrigin;
  /** Child runs of this run. */
  parent?: string;
  /**
   * Conditions on attributes: `{ plan: "pro", cents: { gte: 500 } }`. The result is complete if one of the query's conditions, or its
   * time, selects at most 2,000 runs; otherwise a page reads the newest 2,000 runs that meet one condition at most.
   */
  attributes?: AttributeFilter;
  /**
   * Minimum (inclusive) and maximum (exclusive) duration in milliseconds. An unfinished run counts with its age at `nowMs`; a queued one
   * never matches. A page reads the newest 100,000 runs at most, or 2,000 with a tag or parent.
   */
  longerMs?: number;
  shorterMs?: number;
  /** Ended since and until these times. Limits as for durations. */
  finishedSinceMs?: number;
  finishedUntilMs?: number;
  /** With `longerMs` or `shorterMs`: the time for the age of unfinished runs. The engine sets it from its clock. */
  nowMs?: number;
  /** 1 to 200; default 50. For durations: the newest, at most and by default 10,000. */
  limit?: number;
  cursor?: string;
}

/** Durations of runs. */
export interface Durations {
  /** Milliseconds of each started run, newest first. */
  durationsMs: number[];
  /** Whether these are all matches; otherwise the newest. */
  isAll: boolean;
}

/** Number of runs by tag; a run with several tags counts for each. */
export interface TagCounts {
  /** By name. */
  tags: { tag: string; byStatus: Partial<Record<RunStatus, number>> }[];
  /** Number of runs that were read, and of those without a tag. */
  looked: number;
  untagged: number;
  /** Whether these are all matches; otherwise the newest. */
  isAll: boolean;
}

/** Finished runs to delete. All conditions must hold. */
export interface PurgeQuery {
  worker?: string;
  status?: "done" | "failed" | "cancelled";
  tag?: string;
  finishedBeforeMs: number;
  /** Only runs with a higher id: the end of the previous slice. */
  after?: string;
  /** Runs to consider in a slice; default 100. */
  limit?: number;
}

export interface PurgeStep {
  deleted: number;
  /** Those of the deleted runs. */
  ids: readonly string[];
  /** Start of the next slice; undefined if nothing is left. */
  next: string | undefined;
}
