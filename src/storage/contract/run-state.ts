/** Reads a run for callers that need only its state, so that they don't wait for its large values, which may be in a bucket. */
import type { GraphRow } from "./graph-rows.ts";
import type { GraphStore } from "./graph-store.ts";

/** @returns the row with notes in place of values that are in a bucket; undefined if there is no such run */
export async function runState(graphs: Pick<GraphStore, "heads">, id: string): Promise<GraphRow | undefined> {
  return (await graphs.heads([id], { limit: 0 }, "noted"))[0]?.row;
}
