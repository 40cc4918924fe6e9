/** Paging rules that every store keeps. */

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** Items per page: 1 to 200, 50 when not asked for. */
export function pageLimit(limit: number | undefined): number {
  return Math.min(Math.max(Math.trunc(limit ?? DEFAULT_LIMIT), 1), MAX_LIMIT);
}

/** Where a page of deliveries goes on: before this one, newest first. */
export function deliveryCursor(row: { createdMs: number; id: string }): string {
  return `${row.createdMs}.${row.id}`;
}

/** @returns undefined for text that is no cursor of ours, which then reads as "from the start". */
export function readDeliveryCursor(cursor: string | undefined): { createdMs: number; id: string } | undefined {
  const match = /^(\d{1,15})\.([\w-]+)$/.exec(cursor ?? "");
  return match ? { createdMs: Number(match[1]), id: match[2] as string } : undefined;
}
