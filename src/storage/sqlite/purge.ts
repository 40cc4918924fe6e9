/**
 * Deletes finished runs with all their rows, slice by slice: a slice is one short transaction, so writers wait only milliseconds. Free
 * pages are returned to the file system with it.
 */
import { purgeAsked, sliceOf, toCandidate, type Candidate } from "../contract/purge-slice.ts";
import type { PurgeQuery, PurgeStep } from "../contract/queries.ts";
import { lowestGraphId } from "../../platform/shared/id-time.ts";
import { LAST_SEQ } from "./runs/event-runs.ts";
import type { Database } from "./database.ts";
import { uncountGraphs } from "./runs/totals.ts";

/** Tables with rows of a run, by `graph_id`; graph_tag and graph_attribute go with the counts, delivery with its attempts. */
export const OWNED = ["node", "past_node", "event_run", "signal", "payload", "artifact_part", "artifact"];

/** Pages to return after a slice: as many as it can have emptied. */
const MAX_PAGES = 1000;

const OF_THESE = "graph_id IN (SELECT value FROM json_each(?))";

/** Finished before a time, kept by no other run, and without an open delivery. */
const IS_FREE = `
  finished_ms < ?
  AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.graph_id = graph.id AND delivery.status = 'pending')
  AND NOT EXISTS (SELECT 1 FROM graph AS parent WHERE parent.id = graph.parent_graph AND parent.phase NOT IN ('done', 'failed'))`;

const COLUMNS = `id, worker, status, tags, attributes, ${LAST_SEQ} AS seq`;

/** Within a transaction. */
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

/** Oldest first. A run that was created after a time can't have finished before it. */
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
  // Each result row is one returned page.
  database.sql(`PRAGMA incremental_vacuum(${String(MAX_PAGES)})`).all();
}
