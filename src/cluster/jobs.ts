/**
 * graphile-worker as the queue of graphs: fetches jobs, as many as there is room for, and hands them on. It knows nothing of
 * leases. Loaded where it is needed only.
 */
import type { Pool } from "pg";
import { SvcError } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";

import type { JobPayload } from "./task.ts";

/** Jobs that are fetched in one go; they wait here, where others can't have them, for no longer than a moment. */
const FETCHED = 64;
/** Between looks for what has fallen due; what is new is told at once. graphile-worker's own default. */
const POLL_MS = 2000;

export interface JobsOptions {
  pool: Pool;
  /** Task identifiers that this process takes. */
  identifiers: readonly string[];
  /** Graphs under way at once. */
  concurrency: number;
  log: Log;
  /** Told what it is called in the locks of jobs, before it fetches any. */
  onPool: (poolId: string) => void;
  /**
   * A job for a graph. @param hasCrashed whether the process that ran it was killed.
   * Resolves when the job is done with; rejects: another is to have it. */
  onJob: (graphId: string, hasCrashed: boolean) => Promise<void>;
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

/** Makes the tables of jobs. Safe where several processes do at once. */
export async function prepareJobs(pool: Pool, log: Log): Promise<void> {
  const { runMigrations } = await load();
  await runMigrations({ pgPool: pool, logger: await loggerTo(log) });
}

export async function startJobs(options: JobsOptions): Promise<Jobs> {
  const { pool, identifiers, concurrency, log, onPool, onJob } = options;
  const { run } = await load();
  const { EventEmitter } = await import("node:events");
  const events = new EventEmitter();
  events.on("pool:create", ({ workerPool }: { workerPool: { id: string } }) => onPool(workerPool.id));
  const task = async (payload: unknown): Promise<void> => {
    const { id, hasCrashed = false } = payload as JobPayload;
    await onJob(id, hasCrashed);
  };
  const runner = await run({
    pgPool: pool,
    concurrency,
    noHandleSignals: true,
    pollInterval: POLL_MS,
    logger: await loggerTo(log),
    events,
    taskList: Object.fromEntries(identifiers.map((identifier) => [identifier, task])),
    parsedCronItems: [],
    preset: {
      worker: { localQueue: { size: Math.max(FETCHED, concurrency) }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
    },
  });
  // It ends by itself where its pool does, and the close of that tells.
  runner.promise.catch((err: unknown) => log.error({ err }, "The queue of graphs has stopped"));
  return { close: () => runner.stop() };
}

/** What goes wrong in a job is told by whoever does it; of graphile-worker itself only trouble is of interest. */
async function loggerTo(log: Log) {
  const { Logger } = await load();
  return new Logger(() => (level, message) => {
    if (level === "error") log.warn({}, `graphile-worker: ${message}`);
    else if (level === "warning") log.debug({}, `graphile-worker: ${message}`);
  });
}
