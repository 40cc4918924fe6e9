/**
 * Takes runs from the queue: how many at once, without those that wait for a time or a signal, and what happens to a run that it holds
 * without knowing. leases.ts decides who may hold a run, the engine executes it.
 */
import type { LeasedRun, Unfit } from "../engine/cluster-port.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { Leases } from "./leases.ts";
import { patiently } from "./open-database.ts";
import { StartCapacity } from "./start-capacity.ts";
import { TakeBatch } from "./lease-batch.ts";
import type { JobPayload } from "./job-names.ts";

/** An idle run gives its slot to another one after this time. */
const REST_LOOK_MS = 1000;

export interface LeasedRunsOptions {
  leases: Leases;
  clock: Clock;
  log: Log;
  /** Limit of active runs in this process, without those that wait. More are started here while it is alone (start-capacity.ts). */
  concurrency: number;
  /** Number of other processes. */
  others: () => number;
  /** Whether nodes run in this process. */
  isRunner: boolean;
  /** Id of this process in the cluster; undefined while it is not a member. */
  me: () => string | undefined;
  held: () => LeasedRun | undefined;
  isClosing: () => boolean;
}

export class LeasedRuns {
  readonly #options: LeasedRunsOptions;
  readonly #takes: TakeBatch;
  readonly #capacity: StartCapacity;
  /** Runs that have a slot, with the callback for leaving it. */
  readonly #places = new Map<string, () => void>();
  /** Runs at the last check that it held without knowing. */
  #forgotten: ReadonlySet<string> = new Set();
  /** Time of the last search for runs at rest. */
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(options: LeasedRunsOptions) {
    this.#options = options;
    this.#capacity = new StartCapacity(options.clock, options.concurrency, options.others);
    this.#takes = new TakeBatch(async (ids) => {
      const me = options.me();
      return me === undefined ? undefined : options.leases.take(ids, me);
    });
  }

  /** Whether a run has a slot. */
  has(graphId: string): boolean {
    return this.#places.has(graphId);
  }

  /** Takes a slot for a new run. @returns id of the process that holds it; undefined if there is no slot. */
  enter(graphId: string): string | undefined {
    const { isRunner, isClosing, me } = this.#options;
    const id = me();
    if (!isRunner || isClosing() || id === undefined || !this.#hasRoom()) return undefined;
    this.#places.set(graphId, () => undefined);
    return id;
  }

  #hasRoom(): boolean {
    if (this.#places.size < this.#capacity.limit) return true;
    const nowMs = this.#options.clock.elapsed();
    if (nowMs < this.#lookedMs + REST_LOOK_MS) return false;
    this.#lookedMs = nowMs;
    // Runs that started here have no job that would look.
    const held = this.#options.held();
    for (const graphId of this.#places.keys()) if (held?.holds(graphId) && held.isAtRest(graphId)) this.left(graphId);
    return this.#places.size < this.#capacity.limit;
  }

  /** Releases the slot of a run. */
  left(graphId: string): void {
    const leave = this.#places.get(graphId);
    if (!leave) return;
    this.#places.delete(graphId);
    this.#capacity.count();
    leave();
  }

  /** Ends their jobs. Held runs continue. */
  leaveAll(): void {
    for (const leave of this.#places.values()) leave();
  }

  /** Handles the job of a run. Resolves when it has left its slot, so that more jobs can be taken. */
  async onJob({ id: graphId, hasCrashed = false, beside }: JobPayload): Promise<void> {
    const { leases, isClosing, held: heldBy } = this.#options;
    const held = heldBy();
    if (isClosing() || !held) throw new Error("The process is stopping");
    // Ask the database, whatever this process believes: others may have released the run, so that only the job is left.
    const number = await this.#takes.take(graphId);
    // Another process holds it, it has ended, it waits for a signal, or there were two jobs.
    if (number === undefined || held.holds(graphId) || this.has(graphId)) return;
    const left = new Promise<void>((leave) => this.#places.set(graphId, leave));
    try {
      await held.hold(graphId, number, hasCrashed, beside);
    } catch (error) {
      this.left(graphId);
      // For a process that can read it. If even that fails, lookForForgotten finds it.
      await leases.giveBack(graphId, number);
      throw error;
    }
    if (!held.holds(graphId)) return this.left(graphId);
    this.#leaveAtRest(graphId);
    await left;
  }

  /** Never rejects: the command is done. lookForForgotten finds a run that can't be returned. */
  async giveBack(graphId: string, lease: number, unfit?: Unfit): Promise<void> {
    const { leases, log } = this.#options;
    await patiently(() => leases.giveBack(graphId, lease, unfit)).catch((err: unknown) =>
      log.warn({ graphId, err }, `The run ${graphId} could not be returned yet`),
    );
  }

  /**
   * Loads runs that this process holds without knowing, at two checks in a row: the answer was lost, or could not be read. A process
   * without workers returns such a run, because it would never continue it.
   */
  async lookForForgotten(me: string): Promise<void> {
    const { leases, isRunner, held: heldBy } = this.#options;
    const forgotten = new Set<string>();
    for (const { id: graphId, number } of await leases.heldBy(me)) {
      const held = heldBy();
      // A process without workers holds runs only for callers.
      if (held?.isLent(graphId) || (isRunner && (held?.holds(graphId) || this.has(graphId)))) continue;
      if (!this.#forgotten.has(graphId)) forgotten.add(graphId);
      else if (isRunner) await held?.hold(graphId, number, false);
      else await this.giveBack(graphId, number);
    }
    this.#forgotten = forgotten;
  }

  /** A run that waits for a time or a signal takes no slot. */
  #leaveAtRest(graphId: string): void {
    const { clock, held } = this.#options;
    clock.schedule(REST_LOOK_MS, () => {
      if (!this.has(graphId)) return;
      if (held()?.isAtRest(graphId)) this.left(graphId);
      else this.#leaveAtRest(graphId);
    });
  }
}
