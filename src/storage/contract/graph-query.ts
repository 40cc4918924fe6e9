/**
 * What a query for graphs asks for, apart from how a store finds it. Ids sort by age and begin with the time of creation
 * (platform/shared/id-time.ts), so every condition on time or on the id itself is a range of ids.
 */
import { lowestGraphId } from "../../platform/shared/id-time.ts";
import { invariant } from "../../platform/shared/errors.ts";
import { GRAPH_STATUSES, type GraphStatus } from "../../platform/shared/wire.ts";
import type { GraphHead } from "./graph-rows.ts";
import type { Durations, GraphQuery } from "./queries.ts";

/** Matches beyond this are not counted: a total is for a reader, and 1,000 is more than any reads. */
export const MAX_TOTAL = 1000;
/** Graphs whose lengths are told: enough for their shape, and read in milliseconds. */
const MAX_DURATIONS = 10_000;

/** Graphs whose lengths a page compares, where an index has them: a few milliseconds. */
export const MAX_COMPARED = 100_000;
/** Rows that a page looks at where no index answers: a few milliseconds. */
export const MAX_LOOKED = 2000;

/** Columns of a head. */
export const HEAD_COLUMNS = "id, worker, status, tags, error, parent_graph, started_ms, finished_ms, summary, origin";

/** Sorts above every id that begins with the text before it. */
const ABOVE = "~";

/** @param cursor only what is older than this one. @returns ids from the first, inclusive, to the second, exclusive. */
export function idRange(query: GraphQuery, cursor = ABOVE): { from: string; to: string } {
  const { idPrefix = "", sinceMs, untilMs } = query;
  const from = [idPrefix, sinceMs === undefined ? "" : lowestGraphId(sinceMs)];
  const to = [`${idPrefix}${ABOVE}`, untilMs === undefined ? ABOVE : lowestGraphId(untilMs + 1), cursor];
  return { from: from.toSorted().at(-1) as string, to: to.toSorted()[0] as string };
}

/** Whether a query asks by worker and status only: then its total is exact. */
export function isPlain({ worker: _w, status: _s, limit: _l, cursor: _c, nowMs: _n, ...others }: GraphQuery): boolean {
  return Object.values(others).every((value) => value === undefined);
}

/** Whether it asks for what no index tells: each row has to be looked at. */
export function isLookedFor({ error, summary, origin }: GraphQuery): boolean {
  return [error, summary, origin].some((value) => value !== undefined);
}

/** Statuses a match can have: only what has failed has an error, and only what has ended has the time of its end. */
export function statusesOf({ status, error, finishedSinceMs, finishedUntilMs }: GraphQuery): readonly GraphStatus[] {
  const hasEnded = finishedSinceMs !== undefined || finishedUntilMs !== undefined;
  const possible = error !== undefined ? FAILED : hasEnded ? ENDED : GRAPH_STATUSES;
  return status === undefined ? possible : possible.filter((one) => one === status);
}

const FAILED: readonly GraphStatus[] = ["failed"];
const ENDED: readonly GraphStatus[] = ["done", "failed"];

/** What a query says of how long graphs took, and when they ended. */
export interface TimesAsked {
  longerMs: number | undefined;
  shorterMs: number | undefined;
  finishedSinceMs: number | undefined;
  finishedUntilMs: number | undefined;
  /** What the age of graphs under way is counted to; of no meaning where no length is asked for. */
  nowMs: number;
}

/** Undefined where it says nothing. */
export function timesAsked(query: GraphQuery): TimesAsked | undefined {
  const { longerMs, shorterMs, finishedSinceMs, finishedUntilMs, nowMs } = query;
  const hasLength = longerMs !== undefined || shorterMs !== undefined;
  if (!hasLength && finishedSinceMs === undefined && finishedUntilMs === undefined) return undefined;
  invariant(!hasLength || nowMs !== undefined, "a query for durations says what time it is");
  return { longerMs, shorterMs, finishedSinceMs, finishedUntilMs, nowMs: nowMs ?? 0 };
}

/** How long a graph took, or has been under way; undefined while it has not begun. */
export function durationOf(
  { startedMs, finishedMs }: Pick<GraphHead, "startedMs" | "finishedMs">,
  nowMs: number,
): number | undefined {
  return startedMs === undefined ? undefined : (finishedMs ?? nowMs) - startedMs;
}

/** How many durations a query asks for. */
export function durationsLimit({ limit = MAX_DURATIONS }: GraphQuery): number {
  return Math.min(limit, MAX_DURATIONS);
}

/** Those of a query, where a store has found one more than it asks for, or all there are. @param isAll of what was looked at */
export function newestDurations(query: GraphQuery, foundMs: readonly number[], isAll = true): Durations {
  const most = durationsLimit(query);
  return { durationsMs: foundMs.slice(0, most), isAll: isAll && foundMs.length <= most };
}

function fitsTimes(asked: TimesAsked | undefined, head: GraphHead): boolean {
  if (!asked) return true;
  const { longerMs, shorterMs, finishedSinceMs = -Infinity, finishedUntilMs = Infinity, nowMs } = asked;
  // What has not ended is no match by its status where an end is asked for.
  const endedMs = head.finishedMs ?? finishedSinceMs;
  if (endedMs < finishedSinceMs || endedMs > finishedUntilMs) return false;
  if (longerMs === undefined && shorterMs === undefined) return true;
  const tookMs = durationOf(head, nowMs);
  return tookMs !== undefined && tookMs >= (longerMs ?? -Infinity) && tookMs < (shorterMs ?? Infinity);
}

/** Whether a graph is one of those asked for, on whichever page. */
export function matches(query: GraphQuery, head: GraphHead): boolean {
  const { from, to } = idRange(query);
  return (
    head.id >= from &&
    head.id < to &&
    statusesOf(query).includes(head.status) &&
    (query.worker === undefined || head.worker === query.worker) &&
    (query.tag === undefined || head.tags.includes(query.tag)) &&
    (query.parent === undefined || head.parentGraph === query.parent) &&
    holds(head.error?.message, query.error) &&
    holds(head.summary, query.summary) &&
    (query.origin === undefined || head.origin?.kind === query.origin) &&
    fitsTimes(timesAsked(query), head)
  );
}

/** Upper and lower case alike. */
function holds(text = "", wanted: string | undefined): boolean {
  return wanted === undefined || text.toLowerCase().includes(wanted.toLowerCase());
}
