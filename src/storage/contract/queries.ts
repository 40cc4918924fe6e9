/** What pages and purges are asked for. How a store finds it, graph-query.ts and page.ts say. */
import type { GraphOrigin, GraphStatus } from "../../platform/shared/wire.ts";

export interface Page<Item> {
  items: Item[];
  /** Of all that match, on this page or not; see the query for how far that is counted. */
  total: number;
  nextCursor: string | undefined;
}

/**
 * All conditions must hold. By worker and status the total is exact; with any other condition it counts to 1,000 at
 * most, and where `error`, `summary` or `origin` is given only those that the page looked at.
 */
export interface GraphQuery {
  worker?: string;
  status?: GraphStatus;
  tag?: string;
  /** Created at this time or later, and at this time or before, as their ids tell it. */
  sinceMs?: number;
  untilMs?: number;
  /** The beginning of an id. */
  idPrefix?: string;
  /** Text in the message of what failed, upper and lower case alike. A page looks at the newest 2,000 failures at most. */
  error?: string;
  /** Text in what their authors say of them, upper and lower case alike. A page looks at the newest 2,000 graphs at most. */
  summary?: string;
  /** What started them. A page looks at the newest 2,000 graphs at most. */
  origin?: GraphOrigin;
  /** Started by a node of this graph. */
  parent?: string;
  /**
   * Took so many milliseconds or more, and less than so many. What has not ended counts as it is at `nowMs`; what has not begun
   * fits neither. A page looks at the newest 100,000 graphs at most, and at 2,000 where a tag or a parent is given too.
   */
  longerMs?: number;
  shorterMs?: number;
  /** Ended at this time or later, and at this time or before. A page looks at as many as one by how long they took. */
  finishedSinceMs?: number;
  finishedUntilMs?: number;
  /** Beside `longerMs` or `shorterMs`: what the age of graphs under way is counted to. The engine says what its clock says. */
  nowMs?: number;
  /** 1 to 200; default 50. Of durations the newest so many: 10,000 at most, which is the default. */
  limit?: number;
  cursor?: string;
}

/** How long graphs took. */
export interface Durations {
  /** In milliseconds, of each that has begun, newest first. */
  durationsMs: number[];
  /** Whether these are all that match; else the newest of them. */
  isAll: boolean;
}

/** How many graphs there are of each tag; one with several counts with each of them. */
export interface TagCounts {
  /** By name. */
  tags: { tag: string; byStatus: Partial<Record<GraphStatus, number>> }[];
  /** Graphs that were looked at, and how many of these have no tag. */
  looked: number;
  untagged: number;
  /** Whether these are all that match; else the newest of them. */
  isAll: boolean;
}

/** Which finished graphs may go. All conditions must hold. */
export interface PurgeQuery {
  worker?: string;
  status?: "done" | "failed";
  tag?: string;
  finishedBeforeMs: number;
  /** Looks at graphs with a higher id only: where the slice before has ended. */
  after?: string;
  /** Graphs that a slice looks at; default 100. */
  limit?: number;
}

export interface PurgeStep {
  deleted: number;
  /** Where the next slice begins; undefined when nothing is left to look at. */
  next: string | undefined;
}
