/** Groups runs by tag, the largest groups first. Pure. */
import type { TagCounts } from "../../../graph.ts";
import { STATUSES } from "./runs-query.ts";

type Status = (typeof STATUSES)[number];

/** Maximum number of rows. */
const MOST = 100;

export interface TagGroups {
  rows: { tag: string; all: number; byStatus: Partial<Record<Status, number>> }[];
  /** The statuses that occur. */
  statuses: Status[];
  /** Number of tags without a row. */
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
