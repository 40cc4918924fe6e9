/** Paging rules of every store. */

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** Items per page: 1 to 200, default 50. */
export function pageLimit(limit: number | undefined): number {
  return Math.min(Math.max(Math.trunc(limit ?? DEFAULT_LIMIT), 1), MAX_LIMIT);
}

/** Cursor of a delivery: the next page has older ones. */
export function deliveryCursor(row: { createdMs: number; id: string }): string {
  return `${row.createdMs}.${row.id}`;
}

/** @returns undefined for an invalid cursor, which means "from the start". */
export function readDeliveryCursor(cursor: string | undefined): { createdMs: number; id: string } | undefined {
  const match = /^(\d{1,15})\.([\w-]+)$/.exec(cursor ?? "");
  return match ? { createdMs: Number(match[1]), id: match[2] as string } : undefined;
}
