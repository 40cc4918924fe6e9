/**
 * graphile-worker as the queue of runs: fetches jobs as there is capacity and passes them on. It knows nothing of leases. Loaded only in
 * a cluster.
 */
import type { Runner } from "graphile-worker";
import type { Pool } from "pg";
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Log } from "../../platform/shared/log.ts";
import { patiently } from "./open-database.ts";
import type { JobPayload } from "./job-names.ts";

/** Jobs to fetch at a time. They wait here only briefly, because other processes can't take them meanwhile. */
const FETCHED = 64;
/** Interval for due jobs; new ones are announced. graphile-worker's default. */
const POLL_MS = 2000;
/** The interval if jobs are fetched one by one: each slot polls by itself, and later jobs are only those that others returned. */
const POLL_EACH_MS = 10_000;
/** Pause before a queue is restarted. Its cause seldom ends sooner. */
const RESTART_MS = 500;

export interface JobsOptions {
  /** A pool of `pg`. */
  pool: unknown;
  /** Task identifiers that this process takes. */
  identifiers: readonly string[];
  /** Limit of concurrent jobs. */
  concurrency: number;
  clock: Clock;
  /** Whether to fetch more jobs than can start: faster, and unfair to other processes if jobs take long. */
  isAhead: boolean;
  log: Log;
  /** Called with the pool's id in locks of jobs, before it fetches any, and again after a restart. */
  onPool: (poolId: string) => void;
  /**
   * Handles a job of a run or node.
   * Resolves when the job is done; rejects to leave it to another process.
   */
  onJob: (job: JobPayload) => Promise<void>;
}

export interface Jobs {
  /** Takes no more jobs, and resolves when the current ones are done. */
  close(): Promise<void>;
}

async function load() {
  try {
    return await import("graphile-worker");
  } catch (cause) {
    throw new SvcError(
      "SVC_CONFIG",
      "A postgres:// database needs the packages pg and graphile-worker. Run npm install pg graphile-worker",
      { cause },
    );
  }
}

/** Only open-database.ts creates pools. Their type stays out of other declarations (database.ts). */
function asPool(pool: unknown): Pool {
  return pool as Pool;
}

/** Creates the tables of jobs. Safe for concurrent processes. */
export async function prepareJobs(pool: unknown, log: Log): Promise<void> {
  const { runMigrations } = await load();
  await runMigrations({ pgPool: asPool(pool), logger: await loggerTo(log) });
}

/** Takes jobs until it is closed. @throws if the first queue can't be started */
export async function startJobs(options: JobsOptions): Promise<Jobs> {
  const queue = new Queue(options);
  await patiently(() => queue.start());
  return queue;
}

/**
 * graphile-worker stops permanently if it can't write the end of a job, such as during a restart of the server. Another one is started
 * then. Jobs of the previous one are unlocked once its pool is no longer registered.
 */
class Queue implements Jobs {
  readonly #options: JobsOptions;
  #runner: Runner | undefined;
  #again: Timer | undefined;
  #isClosed = false;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { pool, identifiers, concurrency, isAhead, log, onPool, onJob } = this.#options;
    const { run } = await load();
    const { EventEmitter } = await import("node:events");
    const events = new EventEmitter();
    events.on("pool:create", ({ workerPool }: { workerPool: { id: string } }) => onPool(workerPool.id));
    const task = (payload: unknown): Promise<void> => onJob(payload as JobPayload);
    const runner = await run({
      pgPool: asPool(pool),
      concurrency,
      noHandleSignals: true,
      pollInterval: isAhead ? POLL_MS : POLL_EACH_MS,
      logger: await loggerTo(log),
      events,
      taskList: Object.fromEntries(identifiers.map((identifier) => [identifier, task])),
      parsedCronItems: [],
      preset: {
        worker: {
          ...(isAhead && { localQueue: { size: Math.max(FETCHED, concurrency) } }),
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    });
    this.#runner = runner;
    // Its reason was logged as a warning.
    runner.promise.catch(() => undefined);
    // It fetches nothing from here on, and may take seconds to end.
    events.once("pool:gracefulShutdown", () => this.#ended(runner));
    if (this.#isClosed) await this.close();
  }

  #ended(runner: Runner): void {
    if (this.#runner !== runner || this.#isClosed) return;
    this.#runner = undefined;
    this.#options.log.warn({}, "A job queue has stopped. It is started again.");
    this.#startLater();
  }

  #startLater(): void {
    const { clock, log } = this.#options;
    this.#again = clock.schedule(RESTART_MS, () => {
      if (this.#isClosed) return;
      this.start().catch((err: unknown) => {
        log.warn({ err }, "A job queue could not be started. It is tried again.");
        this.#startLater();
      });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#again?.cancel();
    const runner = this.#runner;
    this.#runner = undefined;
    await runner?.stop();
  }
}

/** Errors in a job are logged where they occur. Only problems of graphile-worker itself are logged here. */
async function loggerTo(log: Log) {
  const { Logger } = await load();
  return new Logger(() => (level, message) => {
    if (level === "error") log.warn({}, `graphile-worker: ${message}`);
    else if (level === "warning") log.debug({}, `graphile-worker: ${message}`);
  });
}
