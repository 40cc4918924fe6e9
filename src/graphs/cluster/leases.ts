/**
 * Leases in the database: takes and returns them, and releases those of dead processes. Each rule of lease.ts is the condition of a
 * statement; a test compares the two.
 * Taking a lease locks the process's row in the list for sharing, giving up deletes the row: one of the two waits, so no process takes a
 * lease after it was found dead.
 */
import type { ClusterDatabase, Query } from "./database.ts";
import type { Unfit } from "../engine/cluster-port.ts";
import { identifierOf, nameOf, type JobPayload } from "./job-names.ts";

export interface Taken {
  id: string;
  number: number;
}

export interface Whereabouts {
  /** Null: none. */
  holder: string | null;
  /** Task identifier of its definition (job-names.ts). */
  identifier: string;
}

export interface GivenUp {
  id: string;
  worker: string;
  version: string | null;
  /** Hash of the definition with which it was started. */
  definition: string;
  due_ms: number;
  priority: number;
  needs_job: boolean;
}

/** Ended runs, which only a command continues. */
const ENDED = "('done', 'failed')";
const WAITS_FOR_KEY = "(status = 'queued' and admitted_ms is null)";
/** Condition of runs that do something, so they need a job. */
const NEEDS_JOB = `phase not in ('done', 'failed', 'paused', 'parked') and not ${WAITS_FOR_KEY}`;

/** Runs to hand on at a time. */
const HANDED_ON = 1000;

export class Leases {
  readonly #database: ClusterDatabase;

  constructor(database: ClusterDatabase) {
    this.#database = database;
  }

  /**
   * Takes leases without a holder.
   * @param isWanted whether a caller wants to change the runs: includes ended and paused ones.
   * @returns the new leases, and those that the process holds already, because the answer of an earlier statement may have been lost.
   * Undefined if the process is not listed, and may take none.
   */
  async take(ids: readonly string[], processId: string, isWanted = false): Promise<Taken[] | undefined> {
    const { schema, query } = this.#database;
    const goesOn = `phase not in ${ENDED} and phase <> 'paused'`;
    const { rows } = await query<{ id: string | null; lease: number | null }>(
      `with me as materialized (select id from ${schema}.processes where id = $2 for key share),
         taken as (
           update ${schema}.graph set holder = $2, lease = lease + 1
           where id = any($1) and ${isWanted ? `(holder is null or phase in ${ENDED})` : `holder is null and ${goesOn}`}
             and exists (select from me)
           returning id, lease),
         mine as (select id, lease from ${schema}.graph where id = any($1) and holder = $2 and ${goesOn})
       select found.id, found.lease from me left join (select * from taken union all select * from mine) found on true`,
      [ids, processId],
    );
    if (rows.length === 0) return undefined;
    return rows.flatMap(({ id, lease }) => (id === null ? [] : [{ id, number: lease as number }]));
  }

  /** Holder and job name of a run. Undefined: there is no such run. */
  async whereabouts(id: string): Promise<Whereabouts | undefined> {
    const { schema, query } = this.#database;
    const { rows } = await query<{ holder: string | null; worker: string; version: string | null; definition: string }>(
      `select case when phase in ${ENDED} then null else holder end as holder, worker, version, definition
       from ${schema}.graph where id = $1`,
      [id],
    );
    return rows[0] && { holder: rows[0].holder, identifier: identifierOfRow(rows[0]) };
  }

  /** A listed process with this definition. Undefined: none. */
  async fitting(identifier: string): Promise<string | undefined> {
    const { schema, query } = this.#database;
    const { rows } = await query<{ id: string }>(
      `select id from ${schema}.processes where $1 = any(definitions) order by random() limit 1`,
      [identifier],
    );
    return rows[0]?.id;
  }

  /** Whether a lease is unchanged. */
  async isHeld(id: string, number: number, processId: string): Promise<boolean> {
    const { schema, query } = this.#database;
    const { rows } = await query(`select from ${schema}.graph where id = $1 and lease = $2 and holder = $3`, [
      id,
      number,
      processId,
    ]);
    return rows.length > 0;
  }

  /** Leases of a process, except for paused runs. */
  async heldBy(processId: string): Promise<Taken[]> {
    const { schema, query } = this.#database;
    const { rows } = await query<Taken>(
      `select id, lease as number from ${schema}.graph where holder = $1 and phase not in ${ENDED} and phase <> 'paused'`,
      [processId],
    );
    return rows;
  }

  /** Returns a lease. @param number as it was taken. Does nothing if another process holds the lease by now. */
  async giveBack(id: string, number: number, unfit?: Unfit): Promise<void> {
    const facts = unfit ? { hasCrashed: unfit.hasCrashed, isUnfit: true } : {};
    await this.#database.transaction(async (query) => {
      await this.#giveUp(query, "g.id = $1 and g.lease = $2", [id, number], () => facts);
    });
  }

  /**
   * Releases all leases of a process and removes it from the list.
   * @param isDead whether it crashed; false if it leaves.
   * @returns number of unfinished runs; undefined if another process was faster.
   */
  async giveUpFor(processId: string, isDead = true): Promise<number | undefined> {
    const { schema } = this.#database;
    return this.#database.transaction(async (query) => {
      const beside = await this.#ranBeside(query, processId);
      const { rows } = await query<{ pools: string[]; claimant: string | null; has_crashed: boolean }>(
        `delete from ${schema}.processes where id = $1
         returning pools, claimant, pg_postmaster_start_time() < seen_at as has_crashed`,
        [processId],
      );
      if (!rows[0]) return undefined;
      await query("select graphile_worker.force_unlock_workers($1)", [rows[0].pools]);
      await query(`update ${schema}.delivery set claimed_by = null where status = 'pending' and claimed_by = $1`, [
        rows[0].claimant,
      ]);
      // If the server itself was down, its processes did not crash.
      if (!isDead || !rows[0].has_crashed) return this.#giveUp(query, "g.holder = $1", [processId]);
      return this.#giveUp(query, "g.holder = $1", [processId], (id) => ({ hasCrashed: true, beside: beside.get(id) }));
    });
  }

  /** @returns nodes that other processes run for this one, by run. They did not crash it. */
  async #ranBeside(query: Query, processId: string): Promise<Map<string, string[]>> {
    const { rows } = await query<{ id: string; nodes: string[] }>(
      `select graph_id as id, array_agg(body->'context'->>'nodeId') as nodes from ${this.#database.schema}.node_calls
       where holder = $1 and runner is not null and graph_id <> '' group by graph_id`,
      [processId],
    );
    return new Map(rows.map(({ id, nodes }) => [id, nodes]));
  }

  /** Releases leases of unlisted processes and unlocks their jobs, for rows that were written too late for `giveUpFor`. */
  async sweep(): Promise<number> {
    const { schema } = this.#database;
    return this.#database.transaction(async (query) => {
      await query(
        `select graphile_worker.force_unlock_workers(array(
           select distinct locked_by from graphile_worker._private_jobs
           where locked_by is not null and locked_at < now() - interval '5 s'
             and locked_by not in (select unnest(pools) from ${schema}.processes)))`,
      );
      const isLost = `g.holder is not null and not exists (select from ${schema}.processes p where p.id = g.holder)`;
      return this.#giveUp(query, isLost, []);
    });
  }

  /**
   * Hands runs whose definition no process has to a process with the same name and version: they continue if they can, and are parked
   * otherwise, as in a single process (graphs/machine/recovery.ts). A run that is being compensated is not handed on again once such a
   * process has returned it.
   * @returns their number.
   */
  async handOn(): Promise<number> {
    const { schema, query } = this.#database;
    const { rows } = await query<GivenUp & { has_crashed: boolean | null }>(
      `select g.id, g.worker, g.version, g.definition, g.due_ms::float8, g.priority, (j.payload->>'hasCrashed')::boolean as has_crashed
       from graphile_worker._private_tasks t
         join graphile_worker._private_jobs j on j.task_id = t.id join ${schema}.graph g on g.id = j.key
       where t.identifier like 'graph % #%' and j.locked_at is null
         and (j.payload->>'isUnfit') is distinct from 'true'
         and not exists (select from ${schema}.processes p where t.identifier = any(p.definitions)) limit ${HANDED_ON}`,
    );
    const jobs = rows.map((row) => ({
      ...jobOf(row, { hasCrashed: row.has_crashed ?? false }),
      identifier: nameOf(row.worker, row.version ?? undefined),
    }));
    if (jobs.length > 0) await query(addJobs, [JSON.stringify(jobs)]);
    return jobs.length;
  }

  /**
   * Creates jobs for parked runs that a process may continue: by its own definition or, when it joins, by one of the same name. The latter
   * also for runs that are being compensated, and that another process could not continue.
   * @param identifiers task identifiers that it takes.
   * @returns their number.
   */
  async unpark(identifiers: readonly string[], isJoining: boolean): Promise<number> {
    const { schema, query } = this.#database;
    const { rows } = await query<GivenUp & { has_crashed: boolean | null }>(
      `select g.id, g.worker, g.version, g.definition, g.due_ms::float8, g.priority, (j.payload->>'hasCrashed')::boolean as has_crashed
       from ${schema}.graph g left join graphile_worker._private_jobs j on j.key = g.id
       where g.phase not in ${ENDED} and g.holder is null and (
         g.phase = 'parked' and j.id is null
         or $1 and g.phase = 'cancelling' and j.locked_at is null and j.payload->>'isUnfit' = 'true')`,
      [isJoining],
    );
    const jobs = rows.flatMap((row) => {
      const own = [identifierOfRow(row), ...(isJoining ? [nameOf(row.worker, row.version ?? undefined)] : [])];
      const identifier = own.find((one) => identifiers.includes(one));
      return identifier === undefined ? [] : [{ ...jobOf(row, { hasCrashed: row.has_crashed ?? false }), identifier }];
    });
    if (jobs.length > 0) await query(addJobs, [JSON.stringify(jobs)]);
    return jobs.length;
  }

  /** Creates missing jobs. The rules leave none missing; this covers other causes, such as a job that was deleted by hand. */
  async addLostJobs(): Promise<number> {
    return this.#database.transaction(async (query) => {
      const isLost = `g.holder is null and ${NEEDS_JOB}
        and not exists (select from graphile_worker._private_jobs j where j.key = g.id)`;
      return this.#giveUp(query, isLost, []);
    });
  }

  /**
   * Creates jobs for runs without a holder in the order of their ids, whatever jobs they have.
   * @param after id after which to start.
   * @returns their number, and the id after which to continue; undefined: that was all.
   */
  async addJobs(after: string, limit: number): Promise<{ count: number; last: string | undefined }> {
    const { schema, query } = this.#database;
    const { rows } = await query<GivenUp>(
      `select id, worker, version, definition, due_ms::float8, priority from ${schema}.graph
       where id > $1 and holder is null and phase not in ${ENDED} and phase <> 'paused' and not ${WAITS_FOR_KEY}
       order by id limit $2`,
      [after, limit],
    );
    // As at the start of a single process: a running node may have crashed it.
    if (rows.length > 0) await query(addJobs, [JSON.stringify(rows.map((row) => jobOf(row, { hasCrashed: true })))]);
    return { count: rows.length, last: rows.at(-1)?.id };
  }

  async #giveUp(
    query: Query,
    which: string,
    values: readonly unknown[],
    factsOf: (id: string) => JobFacts = () => ({}),
  ): Promise<number> {
    const { schema } = this.#database;
    const { rows } = await query<GivenUp>(
      `update ${schema}.graph g set holder = null, lease = lease + 1
       where g.id in (select g.id from ${schema}.graph g where ${which} order by g.id for update)
       returning id, worker, version, definition, due_ms::float8, priority, ${NEEDS_JOB} as needs_job`,
      values,
    );
    const left = rows.filter((row) => row.needs_job);
    if (left.length > 0) await query(addJobs, [JSON.stringify(left.map((row) => jobOf(row, factsOf(row.id))))]);
    return left.length;
  }
}

/** One statement for many jobs. A run has at most one job that is not taken. */
const addJobs = `select graphile_worker.add_jobs(array(
  select json_populate_record(null::graphile_worker.job_spec, spec) from json_array_elements($1::json) spec))`;

export interface JobSpec {
  identifier: string;
  payload: JobPayload;
  job_key: string;
  /** ISO 8601. */
  run_at?: string;
  /** graphile-worker takes the lowest first. */
  priority: number;
}

/** What the process that takes a run must know. */
type JobFacts = { [Fact in keyof Omit<JobPayload, "id">]: JobPayload[Fact] | undefined };

function identifierOfRow({ worker, version, definition }: Pick<GivenUp, "worker" | "version" | "definition">): string {
  return identifierOf(worker, version ?? undefined, definition);
}

export function jobOf(
  graph: Pick<GivenUp, "id" | "worker" | "version" | "definition" | "due_ms" | "priority">,
  { hasCrashed = false, beside, isUnfit = false }: JobFacts = {},
): JobSpec {
  const { id, worker, version, definition, priority, due_ms } = graph;
  return {
    identifier: identifierOfRow({ worker, version, definition }),
    payload: { id, ...(hasCrashed && { hasCrashed, ...(beside && { beside }) }), ...(isUnfit && { isUnfit }) },
    job_key: id,
    run_at: new Date(due_ms).toISOString(),
    priority: Math.max(-32_768, Math.min(32_767, -priority)),
  };
}
