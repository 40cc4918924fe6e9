/**
 * Takes finished graphs away, with all that belongs to them, a few at a time: a slice is one short transaction, so that
 * those who write wait for milliseconds. Pages that come free go back to the file system with it.
 */
import { purgeAsked, sliceOf, toCandidate, type Candidate } from "../contract/purge-slice.ts";
import type { PurgeQuery, PurgeStep } from "../contract/queries.ts";
import { lowestGraphId } from "../../platform/shared/id-time.ts";
import { LAST_SEQ } from "./runs/event-runs.ts";
import type { Database } from "./database.ts";
import { uncountGraphs } from "./runs/totals.ts";

/** Tables whose rows belong to a graph by `graph_id`; graph_tag goes with the counts, delivery with its attempts. */
export const OWNED = ["node", "past_node", "event_run", "signal", "payload", "artifact_part", "artifact"];

/** Pages given back after a slice, as many as it can have emptied. */
const MAX_PAGES = 1000;

const OF_THESE = "graph_id IN (SELECT value FROM json_each(?))";

/** Finished before a time, nobody waits for it, and nothing of it is still to be sent. */
const IS_FREE = `
  finished_ms < ?
  AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.graph_id = graph.id AND delivery.status = 'pending')
  AND NOT EXISTS (SELECT 1 FROM graph AS parent WHERE parent.id = graph.parent_graph AND parent.phase NOT IN ('done', 'failed'))`;

const COLUMNS = `id, worker, status, tags, ${LAST_SEQ} AS seq`;

/** Inside a transaction. */
export function purgeSlice(database: Database, query: PurgeQuery): PurgeStep {
  const looked = candidates(database, query);
  const free = new Set(
    database
      .sql(`SELECT id FROM graph WHERE id IN (SELECT value FROM json_each(?)) AND ${IS_FREE}`)
      .all(JSON.stringify(looked.map(({ id }) => id)), query.finishedBeforeMs)
      .map((row) => String(row["id"])),
  );
  const { gone, step } = sliceOf(looked, free, query);
  if (gone.length > 0) remove(database, gone);
  return step;
}

/** Oldest first. What was created after a time can't have finished before it. */
function candidates(database: Database, query: PurgeQuery): Candidate[] {
  const { worker, finishedBeforeMs } = query;
  const { statuses, after, limit } = purgeAsked(query);
  const found = statuses.flatMap((one) =>
    database
      .sql(
        `SELECT ${COLUMNS} FROM graph WHERE ${worker === undefined ? "" : "worker = ? AND "}status = ? AND id > ? AND id < ? ORDER BY id LIMIT ?`,
      )
      .all(...(worker === undefined ? [] : [worker]), one, after, lowestGraphId(finishedBeforeMs), limit)
      .map(toCandidate),
  );
  return found.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
}

function remove(database: Database, gone: readonly Candidate[]): void {
  const ids = JSON.stringify(gone.map(({ id }) => id));
  database.sql(`DELETE FROM attempt WHERE delivery_id IN (SELECT id FROM delivery WHERE ${OF_THESE})`).run(ids);
  for (const table of [...OWNED, "delivery"]) database.sql(`DELETE FROM ${table} WHERE ${OF_THESE}`).run(ids);
  database.sql("DELETE FROM graph WHERE id IN (SELECT value FROM json_each(?))").run(ids);
  uncountGraphs(database, gone);
  // Each row it gives is a page that was given back.
  database.sql(`PRAGMA incremental_vacuum(${String(MAX_PAGES)})`).all();
}
