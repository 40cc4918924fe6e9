/** Counts graphs by tag and status, of what a store has found. */
import type { GraphHead } from "./graph-rows.ts";
import type { TagCounts } from "./queries.ts";

/** @param isAll whether these are all that match */
export function tagCountsOf(graphs: readonly Pick<GraphHead, "status" | "tags">[], isAll: boolean): TagCounts {
  const counts = new Map<string, TagCounts["tags"][number]["byStatus"]>();
  for (const { status, tags } of graphs)
    // A tag that a graph was given twice is one.
    for (const tag of new Set(tags)) {
      const byStatus = counts.get(tag) ?? {};
      byStatus[status] = (byStatus[status] ?? 0) + 1;
      counts.set(tag, byStatus);
    }
  const untagged = graphs.filter(({ tags }) => tags.length === 0).length;
  const tags = [...counts.keys()].sort().map((tag) => ({ tag, byStatus: counts.get(tag) ?? {} }));
  return { tags, looked: graphs.length, untagged, isAll };
}
