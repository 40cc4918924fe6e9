/** Events as rows of a dump, one for each, while PostgreSQL stores many in a row (event-rows.ts). */
import { EVENT_COLUMNS, insertValues, toEvent } from "../contract/columns.ts";
import { BATCH_BYTES, type DumpKey, type DumpRow } from "../contract/dump.ts";
import type { GraphEvent } from "../contract/graph-rows.ts";
import type { Row } from "../contract/row.ts";
import type { Database, Sql } from "./database.ts";
import { eventRows, eventsOf } from "./runs/event-rows.ts";
import { clean } from "./write/group-document.ts";

export const COUNT_EVENTS = "SELECT coalesce(sum(last - first + 1), 0) AS total FROM svc.event";

/** Rows to read at a time: a dozen events each, or 256. */
const ROWS = 100;
const READ = (where: string): string => `SELECT * FROM (
    SELECT *, sum(size) OVER (ORDER BY graph_id, last ROWS UNBOUNDED PRECEDING) - size AS before FROM (
      SELECT *, octet_length(data) AS size FROM svc.event ${where} ORDER BY graph_id, last LIMIT ${ROWS}
    ) AS page
  ) AS sized WHERE before < ${BATCH_BYTES} ORDER BY graph_id, last`;
const FIRST = READ("");
const BEHIND = READ("WHERE (graph_id, last) > ($1, $2)");

const INSERT = `INSERT INTO svc.event (graph_id, first, last, data)
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) ON CONFLICT (graph_id, last) DO NOTHING`;

const NAMES = Object.values(EVENT_COLUMNS).map(([name]) => name);

/** Events after a key, from rows that may begin before it. */
export async function readEvents(database: Database, after: DumpKey | undefined, most: number): Promise<DumpRow[]> {
  const [graphId, seq] = after ?? [];
  const rows = await (after ? database.rows(BEHIND, ...after) : database.rows(FIRST));
  return rows
    .flatMap(eventsOf)
    .filter((event) => event.graphId !== graphId || event.seq > Number(seq))
    .slice(0, most)
    .map((event) => insertValues(EVENT_COLUMNS, event));
}

/** Consecutive events of a run share rows. */
export async function writeEvents(sql: Sql, rows: readonly DumpRow[]): Promise<void> {
  const runs: GraphEvent[][] = [];
  for (const row of rows) {
    const event = toEvent(Object.fromEntries(NAMES.map((name, at) => [name, row[at]])) as Row);
    const run = runs.at(-1);
    if (run?.[0]?.graphId === event.graphId && run.at(-1)?.seq === event.seq - 1) run.push(event);
    else runs.push([event]);
  }
  const written = runs.flatMap((run) => {
    const [{ graphId, seq } = { graphId: "", seq: 0 }] = run;
    return eventRows(run, clean).map(({ before, count, data }) => [
      graphId,
      seq + before,
      seq + before + count - 1,
      data,
    ]);
  });
  await sql(INSERT, ...[0, 1, 2, 3].map((at) => written.map((row) => row[at] ?? null)));
}
