/** Filters and sorts the rows of the report. Pure and small, because it ships to the browser. */
import type { ReportRow } from "./types.ts";

export type SortKey = "name" | "license" | "weight";
export type Level = "all" | "flagged" | "high" | "medium" | "low";

export type Arrangement = {
  sortBy: SortKey;
  isDescending: boolean;
  /** Part of a name, a licence or a note; case does not matter. */
  search: string;
  level: Level;
};

export function arrangeRows(rows: readonly ReportRow[], wanted: Arrangement): ReportRow[] {
  const search = wanted.search.trim().toLowerCase();
  const sign = wanted.isDescending ? -1 : 1;
  return rows
    .filter((row) => hasLevel(row, wanted.level) && holds(row, search))
    .sort((left, right) => sign * compare(left, right, wanted.sortBy) || byText(left.path, right.path));
}

function hasLevel(row: ReportRow, level: Level): boolean {
  if (level === "all") return true;
  return level === "flagged" ? row.weight > 0 : row.severity === level;
}

function holds(row: ReportRow, search: string): boolean {
  if (search === "") return true;
  return [row.name, row.license, ...row.notes].some((text) => text.toLowerCase().includes(search));
}

function compare(left: ReportRow, right: ReportRow, key: SortKey): number {
  return key === "weight" ? left.weight - right.weight : byText(left[key], right[key]);
}

function byText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
