/**
 * The queues of jobs of one process. Each runs in a pool of graphile-worker's, which is listed with the process: when that has gone, the
 * jobs that its pools had locked are for others.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { OpenedDatabase } from "./database.ts";
import { startJobs, type Jobs, type JobsOptions } from "./jobs.ts";

export interface JobQueuesOptions {
  database: OpenedDatabase;
  clock: Clock;
  log: Log;
  /** The number of this process; undefined while it has lost its database. */
  me: () => string | undefined;
}

export class JobQueues {
  readonly #options: JobQueuesOptions;
  readonly #queues: Jobs[] = [];
  #pools: string[] = [];

  constructor(options: JobQueuesOptions) {
    this.#options = options;
  }

  /** Fetches jobs until it is closed. @throws where it can't be started. */
  async start(queue: Pick<JobsOptions, "identifiers" | "concurrency" | "isAhead" | "onJob">): Promise<void> {
    const { database, clock, log, me } = this.#options;
    let last: string | undefined;
    // Jobs of one that has stopped are unlocked once it is not listed any more.
    const onPool = (pool: string): void => {
      this.#pools = [...this.#pools.filter((other) => other !== last), pool];
      last = pool;
      const id = me();
      if (id !== undefined) this.list(id).catch((err: unknown) => log.warn({ err }, "A pool is not listed yet"));
    };
    this.#queues.push(await startJobs({ ...queue, pool: database.pool, clock, log, onPool }));
  }

  /** Writes down which pools the process has. */
  async list(id: string): Promise<void> {
    const { query, schema } = this.#options.database;
    await query(`update ${schema}.processes set pools = $2 where id = $1`, [id, this.#pools]);
  }

  /** Fetches nothing more, and resolves when what was fetched is done with. */
  async close(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.close()));
  }
}
