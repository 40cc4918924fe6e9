/**
 * What a purge takes away in one slice, the same on any store that is asked in SQL. To read candidates, to find which of them are free
 * and to delete is each store's own.
 */
import type { GraphStatus } from "../../platform/shared/wire.ts";
import type { PurgeQuery, PurgeStep } from "./queries.ts";
import type { Row } from "./row.ts";

/** Rows of one slice: what is deleted in some ten milliseconds. */
const MAX_ROWS = 2000;

/** A graph that a slice looks at. */
export interface Candidate {
  id: string;
  worker: string;
  status: GraphStatus;
  /** As JSON. */
  tags: string;
  /** Events, and about as many rows as it has. */
  seq: number;
}

export function toCandidate(row: Row): Candidate {
  const [id, worker, tags] = [row["id"], row["worker"], row["tags"]].map(String) as [string, string, string];
  return { id, worker, tags, status: row["status"] as GraphStatus, seq: Number(row["seq"]) };
}

/** What a query means where it leaves something open. */
export function purgeAsked({ status, limit = 100, after = "" }: PurgeQuery): {
  statuses: readonly string[];
  limit: number;
  after: string;
} {
  return { statuses: status === undefined ? ["done", "failed"] : [status], limit, after };
}

/**
 * @param looked the first candidates that the query names, by id
 * @param free ids of those that nothing holds
 */
export function sliceOf(
  looked: readonly Candidate[],
  free: ReadonlySet<string>,
  query: PurgeQuery,
): { gone: Candidate[]; step: PurgeStep } {
  const isWanted = ({ id, tags }: Candidate): boolean =>
    free.has(id) && (query.tag === undefined || (JSON.parse(tags) as string[]).includes(query.tag));
  const gone: Candidate[] = [];
  let last: string | undefined;
  let rows = 0;
  for (const candidate of looked) {
    if (rows > MAX_ROWS) break;
    last = candidate.id;
    if (!isWanted(candidate)) continue;
    gone.push(candidate);
    rows += candidate.seq;
  }
  const hasMore = looked.length >= purgeAsked(query).limit || last !== looked.at(-1)?.id;
  return { gone, step: { deleted: gone.length, next: hasMore ? last : undefined } };
}
