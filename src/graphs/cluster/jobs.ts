/**
 * graphile-worker as the queue of graphs: fetches jobs, as many as there is room for, and hands them on. It knows nothing of
 * leases. Loaded where it is needed only.
 */
import type { Runner } from "graphile-worker";
import type { Pool } from "pg";
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Log } from "../../platform/shared/log.ts";
import { patiently } from "./open-database.ts";
import type { JobPayload } from "./job-names.ts";

/** Jobs that are fetched in one go; they wait here, where others can't have them, for no longer than a moment. */
const FETCHED = 64;
/** Between looks for what has fallen due; what is new is told at once. graphile-worker's own default. */
const POLL_MS = 2000;
/** The same where jobs are fetched one by one: then each place looks for itself, and what falls due later is only what another gave back. */
const POLL_EACH_MS = 10_000;
/** Between the end of one queue and the next: what ended it is seldom over sooner. */
const RESTART_MS = 500;

export interface JobsOptions {
  /** Of `pg`. */
  pool: unknown;
  /** Task identifiers that this process takes. */
  identifiers: readonly string[];
  /** Jobs under way at once. */
  concurrency: number;
  clock: Clock;
  /** Whether more than can be begun at once are fetched in one go: quicker, and unfair to other processes where jobs take long. */
  isAhead: boolean;
  log: Log;
  /** Told what it is called in the locks of jobs, before it fetches any; again, where it had to be started again. */
  onPool: (poolId: string) => void;
  /**
   * A job for a graph, or a node.
   * Resolves when the job is done with; rejects: another is to have it. */
  onJob: (job: JobPayload) => Promise<void>;
}

export interface Jobs {
  /** Fetches nothing more, and resolves when what was fetched is done with. */
  close(): Promise<void>;
}

async function load() {
  try {
    return await import("graphile-worker");
  } catch (cause) {
    throw new SvcError(
      "SVC_CONFIG",
      "A database at postgres:// needs the packages pg and graphile-worker: npm install pg graphile-worker",
      { cause },
    );
  }
}

/** open-database.ts alone makes them; its type stays out of what other files declare (database.ts). */
function asPool(pool: unknown): Pool {
  return pool as Pool;
}

/** Makes the tables of jobs. Safe where several processes do at once. */
export async function prepareJobs(pool: unknown, log: Log): Promise<void> {
  const { runMigrations } = await load();
  await runMigrations({ pgPool: asPool(pool), logger: await loggerTo(log) });
}

/** Fetches jobs until it is closed. @throws where the first queue can't be started */
export async function startJobs(options: JobsOptions): Promise<Jobs> {
  const queue = new Queue(options);
  await patiently(() => queue.start());
  return queue;
}

/**
 * graphile-worker gives up for good where a job's end could not be written once, as when the server restarts: then another is started in
 * its place. What the one before had fetched is unlocked once its pool is not listed any more.
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
    // What it ends of was told as a warning.
    runner.promise.catch(() => undefined);
    // It fetches nothing from here on, and may take seconds to end.
    events.once("pool:gracefulShutdown", () => this.#ended(runner));
    if (this.#isClosed) await this.close();
  }

  #ended(runner: Runner): void {
    if (this.#runner !== runner || this.#isClosed) return;
    this.#runner = undefined;
    this.#options.log.warn({}, "A queue of jobs has stopped, and is started again");
    this.#startLater();
  }

  #startLater(): void {
    const { clock, log } = this.#options;
    this.#again = clock.schedule(RESTART_MS, () => {
      if (this.#isClosed) return;
      this.start().catch((err: unknown) => {
        log.warn({ err }, "A queue of jobs could not be started; that is tried again");
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

/** What goes wrong in a job is told by whoever does it; of graphile-worker itself only trouble is of interest. */
async function loggerTo(log: Log) {
  const { Logger } = await load();
  return new Logger(() => (level, message) => {
    if (level === "error") log.warn({}, `graphile-worker: ${message}`);
    else if (level === "warning") log.debug({}, `graphile-worker: ${message}`);
  });
}
