/** The engine's face: all that an app does with graphs. */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphEvent } from "../../storage/contract/graph-rows.ts";
import type { Durations, GraphQuery, Page, PurgeQuery, TagCounts } from "../../storage/contract/queries.ts";
import type { Absence } from "./missing-run.ts";
import type { Queues } from "./queue-types.ts";
import type { LaneReport } from "../machine/report-types.ts";
import type { Schedules } from "../schedules/schedule-types.ts";
import type {
  BulkAction,
  BulkOptions,
  BulkReport,
  ForkOptions,
  PauseOptions,
  RetryOptions,
  SignalOptions,
  StartOptions,
  Steering,
} from "../definition/audit-types.ts";
import type { ValueLimits } from "../definition/value-limits.ts";
import type { Artifact, ArtifactContent, EventsQuery, NodeDetail, Snapshot } from "../machine/view-types.ts";

export interface Engine {
  /** @returns the snapshot, and whether this call made the graph (false: the idempotency key was known). */
  start(worker: string, input: Json, options?: StartOptions): Promise<{ snapshot: Snapshot; created: boolean }>;
  snapshot(graphId: string): Promise<Snapshot | undefined>;
  /** What is known of a graph that is not there: when it was made, as its id tells, and whether retention can have taken it. */
  absence(graphId: string): Promise<Absence>;
  list(query: GraphQuery): Promise<Page<Snapshot>>;
  /**
   * How long those took that fit, in milliseconds; what goes on counts by its age, what has not begun not at all. Of the newest
   * `limit`, 10,000 at most, and of 2,000 where `tag`, `parent` or `error` is given. `cursor` is not heeded.
   */
  durations(query: GraphQuery): Promise<Durations>;
  /** How many of those that fit there are of each tag, by status; of the newest 2,000. `limit` and `cursor` are not heeded. */
  tagCounts(query: GraphQuery): Promise<TagCounts>;
  /** Graphs that run and wait for a signal, oldest first, `limit` of them at most; of the oldest 2,000 that run. */
  waiting(limit: number): Promise<Snapshot[]>;
  /** A node with what it was given and has come to; undefined for one that is not there. */
  node(graphId: string, nodeId: string): Promise<NodeDetail | undefined>;
  /** All nodes of a graph with all that is kept of them; empty where there is no such graph. */
  nodes(graphId: string): Promise<NodeDetail[]>;
  /** What nodes came to before they were run again by `retry`, in order of epoch and id. */
  pastNodes(graphId: string): Promise<NodeDetail[]>;
  /** Files that workers left (`ctx.artifact`), by name; empty where there is no such graph. */
  artifacts(graphId: string): Promise<Artifact[]>;
  /** One of them with its bytes; undefined where it is not there. */
  artifact(graphId: string, name: string): Promise<ArtifactContent | undefined>;
  /** Stored events, in order. */
  events(graphId: string, query?: EventsQuery): Promise<GraphEvent[]>;
  /** @throws SvcError SVC_TRANSITION naming both states; SVC_NOT_FOUND. */
  pause(graphId: string, options?: PauseOptions): Promise<Snapshot>;
  resume(graphId: string, steering?: Steering): Promise<Snapshot>;
  cancel(graphId: string, steering?: Steering): Promise<Snapshot>;
  /** Runs again what failed, or a node and all after it: same id, next epoch. @throws SvcError `SVC_INVALID` for no node */
  retry(graphId: string, options?: RetryOptions): Promise<Snapshot>;
  /** A new graph that begins at a node of another. @throws SvcError `SVC_INVALID`, `SVC_NOT_FOUND` */
  fork(graphId: string, options: ForkOptions): Promise<Snapshot>;
  /**
   * Tells a graph something from outside: the first `ctx.waitFor` of this name takes it, one that comes later too.
   * @throws SvcError SVC_INVALID with issues where the waiting worker's schema refuses it; SVC_TRANSITION; SVC_NOT_FOUND.
   */
  signal(graphId: string, name: string, payload?: Json, options?: SignalOptions): Promise<Snapshot>;
  /** The same step for many graphs. */
  bulk(action: BulkAction, options: BulkOptions): Promise<BulkReport>;
  readonly schedule: Schedules;
  readonly queues: Queues;
  /** How large values may be. */
  readonly limits: ValueLimits;
  /** Stored events after `afterSeq`, then live ones; ends after the terminal event of the current epoch. */
  subscribe(graphId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<GraphEvent>;
  /**
   * What a graph comes to: waits until it has ended, wherever it runs; at once where it has. One that is run again afterwards has a
   * result anew. Waits for as long as it takes, unless `signal` ends that.
   * @throws CallError with `reason` where it failed or was cancelled; SvcError SVC_NOT_FOUND; the signal's reason
   */
  result(graphId: string, options?: { signal?: AbortSignal }): Promise<Json>;
  /** Goes on with every unfinished graph, with queues that are paused and with schedules. Called once at boot. */
  recover(): Promise<number>;
  /**
   * Takes finished graphs away, with their nodes, events and deliveries; the audit trail stays. Kept are those that a graph under
   * way has started, and those with a delivery that is still to be sent.
   * @returns how many have gone.
   */
  purge(query: PurgeQuery): Promise<number>;
  /** What runs and what waits for a place, by worker; those that ran something since the start. */
  lanes(): LaneReport[];
  /** Resolves when nothing is running. */
  idle(): Promise<void>;
  /** Stops dispatching, aborts what runs past `drainMs`, leaves every graph at a durable point. */
  close(drainMs?: number): Promise<void>;
}
