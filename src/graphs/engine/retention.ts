/**
 * Retention of finished runs. Once a minute, deletes expired runs worker by worker, in slices with pauses, so that a long history does
 * not block other work. The store decides whether a run may be deleted.
 */
import { durationMs, type Clock, type Duration, type Timer } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import type { PurgeQuery } from "../../storage/contract/queries.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";

/** A delay of a minute is harmless. */
const ROUND_MS = 60_000;
/** Pause between slices, which leaves most of the time to other writers. */
const PAUSE_MS = 50;

export interface RetentionOptions {
  graphs: GraphStore;
  clock: Clock;
  log: Log;
  /** Time to keep finished runs of a name; undefined: forever. */
  keptMs: (worker: string) => number | undefined;
}

export class Retention {
  readonly #options: RetentionOptions;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** The first round starts at once. */
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
      log.error({ err: error }, "Expired runs could not be deleted. It is tried again.");
    }
    this.#later(ROUND_MS, () => void this.#round());
  }

  /** @returns whether to continue. */
  async #pause(): Promise<boolean> {
    await new Promise<void>((resolve) => this.#later(PAUSE_MS, resolve));
    return !this.#isStopped;
  }

  #later(delayMs: number, run: () => void): void {
    if (!this.#isStopped) this.#timer = this.#options.clock.schedule(delayMs, run);
  }
}

/**
 * Deletes slice by slice until nothing expired is left.
 * @param pause waits between slices; false ends it early.
 * @returns number of deleted runs.
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

/** Retention times in milliseconds. */
export interface KeptTimes {
  /** For definitions without their own; undefined: forever. */
  readonly defaultMs: number | undefined;
  /** For definitions with their own time, by name. */
  readonly byName: ReadonlyMap<string, number>;
}

/** @throws TypeError for an invalid duration. */
export function readKept(retention: Duration | undefined, graphs: readonly GraphDefinition[]): KeptTimes {
  const byName = new Map<string, number>();
  for (const { name, options } of graphs)
    if (options.retention !== undefined) byName.set(name, durationMs(options.retention));
  return { defaultMs: retention === undefined ? undefined : durationMs(retention), byName };
}

/** Retention by name; undefined if all runs are kept forever. */
export function keptBy({ defaultMs, byName }: KeptTimes): RetentionOptions["keptMs"] | undefined {
  if (defaultMs === undefined && byName.size === 0) return undefined;
  return (name) => byName.get(name) ?? defaultMs;
}
