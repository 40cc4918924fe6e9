/** Counts runs by tag and status. */
import type { GraphHead } from "./graph-rows.ts";
import type { TagCounts } from "./queries.ts";

/** @param isAll whether these are all matches */
export function tagCountsOf(graphs: readonly Pick<GraphHead, "status" | "tags">[], isAll: boolean): TagCounts {
  const counts = new Map<string, TagCounts["tags"][number]["byStatus"]>();
  for (const { status, tags } of graphs)
    // A repeated tag of a run counts once.
    for (const tag of new Set(tags)) {
      const byStatus = counts.get(tag) ?? {};
      byStatus[status] = (byStatus[status] ?? 0) + 1;
      counts.set(tag, byStatus);
    }
  const untagged = graphs.filter(({ tags }) => tags.length === 0).length;
  const tags = [...counts.keys()].sort().map((tag) => ({ tag, byStatus: counts.get(tag) ?? {} }));
  return { tags, looked: graphs.length, untagged, isAll };
}
