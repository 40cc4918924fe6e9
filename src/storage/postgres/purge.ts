/** Deletes finished runs with all their rows, slice by slice: a slice is one short transaction that locks nothing others wait for. */
import { lowestGraphId } from "../../platform/shared/id-time.ts";
import { purgeAsked, sliceOf, toCandidate, type Candidate } from "../contract/purge-slice.ts";
import type { PurgeQuery, PurgeStep } from "../contract/queries.ts";
import { clean } from "./write/group-document.ts";
import type { Sql } from "./database.ts";

/** Tables with rows of a run, by `graph_id`. */
const OWNED = ["node", "past_node", "event", "signal", "artifact_part", "artifact"];

const COLUMNS = "id, worker, status, tags, attributes, seq";

/** Finished before a time, kept by no other run, and without an open delivery. */
const FREE = `
  SELECT id FROM svc.graph WHERE id = ANY ($1::text[]) AND finished_ms < $2 AND phase IN ('done', 'failed')
  AND NOT EXISTS (SELECT 1 FROM svc.delivery WHERE delivery.graph_id = graph.id AND delivery.status = 'pending')
  AND NOT EXISTS (SELECT 1 FROM svc.graph AS parent WHERE parent.id = graph.parent_graph AND parent.phase NOT IN ('done', 'failed'))
  FOR UPDATE OF graph SKIP LOCKED`;

/** Within a transaction. @param slot the writer's slot for counts. */
export async function purgeSlice(sql: Sql, query: PurgeQuery, slot: string): Promise<PurgeStep> {
  const looked = await candidates(sql, query);
  const ids = looked.map(({ id }) => id);
  const free = new Set((await sql(FREE, ids, query.finishedBeforeMs)).map((row) => String(row["id"])));
  const { gone, step } = sliceOf(looked, free, query);
  if (gone.length > 0) await remove(sql, gone, slot);
  return step;
}

/** Oldest first. A run that was created after a time can't have finished before it. */
async function candidates(sql: Sql, query: PurgeQuery): Promise<Candidate[]> {
  const { worker, finishedBeforeMs } = query;
  const { statuses, after, limit } = purgeAsked(query);
  const of = (one: string): string =>
    `(SELECT ${COLUMNS} FROM svc.graph WHERE ${worker === undefined ? "" : "worker = $4 AND "}status = '${one}' AND id > $1 AND id < $2 ORDER BY id LIMIT $3)`;
  const values = [
    clean(after),
    lowestGraphId(finishedBeforeMs),
    limit,
    ...(worker === undefined ? [] : [clean(worker)]),
  ];
  return (
    await sql(`SELECT * FROM (${statuses.map(of).join(" UNION ALL ")}) AS found ORDER BY id LIMIT $3`, ...values)
  ).map(toCandidate);
}

async function remove(sql: Sql, gone: readonly Candidate[], slot: string): Promise<void> {
  const ids = gone.map(({ id }) => id);
  await sql(
    "DELETE FROM svc.attempt WHERE delivery_id IN (SELECT id FROM svc.delivery WHERE graph_id = ANY ($1::text[]))",
    ids,
  );
  for (const table of [...OWNED, "delivery"])
    await sql(`DELETE FROM svc.${table} WHERE graph_id = ANY ($1::text[])`, ids);
  await sql(
    "DELETE FROM svc.graph_tag USING json_to_recordset($1::json) AS r(tag text, status text, id text) WHERE graph_tag.tag = r.tag AND graph_tag.status = r.status AND graph_id = r.id",
    JSON.stringify(
      gone.flatMap(({ id, status, tags }) => (JSON.parse(tags) as string[]).map((tag) => ({ id, status, tag }))),
    ),
  );
  const names = gone.flatMap(({ id, status, attributes = {} }) =>
    Object.keys(attributes).map((name) => ({ id, status, name })),
  );
  if (names.length > 0)
    await sql(
      "DELETE FROM svc.graph_attribute AS a USING json_to_recordset($1::json) AS r(name text, status text, id text) WHERE a.name = r.name AND a.status = r.status AND a.graph_id = r.id",
      JSON.stringify(names),
    );
  await sql("DELETE FROM svc.graph WHERE id = ANY ($1::text[])", ids);
  await sql(
    `INSERT INTO svc.graph_total (worker, status, slot, total)
     SELECT worker, status, $2, -count(*) FROM json_to_recordset($1::json) AS r(worker text, status text) GROUP BY worker, status
     ON CONFLICT (worker, status, slot) DO UPDATE SET total = graph_total.total + excluded.total`,
    JSON.stringify(gone.map(({ worker, status }) => ({ worker, status }))),
    slot,
  );
}
