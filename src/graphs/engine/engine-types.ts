/** The engine's interface: everything that an app does with graphs. */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphEvent } from "../../storage/contract/graph-rows.ts";
import type { Subscription } from "./runs/subscription.ts";
import type { Durations, GraphQuery, Page, PurgeQuery, TagCounts } from "../../storage/contract/queries.ts";
import type { Absence } from "./runs/missing-run.ts";
import type { RunHandle, StartedRun } from "./runs/run-handle-types.ts";
import type { Queues } from "./queue-types.ts";
import type { QueueReport } from "../machine/report-types.ts";
import type { Schedules } from "../schedules/schedule-types.ts";
import type {
  BulkAction,
  BulkOptions,
  BulkReport,
  ForkOptions,
  PauseOptions,
  RetryOptions,
  SignalOptions,
  SignalWithStartOptions,
  StartOptions,
  UpdateOptions,
  AuditContext,
} from "../definition/audit-types.ts";
import type { InputOfName, KnownName, NameHint, OutputOfName, Startable } from "../definition/registered-names.ts";
import type { EventDefinition } from "../definition/event-types.ts";
import type { SendOptions, SentEventsQuery, SentEventView } from "./events/event-types.ts";
import type { SignalDefinition, UpdateDefinition } from "../definition/signal-types.ts";
import type { ValueLimits } from "../definition/value-limits.ts";
import type {
  Artifact,
  ArtifactContent,
  EventsQuery,
  NodeDetail,
  Snapshot,
  SnapshotOptions,
} from "../machine/view-types.ts";

export interface Engine {
  /**
   * Starts a run of a graph or worker, which the app must list. Acknowledged after the durable commit.
   * @param definition the graph or worker, or its name. With a version, the run has that version; by name, the last version of the list.
   * @returns a handle, with the snapshot and whether this call created the run (false: the idempotency key was known).
   * @throws SvcError `SVC_NOT_FOUND` for a name that is not listed; `SVC_DEFINITION` for a definition that is not; `SVC_INVALID`;
   * `SVC_KEY_REUSED`.
   */
  start<Input, Output>(
    definition: Startable<Input, Output>,
    input: NoInfer<Input>,
    options?: StartOptions,
  ): Promise<StartedRun<Output>>;
  start<Name extends NameHint>(
    name: Name & KnownName<Name>,
    input: InputOfName<Name>,
    options?: StartOptions,
  ): Promise<StartedRun<OutputOfName<Name>>>;
  /**
   * Sends a signal to the run with this idempotency key, and starts the run if there is none. One commit starts it with the signal, so
   * either both are stored or neither.
   * @param input input of a new run; an existing run keeps its own.
   * @throws as `start` and `signal`; SvcError `SVC_TRANSITION` if the run with this key has ended.
   */
  signalWithStart<Input, Output, Value>(
    definition: Startable<Input, Output>,
    input: NoInfer<Input>,
    options: SignalWithStartOptions<Value>,
  ): Promise<StartedRun<Output>>;
  /**
   * A handle of an existing run. Reads nothing: a run that does not exist is reported by the first call of the handle.
   * @param definition the run's graph or worker, for the type of its result. Default: the result is JSON.
   */
  getHandle<Input, Output>(definition: Startable<Input, Output>, graphId: string): RunHandle<Output>;
  getHandle(graphId: string): RunHandle;
  /** Reads no results of nodes. Pass a `limit` if the run may have thousands of nodes. */
  snapshot(graphId: string, options?: SnapshotOptions): Promise<Snapshot | undefined>;
  /** Facts about a missing run: its creation time, from its id, and whether retention can have removed it. */
  absence(graphId: string): Promise<Absence>;
  /** A note of its size replaces an input or result that is in a bucket; `snapshot` has them. */
  list(query: GraphQuery): Promise<Page<Snapshot>>;
  /**
   * Durations of the matching runs in milliseconds. A running run counts with its age, a queued one not at all. Covers the newest `limit`
   * runs, at most 10,000, or 2,000 with `tag`, `parent` or `error`. Ignores `cursor`.
   */
  durations(query: GraphQuery): Promise<Durations>;
  /** Number of matching runs by tag and status, among the newest 2,000. Ignores `limit` and `cursor`. */
  tagCounts(query: GraphQuery): Promise<TagCounts>;
  /** Running runs that wait for a signal, oldest first, at most `limit`, among the oldest 2,000 running runs. */
  waiting(limit: number): Promise<Snapshot[]>;
  /** A node with its input and result; undefined if it does not exist. */
  node(graphId: string, nodeId: string): Promise<NodeDetail | undefined>;
  /** All nodes of a run with all stored data; empty if there is no such run. */
  nodes(graphId: string): Promise<NodeDetail[]>;
  /** Results of nodes before `retry` ran them again, by epoch and id. */
  pastNodes(graphId: string): Promise<NodeDetail[]>;
  /** Artifacts of workers (`ctx.artifact`) by name; empty if there is no such run. */
  artifacts(graphId: string): Promise<Artifact[]>;
  /** An artifact with its bytes; undefined if it does not exist. */
  artifact(graphId: string, name: string): Promise<ArtifactContent | undefined>;
  /** Stored events, in order. */
  events(graphId: string, query?: EventsQuery): Promise<GraphEvent[]>;
  /** @throws SvcError SVC_TRANSITION naming both states; SVC_NOT_FOUND. */
  pause(graphId: string, options?: PauseOptions): Promise<Snapshot>;
  resume(graphId: string, auditContext?: AuditContext): Promise<Snapshot>;
  cancel(graphId: string, auditContext?: AuditContext): Promise<Snapshot>;
  /**
   * Ends a run at once, with its children: running attempts are aborted, and nothing is compensated (`onCancel`, `compensate`). For a run
   * whose compensation hangs or would do harm. The nodes that a cancel would have compensated are `uncompensated`.
   * @throws SvcError SVC_TRANSITION if the run has ended; SVC_NOT_FOUND.
   */
  terminate(graphId: string, auditContext?: AuditContext): Promise<Snapshot>;
  /** Runs failed nodes again, or a node and all after it: same id, next epoch. @throws SvcError `SVC_INVALID` for an unknown node */
  retry(graphId: string, options?: RetryOptions): Promise<Snapshot>;
  /** Starts a new run at a node or step of another run. @throws SvcError `SVC_INVALID`, `SVC_NOT_FOUND` */
  fork(graphId: string, options: ForkOptions): Promise<Snapshot>;
  /**
   * Sends a signal to a run. The first `ctx.waitFor` with this name receives it, also if it starts later.
   * @returns the run without its nodes and children, so that the cost of a signal does not grow with the run.
   * @throws SvcError SVC_INVALID with issues if the schema of the signal or of the waiting worker rejects it; SVC_TRANSITION;
   * SVC_NOT_FOUND.
   */
  signal<Value>(
    graphId: string,
    signal: SignalDefinition<Value, unknown>,
    value: NoInfer<Value>,
    options?: SignalOptions,
  ): Promise<Snapshot>;
  signal(graphId: string, name: string, payload?: Json, options?: SignalOptions): Promise<Snapshot>;
  /**
   * Sends an event: it starts a run of each graph with `on`, resumes every run that waits for it, and cancels runs by `cancelOn`.
   * Resolves once the event is stored; its runs follow, also after a crash.
   * @returns the event's id, and whether this call stored it (false: an event of this name with this id was sent before, and this one
   * has no effect).
   * @throws SvcError `SVC_INVALID` with issues if the event's schema rejects the data, or for an invalid id
   */
  send<Data, Sent>(
    event: EventDefinition<Data, Sent>,
    data: NoInfer<Sent>,
    options?: SendOptions,
  ): Promise<{ id: string; created: boolean }>;
  send(event: string, data: Json, options?: SendOptions): Promise<{ id: string; created: boolean }>;
  /** Stored events, newest first. */
  sentEvents(query?: SentEventsQuery): Promise<{ events: SentEventView[]; nextCursor: string | undefined }>;
  /** Asks the run's worker and resolves with its answer. @throws as `RunHandle.update` */
  update<Value, Answer>(
    graphId: string,
    update: UpdateDefinition<Value, unknown, Answer>,
    value: NoInfer<Value>,
    options?: UpdateOptions,
  ): Promise<Answer>;
  /** As above, by name: the value is validated by the worker's schema. */
  update(graphId: string, name: string, value: Json, options?: UpdateOptions): Promise<Json>;
  /** One command for many runs. */
  bulk(action: BulkAction, options: BulkOptions): Promise<BulkReport>;
  readonly schedule: Schedules;
  readonly queues: Queues;
  /** Limits for the size of values. */
  readonly limits: ValueLimits;
  /** Stored events after `afterSeq`, then live ones; ends after the terminal event of the current epoch. */
  subscribe(graphId: string, afterSeq: number, signal: AbortSignal): Subscription;
  /**
   * Resolves with the run's result, wherever it runs; at once if it has ended. A retried run has a new result. Waits until `signal`
   * aborts.
   * @throws CallError with `reason` if the run failed or was cancelled; SvcError SVC_NOT_FOUND; the signal's reason
   */
  result(graphId: string, options?: { signal?: AbortSignal }): Promise<Json>;
  /** Resumes all unfinished runs, paused queues and schedules. Called once at boot. */
  recover(): Promise<number>;
  /**
   * Deletes finished runs with their nodes, events and deliveries; the audit trail stays. Keeps runs that an unfinished run has started,
   * and runs with a delivery that is still to be sent.
   * @returns number of deleted runs.
   */
  purge(query: PurgeQuery): Promise<number>;
  /** Running and queued nodes by worker, for workers that ran since the start. */
  queueReports(): QueueReport[];
  /** Resolves when nothing is running. */
  idle(): Promise<void>;
  /** Stops dispatching, aborts attempts after `drainMs`, and leaves every run at a durable point. */
  close(drainMs?: number): Promise<void>;
}
