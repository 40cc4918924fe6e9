/**
 * The end of an app, in order: not ready any more; after a while no new connections, and event streams end; requests finish;
 * graphs and deliveries come to a durable point; the store closes. Requests and work share one deadline.
 */
import type { Listening } from "../../platform/http/server.ts";
import { durationMs, sleep, type Clock, type Duration } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { Store } from "../../storage/contract/contract.ts";
import type { ActivityLog } from "../observability/activity.ts";
import type { DeferredOperations } from "./deferred-operations.ts";
import type { Limits } from "../pipeline/rate-limits.ts";
import type { Work } from "./backend-types.ts";

export interface DrainOptions {
  /**
   * How long to go on accepting after readiness has gone: as long as the load balancer needs to notice. Default 0, which is
   * right where nothing is in front.
   */
  delay?: Duration;
  /** Longest that requests and workers under way may take from then on. Default "10s". */
  deadline?: Duration;
}

/** How an app ended. */
export interface Drained {
  /** Requests that had no whole answer by the deadline; 0 is a clean end. Attempts of graphs cut short run again after the next start. */
  cutRequests: number;
}

/** What has to come to an end. */
interface Ending extends Pick<Work, "engine" | "webhooks" | "cluster"> {
  activity: ActivityLog;
  store: Pick<Store, "close">;
  limits: Limits;
  held: DeferredOperations;
  log: Log;
}

/** What work gets at the least, however long requests took. */
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

  /** @param stop called when nothing new is to be accepted any more */
  async sockets(listening: Listening, stop: () => void, log: Log): Promise<{ cutRequests: number; leftMs: number }> {
    if (this.delayMs > 0) await sleep(this.#clock, this.delayMs);
    stop();
    const startedMs = this.#clock.elapsed();
    const cutRequests = await listening.close(this.deadlineMs);
    if (cutRequests > 0)
      log.error({ cutRequests }, "The deadline of the drain passed before all requests were answered");
    return { cutRequests, leftMs: Math.max(LEAST_MS, this.deadlineMs - (this.#clock.elapsed() - startedMs)) };
  }

  /** Brings graphs and deliveries to a durable point, then closes the store. What fails at it is told, and the rest goes on. Never rejects. */
  async work(ending: Ending, deadlineMs: number): Promise<void> {
    const { activity, store, limits, held, log, ...work } = ending;
    const endMs = this.#clock.elapsed() + deadlineMs;
    await ended("held steps", () => held.close(deadlineMs), log);
    await endWork(work, () => Math.max(LEAST_MS, endMs - this.#clock.elapsed()), log);
    await ended("counts", () => activity.close(), log);
    await ended("limits", () => limits.close(), log);
    await ended("the store", () => store.close(), log);
  }
}

/** What fails at its end keeps nothing else from its own. */
async function ended(what: string, end: () => unknown, log: Log): Promise<void> {
  try {
    await end();
  } catch (err) {
    log.error({ err }, `The end of ${what} failed`);
  }
}

/**
 * Brings graphs and deliveries to a durable point, and leaves the other processes.
 * @param work what there is of it: of a start that failed, less. @param leftMs asked once nothing new is taken any more.
 */
async function endWork(
  { engine, webhooks, cluster }: Partial<Pick<Work, "engine" | "webhooks" | "cluster">>,
  leftMs: () => number,
  log: Log,
): Promise<void> {
  await ended("taking graphs up", () => cluster?.drain(), log);
  const ms = leftMs();
  await Promise.all([
    ended("graphs", () => engine?.close(ms), log),
    ended("deliveries", () => webhooks?.close(ms), log),
  ]);
  // What is under way still is another process's to go on with.
  await ended("messages of processes", () => cluster?.close(), log);
}

/** What works already where a start has failed: ended at once, and closed. Never rejects: whoever started it hears of the first fault. */
export async function undoWork({ store, ...work }: Partial<Work> & Pick<Work, "store">, log: Log): Promise<void> {
  await keptAlive(async () => {
    await endWork(work, () => 0, log);
    await ended("the store", () => store.close(), log);
  });
}

/** Timers of a `Clock` keep no process alive; while it ends, something must. */
export async function keptAlive<Value>(run: () => Promise<Value>): Promise<Value> {
  const alive = setInterval(() => undefined, 60_000);
  try {
    return await run();
  } finally {
    clearInterval(alive);
  }
}
