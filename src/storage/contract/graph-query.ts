/**
 * The meaning of a query for runs, independent of the store. Ids sort by age and begin with the creation time
 * (platform/shared/id-time.ts), so every condition on time or id is a range of ids.
 */
import { lowestGraphId } from "../../platform/shared/id-time.ts";
import { invariant } from "../../platform/shared/errors.ts";
import { RUN_STATUSES, type RunStatus } from "../../platform/shared/wire.ts";
import { meetsConditions } from "./attributes.ts";
import type { GraphHead } from "./graph-rows.ts";
import type { Durations, GraphQuery } from "./queries.ts";

/** Counting stops here: no reader needs more. */
export const MAX_TOTAL = 1000;
/** Durations to return: enough for their distribution, read in milliseconds. */
const MAX_DURATIONS = 10_000;

/** Runs whose durations a page compares if an index has them: a few milliseconds. */
export const MAX_COMPARED = 100_000;
/** Rows that a page reads without an index: a few milliseconds. */
export const MAX_LOOKED = 2000;

/** Columns of a row in lists. */
export const HEAD_COLUMNS =
  "id, worker, status, tags, error, parent_graph, started_ms, finished_ms, summary, origin, attributes";

/** Sorts after every id with the preceding prefix. */
const ABOVE = "~";

/** @param cursor only older runs. @returns range of ids, the first inclusive, the second exclusive. */
export function idRange(query: GraphQuery, cursor = ABOVE): { from: string; to: string } {
  const { idPrefix = "", sinceMs, untilMs } = query;
  const from = [idPrefix, sinceMs === undefined ? "" : lowestGraphId(sinceMs)];
  const to = [`${idPrefix}${ABOVE}`, untilMs === undefined ? ABOVE : lowestGraphId(untilMs + 1), cursor];
  return { from: from.toSorted().at(-1) as string, to: to.toSorted()[0] as string };
}

/** Whether a query uses only worker and status: its total is exact then. */
export function isPlain({ worker: _w, status: _s, limit: _l, cursor: _c, nowMs: _n, ...others }: GraphQuery): boolean {
  return Object.values(others).every((value) => value === undefined);
}

/** Whether no index answers it: each row must be read. */
export function isLookedFor({ error, summary, origin }: GraphQuery): boolean {
  return [error, summary, origin].some((value) => value !== undefined);
}

/** Whether the query has conditions on attributes. */
export function hasAttributes({ attributes = {} }: GraphQuery): boolean {
  return Object.keys(attributes).length > 0;
}

/** Possible statuses of a match: only failed and cancelled runs have an error, only ended ones an end time. */
export function statusesOf({ status, error, finishedSinceMs, finishedUntilMs }: GraphQuery): readonly RunStatus[] {
  const hasEnded = finishedSinceMs !== undefined || finishedUntilMs !== undefined;
  const possible = error !== undefined ? FAILED : hasEnded ? ENDED : RUN_STATUSES;
  return status === undefined ? possible : possible.filter((one) => one === status);
}

const FAILED: readonly RunStatus[] = ["failed", "cancelled"];
const ENDED: readonly RunStatus[] = ["done", "failed", "cancelled"];

/** Conditions on durations and end times. */
export interface TimesAsked {
  longerMs: number | undefined;
  shorterMs: number | undefined;
  finishedSinceMs: number | undefined;
  finishedUntilMs: number | undefined;
  /** Time to which the age of unfinished runs is computed; unused without a condition on durations. */
  nowMs: number;
}

/** Undefined without such conditions. */
export function timesAsked(query: GraphQuery): TimesAsked | undefined {
  const { longerMs, shorterMs, finishedSinceMs, finishedUntilMs, nowMs } = query;
  const hasLength = longerMs !== undefined || shorterMs !== undefined;
  if (!hasLength && finishedSinceMs === undefined && finishedUntilMs === undefined) return undefined;
  invariant(!hasLength || nowMs !== undefined, "a query for durations has the current time");
  return { longerMs, shorterMs, finishedSinceMs, finishedUntilMs, nowMs: nowMs ?? 0 };
}

/** Duration of a run, or its age; undefined before it starts. */
export function durationOf(
  { startedMs, finishedMs }: Pick<GraphHead, "startedMs" | "finishedMs">,
  nowMs: number,
): number | undefined {
  return startedMs === undefined ? undefined : (finishedMs ?? nowMs) - startedMs;
}

/** Number of durations that a query requests. */
export function durationsLimit({ limit = MAX_DURATIONS }: GraphQuery): number {
  return Math.min(limit, MAX_DURATIONS);
}

/** Durations of a query, given one more than requested, or all. @param isAll whether all matches were read */
export function newestDurations(query: GraphQuery, foundMs: readonly number[], isAll = true): Durations {
  const most = durationsLimit(query);
  return { durationsMs: foundMs.slice(0, most), isAll: isAll && foundMs.length <= most };
}

function fitsTimes(asked: TimesAsked | undefined, head: GraphHead): boolean {
  if (!asked) return true;
  const { longerMs, shorterMs, finishedSinceMs = -Infinity, finishedUntilMs = Infinity, nowMs } = asked;
  // A condition on the end time excludes unfinished runs by status.
  const endedMs = head.finishedMs ?? finishedSinceMs;
  if (endedMs < finishedSinceMs || endedMs > finishedUntilMs) return false;
  if (longerMs === undefined && shorterMs === undefined) return true;
  const tookMs = durationOf(head, nowMs);
  return tookMs !== undefined && tookMs >= (longerMs ?? -Infinity) && tookMs < (shorterMs ?? Infinity);
}

/** Whether a run matches, on any page. */
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
    meetsConditions(head.attributes, query.attributes) &&
    fitsTimes(timesAsked(query), head)
  );
}

/** Case-insensitive. */
function holds(text = "", wanted: string | undefined): boolean {
  return wanted === undefined || text.toLowerCase().includes(wanted.toLowerCase());
}
