/** Runs by tag as rows: the most first. Pure. */
import type { TagCounts } from "../../../graph.ts";
import { STATUSES } from "./runs-query.ts";

type Status = (typeof STATUSES)[number];

/** Rows: more are a list that nobody reads. */
const MOST = 100;

export interface TagGroups {
  rows: { tag: string; all: number; byStatus: Partial<Record<Status, number>> }[];
  /** Statuses that some run has. */
  statuses: Status[];
  /** Tags that are in no row. */
  more: number;
  looked: number;
  untagged: number;
  isAll: boolean;
}

export function tagGroupsOf({ tags, ...counts }: TagCounts): TagGroups {
  const rows = tags
    .map(({ tag, byStatus }) => ({ tag, byStatus, all: STATUSES.reduce((sum, one) => sum + (byStatus[one] ?? 0), 0) }))
    .sort((a, b) => b.all - a.all);
  const statuses = STATUSES.filter((one) => rows.some(({ byStatus }) => byStatus[one] !== undefined));
  return { ...counts, rows: rows.slice(0, MOST), statuses, more: Math.max(0, rows.length - MOST) };
}
