/**
 * The shutdown of an app: not ready; after a delay no new connections, and event streams end; requests finish; runs and deliveries reach
 * a durable point; the store closes. Requests and work share one deadline.
 */
import type { Listening } from "../../platform/http/server.ts";
import { durationMs, sleep, type Clock, type Duration } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { Store } from "../../storage/contract/contract.ts";
import type { ActivityLog } from "../observability/activity.ts";
import type { DeferredOperations } from "./deferred-operations.ts";
import type { Limits } from "../pipeline/rate-limits.ts";
import type { Backend } from "./backend-types.ts";

export interface DrainOptions {
  /**
   * Time to accept requests after readiness has ended: as long as the load balancer needs to notice. Default 0, for an app without one.
   */
  delay?: Duration;
  /** Longest time for running requests and workers afterwards. Default "10s". */
  deadline?: Duration;
}

/** Result of a shutdown. */
export interface Drained {
  /** Requests without a complete response at the deadline; 0 is a clean end. Aborted attempts of runs run again after the next start. */
  cutRequests: number;
}

/** The parts to end. */
interface Ending extends Pick<Backend, "engine" | "webhooks" | "cluster"> {
  activity: ActivityLog;
  store: Pick<Store, "close">;
  limits: Limits;
  deferred: DeferredOperations;
  log: Log;
}

/** Shortest time for work, however long requests took. */
const LEAST_MS = 1000;

export class Drain {
  readonly delayMs: number;
  readonly deadlineMs: number;
  readonly #clock: Clock;

  constructor(options: DrainOptions, clock: Clock) {
    this.delayMs = durationMs(options.delay ?? 0);
    this.deadlineMs = durationMs(options.deadline ?? "10s");
    this.#clock = clock;
  }

  /** @param stop called when nothing new is accepted any more */
  async sockets(listening: Listening, stop: () => void, log: Log): Promise<{ cutRequests: number; leftMs: number }> {
    if (this.delayMs > 0) await sleep(this.#clock, this.delayMs);
    stop();
    const startedMs = this.#clock.elapsed();
    const cutRequests = await listening.close(this.deadlineMs);
    if (cutRequests > 0)
      log.error({ cutRequests }, "The deadline of the drain passed before all requests were answered");
    return { cutRequests, leftMs: Math.max(LEAST_MS, this.deadlineMs - (this.#clock.elapsed() - startedMs)) };
  }

  /** Brings runs and deliveries to a durable point and closes the store. Logs errors and continues. Never rejects. */
  async work(ending: Ending, deadlineMs: number): Promise<void> {
    const { activity, store, limits, deferred, log, ...work } = ending;
    const endMs = this.#clock.elapsed() + deadlineMs;
    await ended("deferred operations", () => deferred.close(deadlineMs), log);
    await endWork(work, () => Math.max(LEAST_MS, endMs - this.#clock.elapsed()), log);
    await ended("the activity log", () => activity.close(), log);
    await ended("rate limits", () => limits.close(), log);
    await ended("the store", () => store.close(), log);
  }
}

/** An error of one part does not prevent the end of the others. */
async function ended(what: string, end: () => unknown, log: Log): Promise<void> {
  try {
    await end();
  } catch (err) {
    log.error({ err }, `Failed to close ${what}`);
  }
}

/**
 * Brings runs and deliveries to a durable point, and leaves the cluster.
 * @param work the existing parts; fewer after a failed start. @param leftMs called once nothing new is accepted.
 */
async function endWork(
  { engine, webhooks, cluster }: Partial<Pick<Backend, "engine" | "webhooks" | "cluster">>,
  leftMs: () => number,
  log: Log,
): Promise<void> {
  await ended("the intake of runs", () => cluster?.drain(), log);
  const ms = leftMs();
  await Promise.all([
    ended("the engine", () => engine?.close(ms), log),
    ended("webhook deliveries", () => webhooks?.close(ms), log),
  ]);
  // Another process continues the rest.
  await ended("the cluster connection", () => cluster?.close(), log);
}

/** Ends the parts that work already when a start fails. Never rejects: the caller gets the first error. */
export async function undoDeferred(
  { store, ...work }: Partial<Backend> & Pick<Backend, "store">,
  log: Log,
): Promise<void> {
  await keptAlive(async () => {
    await endWork(work, () => 0, log);
    await ended("the store", () => store.close(), log);
  });
}

/** Keeps the process alive during the shutdown, because timers of a `Clock` do not. */
export async function keptAlive<Value>(run: () => Promise<Value>): Promise<Value> {
  const alive = setInterval(() => undefined, 60_000);
  try {
    return await run();
  } finally {
    clearInterval(alive);
  }
}
