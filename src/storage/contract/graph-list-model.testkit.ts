/** Lists of runs computed from all rows: the reference for stores that use indexes. */
import { RUN_STATUSES, type RunStatus } from "../../platform/shared/wire.ts";
import { durationOf, idRange, isPlain, matches, MAX_LOOKED, MAX_TOTAL, newestDurations } from "./graph-query.ts";
import { HEAD_KEYS, type GraphHead, type GraphRow } from "./graph-rows.ts";
import { pageLimit } from "./page.ts";
import type { Durations, GraphQuery, Page, TagCounts } from "./queries.ts";
import { tagCountsOf } from "./tag-counts.ts";

export class GraphListModel {
  readonly #newestFirst: readonly GraphRow[];

  constructor(rows: readonly GraphRow[]) {
    this.#newestFirst = rows.toSorted((a, b) => (a.id < b.id ? 1 : -1));
  }

  #matching(query: GraphQuery): GraphRow[] {
    return this.#newestFirst.filter((row) => matches(query, row));
  }

  list(query: GraphQuery): Page<GraphHead> {
    const matching = this.#matching(query);
    const { to } = idRange(query, query.cursor);
    const rest = matching.filter((row) => row.id < to);
    const limit = pageLimit(query.limit);
    const total = isPlain(query) ? matching.length : Math.min(matching.length, MAX_TOTAL);
    const items = rest.slice(0, limit).map(headOf);
    return { items, total, nextCursor: rest.length > limit ? items.at(-1)?.id : undefined };
  }

  durations(query: GraphQuery, nowMs: number): Durations {
    return newestDurations(
      query,
      this.#matching(query).flatMap((row) => durationOf(row, nowMs) ?? []),
    );
  }

  tagCounts(query: GraphQuery): TagCounts {
    const all = this.#matching(query);
    return tagCountsOf(all.slice(0, MAX_LOOKED), all.length <= MAX_LOOKED);
  }

  countByStatus(): Record<RunStatus, number> {
    const count = (status: RunStatus): number => this.#newestFirst.filter((row) => row.status === status).length;
    return Object.fromEntries(RUN_STATUSES.map((status) => [status, count(status)])) as Record<RunStatus, number>;
  }

  workers(): string[] {
    return [...new Set(this.#newestFirst.map(({ worker }) => worker))].sort();
  }
}

function headOf(row: GraphRow): GraphHead {
  return Object.fromEntries(HEAD_KEYS.map((key) => [key, row[key]])) as GraphHead;
}
