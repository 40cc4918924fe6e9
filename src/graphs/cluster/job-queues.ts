/**
 * The job queues of one process. Each runs in a pool of graphile-worker, which is listed with the process: when the process has gone, the
 * jobs that its pools had locked are unlocked.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { OpenedDatabase } from "./database.ts";
import { startJobs, type Jobs, type JobsOptions } from "./jobs.ts";

export interface JobQueuesOptions {
  database: OpenedDatabase;
  clock: Clock;
  log: Log;
  /** Id of this process; undefined while it has lost its database. */
  me: () => string | undefined;
}

export class JobQueues {
  readonly #options: JobQueuesOptions;
  readonly #queues: Jobs[] = [];
  #pools: string[] = [];

  constructor(options: JobQueuesOptions) {
    this.#options = options;
  }

  /** Takes jobs until it is closed. @throws if it can't be started. */
  async start(queue: Pick<JobsOptions, "identifiers" | "concurrency" | "isAhead" | "onJob">): Promise<void> {
    const { database, clock, log, me } = this.#options;
    let last: string | undefined;
    // Jobs of a stopped pool are unlocked once it is no longer registered.
    const onPool = (pool: string): void => {
      this.#pools = [...this.#pools.filter((other) => other !== last), pool];
      last = pool;
      const id = me();
      if (id !== undefined)
        this.list(id).catch((err: unknown) => log.warn({ err }, "A job pool is not registered yet"));
    };
    this.#queues.push(await startJobs({ ...queue, pool: database.pool, clock, log, onPool }));
  }

  /** Stores the pools of the process. */
  async list(id: string): Promise<void> {
    const { query, schema } = this.#options.database;
    await query(`update ${schema}.processes set pools = $2 where id = $1`, [id, this.#pools]);
  }

  /** Takes no more jobs, and resolves when the current ones are done. */
  async close(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.close()));
  }
}
