/** Compares the acknowledged runs with the database and the received webhooks, after all runs have ended. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "./cluster-run.ts";

export interface Verdict {
  /** Acknowledged, but not in the database. */
  lost: string[];
  /** Still not ended when the time was over. */
  unfinished: string[];
  failed: string[];
  /** Number of nodes with more than one result. */
  twice: number;
  /** Number of runs whose events are not numbered from 1 without gaps. */
  gaps: number;
  /** Runs without a webhook. */
  unheard: string[];
  /** Runs whose webhook arrived as more than one delivery. */
  doubled: string[];
}

const SETTLE_MS = 120_000;
/** Printed while waiting takes long. */
const WHAT_WAITS = [
  `select g.id, g.worker, g.phase, g.seq, g.lease, g.holder, j.attempts, j.locked_by, j.run_at,
     (select string_agg(concat_ws(' ', n.id, n.status, n.attempt), ', ') from svc.node n where n.graph_id = g.id) as nodes,
     (select string_agg(e.data, ' ' order by last) from svc.event e where e.graph_id = g.id) as events
   from svc.graph g left join graphile_worker.jobs j on j.key = g.id where g.phase not in ('done', 'failed') limit 4`,
  "select id, role, host, pools, extract(epoch from clock_timestamp() - seen_at)::int as silent from svc.processes",
  "select id, attempts, due_ms, claimed_by from svc.delivery where status = 'pending' limit 4",
];

const TWICE = `
  select count(*)::int as count from (
    select from svc.event, json_array_elements(data::json) one where one->>'type' = 'node.done' group by graph_id, one->>'node' having count(*) > 1
  ) twice`;
const GAPS = `
  select count(*)::int as count from (
    select from svc.event group by graph_id having min(first) <> 1 or max(last) <> sum(json_array_length(data::json))
  ) gaps`;

export interface Evidence {
  /** Ids of runs whose start was acknowledged. */
  ids: readonly string[];
  /** Delivery ids by run. */
  arrived: ReadonlyMap<string, readonly string[]>;
  sql: Sql;
}

async function unfinished({ ids, sql }: Evidence): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    "select id from svc.graph where id = any($1) and phase not in ('done', 'failed')",
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Waits until all runs have ended and their webhooks have arrived, up to a time limit. */
export async function settle(evidence: Evidence, say: (text: string) => void): Promise<void> {
  const { ids, arrived, sql } = evidence;
  for (const endMs = Date.now() + SETTLE_MS; Date.now() < endMs;) {
    const open = await unfinished(evidence);
    const unheard = ids.filter((id) => !arrived.has(id));
    if (open.length === 0 && unheard.length === 0) break;
    await sleep(1000);
    if (Math.random() < 0.9) continue;
    say(`${open.length} runs not ended, ${unheard.length} webhooks missing`);
    for (const text of WHAT_WAITS) say(JSON.stringify(await sql(text)).slice(0, 4000));
  }
  // A repeated delivery arrives soon after the first.
  await sleep(500);
}

export async function verdictOn(evidence: Evidence): Promise<Verdict> {
  const { ids, arrived, sql } = evidence;
  const count = async (text: string): Promise<number> => (await sql<{ count: number }>(text))[0]?.count ?? -1;
  const known = new Set((await sql<{ id: string }>("select id from svc.graph")).map(({ id }) => id));
  const failed = await sql<{ id: string; error: string }>("select id, error from svc.graph where phase = 'failed'");
  return {
    lost: ids.filter((id) => !known.has(id)),
    unfinished: await unfinished(evidence),
    failed: failed.map(({ id, error }) => `${id}: ${error}`),
    twice: await count(TWICE),
    gaps: await count(GAPS),
    unheard: ids.filter((id) => !arrived.has(id)),
    doubled: ids.filter((id) => new Set(arrived.get(id)).size > 1),
  };
}
