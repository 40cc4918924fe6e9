/**
 * Graphs that a process takes from the queue: how many at once, those aside that wait for a time or for somebody, and what becomes of one
 * that it holds and does not know of. Who may hold which is leases.ts's to say; what is done with one, the engine's.
 */
import type { Held } from "../engine/cluster-port.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { Leases } from "./leases.ts";
import { patiently } from "./open-database.ts";
import { TakeBatch } from "./lease-batch.ts";
import type { JobPayload } from "./job-names.ts";

/** A graph that rests gives its place to another after this long. */
const REST_LOOK_MS = 1000;

export interface HeldGraphsOptions {
  leases: Leases;
  clock: Clock;
  log: Log;
  /** Graphs under way in this process, those aside that wait. */
  concurrency: number;
  /** Whether nodes run in this process. */
  isRunner: boolean;
  /** This process as the others know it; undefined while they don't. */
  me: () => string | undefined;
  held: () => Held | undefined;
  isClosing: () => boolean;
}

export class HeldGraphs {
  readonly #options: HeldGraphsOptions;
  readonly #takes: TakeBatch;
  /** Graphs that take a place, and what is to be called when they leave it. */
  readonly #places = new Map<string, () => void>();
  /** What it held at the last look, and did not know of. */
  #forgotten: ReadonlySet<string> = new Set();

  constructor(options: HeldGraphsOptions) {
    this.#options = options;
    this.#takes = new TakeBatch(async (ids) => {
      const me = options.me();
      return me === undefined ? undefined : options.leases.take(ids, me);
    });
  }

  /** Whether a graph has a place. */
  has(graphId: string): boolean {
    return this.#places.has(graphId);
  }

  /** A place for a graph that begins here. @returns who holds it; undefined where there is no place. */
  enter(graphId: string): string | undefined {
    const { isRunner, concurrency, isClosing, me } = this.#options;
    const id = me();
    if (!isRunner || isClosing() || id === undefined || this.#places.size >= concurrency) return undefined;
    this.#places.set(graphId, () => undefined);
    return id;
  }

  /** A graph needs its place no more. */
  left(graphId: string): void {
    const leave = this.#places.get(graphId);
    this.#places.delete(graphId);
    leave?.();
  }

  /** Their jobs are done with. What is held goes on. */
  leaveAll(): void {
    for (const leave of this.#places.values()) leave();
  }

  /** A graph from the queue. Resolves when it has left its place: others may be fetched then. */
  async onJob({ id: graphId, hasCrashed = false, beside }: JobPayload): Promise<void> {
    const { leases, isClosing, held: heldBy } = this.#options;
    const held = heldBy();
    if (isClosing() || !held) throw new Error("The process is stopping");
    // Asked of the database, whatever this process believes to hold: others may have given it up, and then the job is all there is.
    const number = await this.#takes.take(graphId);
    // Another has it, or it has ended, or waits for somebody; or the job is there twice.
    if (number === undefined || held.holds(graphId) || this.has(graphId)) return;
    const left = new Promise<void>((leave) => this.#places.set(graphId, leave));
    try {
      await held.hold(graphId, number, hasCrashed, beside);
    } catch (error) {
      this.left(graphId);
      // For whoever can read it; where not even that can be said, lookForForgotten finds it.
      await leases.giveBack(graphId, number);
      throw error;
    }
    if (!held.holds(graphId)) return this.left(graphId);
    this.#leaveAtRest(graphId);
    await left;
  }

  /** Never rejects: whoever wanted something of the graph has it. What can't be given back is found by lookForForgotten. */
  async giveBack(graphId: string, lease: number): Promise<void> {
    const { leases, log } = this.#options;
    await patiently(() => leases.giveBack(graphId, lease)).catch((err: unknown) =>
      log.warn({ graphId, err }, `The graph ${graphId} could not be given back yet`),
    );
  }

  /**
   * Takes up what this process holds and does not know of, at two looks one after the other: its answer was lost, or could not be read.
   * One that runs nothing gives it back: taken up there, it would never go on.
   */
  async lookForForgotten(me: string): Promise<void> {
    const { leases, isRunner, held: heldBy } = this.#options;
    const forgotten = new Set<string>();
    for (const { id: graphId, number } of await leases.heldBy(me)) {
      const held = heldBy();
      // Of one that runs nothing there is only what is lent.
      if (held?.isLent(graphId) || (isRunner && (held?.holds(graphId) || this.has(graphId)))) continue;
      if (!this.#forgotten.has(graphId)) forgotten.add(graphId);
      else if (isRunner) await held?.hold(graphId, number, false);
      else await this.giveBack(graphId, number);
    }
    this.#forgotten = forgotten;
  }

  /** What waits, for a time or for somebody, takes no place. */
  #leaveAtRest(graphId: string): void {
    const { clock, held } = this.#options;
    clock.schedule(REST_LOOK_MS, () => {
      if (!this.has(graphId)) return;
      if (held()?.isAtRest(graphId)) this.left(graphId);
      else this.#leaveAtRest(graphId);
    });
  }
}
