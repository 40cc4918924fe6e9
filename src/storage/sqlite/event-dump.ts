/** Events as rows of a dump, one for each, while the file stores many in a row (event-runs.ts). */
import { EVENT_COLUMNS, insertValues, toEvent } from "../contract/columns.ts";
import type { DumpKey, DumpRow } from "../contract/dump.ts";
import type { GraphEvent } from "../contract/graph-rows.ts";
import type { Row } from "../contract/row.ts";
import type { Database } from "./database.ts";
import { eventsOf, writeEvents } from "./runs/event-runs.ts";

/** Rows to read at a time: usually a dozen events each. */
const ROWS = 64;

const NAMES = Object.values(EVENT_COLUMNS).map(([name]) => name);

export function countEvents(database: Database): number {
  const sql = "SELECT coalesce(sum(json_array_length(events)), 0) AS total FROM event_run";
  return Number(database.sql(sql).get()?.["total"]);
}

/** Events after a key, in order, up to a limit. */
export function dumpedEvents(database: Database, after: DumpKey | undefined, most: number): DumpRow[] {
  const where = after ? "WHERE (graph_id, last_seq) > (?, ?)" : "";
  const [graphId, seq] = after ?? [];
  return database
    .sql(`SELECT * FROM event_run ${where} ORDER BY graph_id, last_seq LIMIT ${ROWS}`)
    .all(...(after ?? []))
    .flatMap(eventsOf)
    .filter((event) => event.graphId !== graphId || event.seq > Number(seq))
    .slice(0, most)
    .map((event) => insertValues(EVENT_COLUMNS, event));
}

/** Within a transaction. Consecutive events of a run share rows; existing ones stay. */
export function loadEvents(database: Database, rows: readonly DumpRow[]): void {
  const runs: GraphEvent[][] = [];
  for (const row of rows) {
    const event = toEvent(Object.fromEntries(NAMES.map((name, at) => [name, row[at]])) as Row);
    const run = runs.at(-1);
    if (run?.[0]?.graphId === event.graphId && run.at(-1)?.seq === event.seq - 1) run.push(event);
    else runs.push([event]);
  }
  const later = database.sql("SELECT 1 FROM event_run WHERE graph_id = ? AND last_seq >= ? LIMIT 1");
  // Batches are complete and in order, so an existing first event means that all exist.
  const isNew = ([first]: GraphEvent[]): boolean =>
    first === undefined || later.get(first.graphId, first.seq) === undefined;
  writeEvents(database, runs.filter(isNew));
}
