/**
 * How long finished graphs are kept. Once a minute those whose time is over are taken away, worker by worker, in slices with
 * pauses between them: a long history goes without anybody noticing. Whether a graph may go is the store's to say.
 */
import { durationMs, type Clock, type Duration, type Timer } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import type { PurgeQuery } from "../../storage/contract/queries.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";

/** Late by a minute harms nobody. */
const ROUND_MS = 60_000;
/** Between slices: most of the time belongs to those who write. */
const PAUSE_MS = 50;

export interface RetentionOptions {
  graphs: GraphStore;
  clock: Clock;
  log: Log;
  /** How long graphs of this name are kept once they have finished; undefined: for ever. */
  keptMs: (worker: string) => number | undefined;
}

export class Retention {
  readonly #options: RetentionOptions;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** The first round begins at once. */
  start(): void {
    void this.#round();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  async #round(): Promise<void> {
    const { graphs, log, clock, keptMs } = this.#options;
    try {
      for (const worker of await graphs.workers()) {
        const kept = keptMs(worker);
        if (kept === undefined) continue;
        await purgeAll(graphs, { worker, finishedBeforeMs: clock.now() - kept }, () => this.#pause());
      }
    } catch (error) {
      log.error({ err: error }, "Old graphs could not be taken away. It is tried again.");
    }
    this.#later(ROUND_MS, () => void this.#round());
  }

  /** @returns whether to go on. */
  async #pause(): Promise<boolean> {
    await new Promise<void>((resolve) => this.#later(PAUSE_MS, resolve));
    return !this.#isStopped;
  }

  #later(delayMs: number, run: () => void): void {
    if (!this.#isStopped) this.#timer = this.#options.clock.schedule(delayMs, run);
  }
}

/**
 * Slice by slice, until nothing is left that may go.
 * @param pause between slices; false ends it early.
 * @returns how many graphs have gone.
 */
export async function purgeAll(
  graphs: GraphStore,
  query: PurgeQuery,
  pause: () => Promise<boolean> = async () => true,
): Promise<number> {
  let count = 0;
  let step = await graphs.purge(query);
  for (count += step.deleted; step.next !== undefined && (await pause()); count += step.deleted)
    step = await graphs.purge({ ...query, after: step.next });
  return count;
}

/** How long graphs are kept once they have finished, in milliseconds. */
export interface KeptTimes {
  /** Of those whose definition says nothing; undefined: for ever. */
  readonly defaultMs: number | undefined;
  /** Of those whose definition says something, by name. */
  readonly byName: ReadonlyMap<string, number>;
}

/** @throws TypeError when the engine's duration is none. */
export function readKept(retention: Duration | undefined, graphs: readonly GraphDefinition[]): KeptTimes {
  const byName = new Map<string, number>();
  for (const { name, options } of graphs)
    if (options.retention !== undefined) byName.set(name, durationMs(options.retention));
  return { defaultMs: retention === undefined ? undefined : durationMs(retention), byName };
}

/** How long each is kept; undefined where all are kept for ever. */
export function keptBy({ defaultMs, byName }: KeptTimes): RetentionOptions["keptMs"] | undefined {
  if (defaultMs === undefined && byName.size === 0) return undefined;
  return (name) => byName.get(name) ?? defaultMs;
}
