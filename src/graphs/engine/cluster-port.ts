/**
 * The engine's view of the cluster, where several processes share a store: the runs that it may hold, and the process that holds another
 * run. Without a cluster, the engine holds every run.
 */
import type { Json } from "../../platform/shared/json.ts";
import type { Channel, RemoteNodes, NodeOrder, Performance } from "../execution/remote/remote-attempts.ts";
import type { Permits } from "../execution/queue/permit-types.ts";
import type {
  CancelOptions,
  PauseOptions,
  RetryOptions,
  SignalOptions,
  AuditContext,
} from "../definition/audit-types.ts";
import type { Snapshot } from "../machine/view-types.ts";

/** A command for a run, in the form in which it is sent to the process that holds the run. */
export type RunCommand =
  | { step: "pause"; options: PauseOptions }
  | { step: "resume" | "terminate"; options: AuditContext | undefined }
  | { step: "cancel"; options: CancelOptions | undefined }
  | { step: "retry"; options: RetryOptions | undefined }
  | { step: "signal"; name: string; payload: Json; options: SignalOptions };

/** The change was not written, because another process has held the run meanwhile. The caller may retry. */
export class StaleLeaseError extends Error {
  constructor() {
    super("The store had another state than the engine");
    this.name = "Outrun";
  }
}

/** A run that is being compensated, and that the process could not continue. */
export interface Unfit {
  /** Whether its process before that had died, which the process that continues it must know. */
  hasCrashed: boolean;
}

/** The cluster's view of the engine. */
export interface LeasedRun {
  holds(graphId: string): boolean;
  /** Whether the run is held only while a caller changes it. */
  isLent(graphId: string): boolean;
  /** Whether the run is idle: it waits for a time or a signal. */
  isAtRest(graphId: string): boolean;
  /**
   * Continues a run that this process holds from now on.
   * @param hasCrashed whether its process died. @param beside nodes that it ran in other processes.
   */
  hold(graphId: string, lease: number, hasCrashed: boolean, beside?: readonly string[]): Promise<void>;
  /** A process has died that may not have reported ended children or failed parents of runs here. */
  lookAfterChildren(): Promise<void>;
  /** This process has lost all its leases. */
  dropAll(): void;
  /** Reads paused queues and the next due schedule again. */
  readControls(): Promise<void>;
  /**
   * Runs a worker for a run of another process, once there is a slot. Rejects with `signal`'s reason if the caller gives up before.
   * @returns undefined if the worker is unknown here.
   */
  perform(order: NodeOrder, channel: Channel): Promise<Performance | undefined>;
  /** Executes a command from another process. */
  execute(graphId: string, command: RunCommand): Promise<Snapshot>;
}

export interface ClusterPort {
  readonly remoteNodes: RemoteNodes;
  /** Limits of workers across all processes. */
  readonly permits: Permits;
  /** Called once, by the engine. */
  attach(held: LeasedRun): void;
  /** Whether nodes run in this process. A process that only serves pages holds a run while it changes it. */
  readonly isRunner: boolean;
  /**
   * Announces a new run before it is written. @returns this process's id if it holds the run from its start; undefined if any process
   * with capacity takes it.
   */
  enter(graphId: string): string | undefined;
  /** Announces written events of a run, and deliveries for these registrations. */
  wrote(graphId: string, registrationIds: readonly string[]): void;
  /**
   * Executes a command in the process that holds the run.
   * @param here called if no process held it and this one does now, with the lease number. Called again after a stale lease.
   */
  reach(graphId: string, command: RunCommand, here: (lease: number) => Promise<Snapshot>): Promise<Snapshot>;
  /** Announces a change of queues or schedules to the other processes. */
  controlsChanged(): void;
  /** Whether this process still holds the run under this lease. */
  confirms(graphId: string, lease: number): Promise<boolean>;
  /**
   * Returns the run to the cluster, for other processes.
   * @param unfit this build lacks what the run needs: a process with its definition takes it, or one that joins later.
   */
  giveBack(graphId: string, lease: number, unfit?: Unfit): Promise<void>;
  /** The run has ended here, or this process has lost it. */
  left(graphId: string): void;
}
