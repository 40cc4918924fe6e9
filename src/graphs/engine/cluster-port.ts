/**
 * What an engine needs to know where several processes share its store: which graphs it may hold, and where a graph is that it
 * does not. An engine without a fleet holds all that it meets.
 */
import type { Json } from "../../platform/shared/json.ts";
import type { Channel, Elsewhere, NodeOrder, Performance } from "../execution/remote/remote-attempts.ts";
import type { Permits } from "../execution/queue/permit-types.ts";
import type { PauseOptions, RetryOptions, SignalOptions, Steering } from "../definition/audit-types.ts";
import type { Snapshot } from "../machine/view-types.ts";

/** What somebody wants of a graph, as it is handed to the process that holds it. */
export type Wish =
  | { step: "pause"; options: PauseOptions }
  | { step: "resume" | "cancel"; options: Steering | undefined }
  | { step: "retry"; options: RetryOptions | undefined }
  | { step: "signal"; name: string; payload: Json; options: SignalOptions };

/** A change that was not written: another process has the graph by now, or had it in between. Whoever wants it may try again. */
export class Outrun extends Error {
  constructor() {
    super("The store had another state than the engine");
    this.name = "Outrun";
  }
}

/** What a fleet needs of the engine. */
export interface Held {
  holds(graphId: string): boolean;
  /** Whether it is about to be changed for somebody, by a lease that was taken for that. */
  isLent(graphId: string): boolean;
  /** Whether it does nothing now: it waits for a time or for somebody. */
  isAtRest(graphId: string): boolean;
  /**
   * Takes up a graph that this process holds now.
   * @param hasCrashed whether the process that ran it died. @param beside nodes that it had run in other processes.
   */
  hold(graphId: string, lease: number, hasCrashed: boolean, beside?: readonly string[]): Promise<void>;
  /** A process is gone that may not have told of children of graphs here that have ended, or of parents that have failed. */
  lookAfterChildren(): Promise<void>;
  /** Nothing that this process held is its own any more. */
  dropAll(): void;
  /** Reads again which queues are paused, and which schedule is due first. */
  readControls(): Promise<void>;
  /**
   * Runs a worker for a graph that another process holds, when there is a place. Rejects with `signal`'s reason where nobody wants it by
   * then. @returns undefined where it is not known here.
   */
  perform(order: NodeOrder, channel: Channel): Promise<Performance | undefined>;
  /** What another process was asked for. */
  fulfil(graphId: string, wish: Wish): Promise<Snapshot>;
}

export interface Fleet {
  readonly elsewhere: Elsewhere;
  /** Limits of workers that hold over all processes. */
  readonly permits: Permits;
  /** Called once, by the engine. */
  attach(held: Held): void;
  /** Whether nodes run in this process. One that only serves pages takes a graph to steer it, and gives it back. */
  readonly isRunner: boolean;
  /**
   * A new graph is about to be written. @returns the process's id, where it is its own from the beginning; undefined where
   * whoever has room is to take it.
   */
  enter(graphId: string): string | undefined;
  /** Others may want to know: events of the graph are written, and deliveries for these registrations. */
  wrote(graphId: string, registrationIds: readonly string[]): void;
  /**
   * Has a wish fulfilled where the graph is held.
   * @param here called where nobody held it, and now this process does, with the number of its lease. Again, where it was outrun.
   */
  reach(graphId: string, wish: Wish, here: (lease: number) => Promise<Snapshot>): Promise<Snapshot>;
  /** A queue was paused or resumed, a schedule changed or has run: the others are to know. */
  controlsChanged(): void;
  /** Whether the graph is still held under this number. */
  confirms(graphId: string, lease: number): Promise<boolean>;
  /** Others may have it. */
  giveBack(graphId: string, lease: number): Promise<void>;
  /** It has ended here, or is not this process's any more. */
  left(graphId: string): void;
}
