/**
 * Selects the runs to delete in one slice, for stores with SQL. Reading candidates, finding deletable ones and deleting is up to each
 * store.
 */
import type { RunStatus } from "../../platform/shared/wire.ts";
import type { Attributes } from "./attributes.ts";
import type { PurgeQuery, PurgeStep } from "./queries.ts";
import type { Row } from "./row.ts";

/** Rows of one slice, deleted in about ten milliseconds. */
const MAX_ROWS = 2000;

/** A run that a slice considers. */
export interface Candidate {
  id: string;
  worker: string;
  status: RunStatus;
  /** JSON. */
  tags: string;
  attributes: Attributes | undefined;
  /** Number of events, close to the number of its rows. */
  seq: number;
}

export function toCandidate(row: Row): Candidate {
  const [id, worker, tags] = [row["id"], row["worker"], row["tags"]].map(String) as [string, string, string];
  const { attributes } = row;
  return {
    id,
    worker,
    tags,
    status: row["status"] as RunStatus,
    attributes: typeof attributes === "string" ? (JSON.parse(attributes) as Attributes) : undefined,
    seq: Number(row["seq"]),
  };
}

/** A query with its defaults. */
export function purgeAsked({ status, limit = 100, after = "" }: PurgeQuery): {
  statuses: readonly string[];
  limit: number;
  after: string;
} {
  return { statuses: status === undefined ? ["done", "failed", "cancelled"] : [status], limit, after };
}

/**
 * @param looked the first candidates of the query, by id
 * @param free ids of those that nothing keeps
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
  return { gone, step: { deleted: gone.length, ids: gone.map(({ id }) => id), next: hasMore ? last : undefined } };
}
