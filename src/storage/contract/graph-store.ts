/** Runs in a store. contract.ts lists the promises of every store. */
import type { Json } from "../../platform/shared/json.ts";
import type { RunStatus } from "../../platform/shared/wire.ts";
import type { ArtifactRows } from "./artifacts.ts";
import type { AwaitingStep } from "./sent-events.ts";
import type {
  ChildRow,
  GraphEvent,
  GraphHead,
  GraphRow,
  LargeValues,
  ListedGraph,
  NodeRow,
  NodeSlice,
  StoredGraph,
} from "./graph-rows.ts";
import type { Durations, GraphQuery, Page, PurgeQuery, PurgeStep, TagCounts } from "./queries.ts";
import type { TransactionRun } from "./transaction.ts";
import type { Transition } from "./transition.ts";

export interface GraphStore extends ArtifactRows {
  /**
   * Writes the author's rows and a transition in one transaction. Resolves after the durable commit.
   * Rejects with `UserStatementError` for errors of `statements` or `decide`.
   */
  transact(run: TransactionRun): Promise<Json>;
  /** Resolves after the durable commit, with whether the fence matched. */
  commit(transition: Transition): Promise<boolean>;
  /** In the order of `ids`; missing ones are omitted. */
  load(ids: readonly string[]): Promise<StoredGraph[]>;
  /**
   * As `load`, for lists: inputs, results and states of nodes are not read, however long they are.
   * @param slice the nodes to read of each run; default all.
   * @param large how to read input and result of the run; default "read".
   */
  heads(ids: readonly string[], slice?: NodeSlice, large?: LargeValues): Promise<ListedGraph[]>;
  graph(id: string): Promise<GraphRow | undefined>;
  byIdempotencyKey(worker: string, key: string): Promise<GraphRow | undefined>;
  /** Results of nodes in earlier epochs, by epoch and id. */
  pastNodes(graphId: string): Promise<NodeRow[]>;
  /** Child runs of these runs, oldest first. Inputs and results are not read. */
  children(graphIds: readonly string[]): Promise<ChildRow[]>;
  /** Whether a signal with this idempotency key was ever sent to the run. */
  hasSignal(graphId: string, key: string): Promise<boolean>;
  /** Events after `afterSeq`, in order, at most `limit` (default 1,000). */
  events(graphId: string, afterSeq: number, limit?: number): Promise<GraphEvent[]>;
  /**
   * The result of `events` if this process knows it without a query; undefined otherwise. For followers: another process may have added
   * events, which are announced. Absent if a query costs almost nothing.
   */
  eventsAtHand?(graphId: string, afterSeq: number): GraphEvent[] | undefined;
  /**
   * Calls back after each commit with events of this run; without events if another process may have added some. Returns a function that
   * stops it.
   */
  onEvents(graphId: string, listener: (events: readonly GraphEvent[]) => void): () => void;
  /**
   * Calls back with the run's id after each commit with events of any run; without an id if another process may have added some to any
   * run. Returns a function that stops it.
   */
  onAnyEvents(listener: (graphId: string | undefined) => void): () => void;
  /** Notifies followers of a run that another process has changed; without an id, all followers. Absent if there is no other process. */
  announce?(graphId?: string): void;
  /**
   * Ids of unfinished runs, oldest first, after `after`: for recovery. Without those that wait for a key.
   * @param except definitions whose runs are left out. Default: none
   */
  unfinished(after: string, limit: number, except?: readonly string[]): Promise<string[]>;
  /** Ids of running runs that wait for a signal, oldest first, among the oldest 2,000 running ones. */
  waiting(limit: number): Promise<string[]>;
  /**
   * Steps of unfinished runs that wait for an event of this name, by run and id, at most `limit`.
   * @param after the last one of the previous slice.
   */
  awaiting(event: string, limit: number, after?: AwaitingStep): Promise<AwaitingStep[]>;
  /** Newest first, without inputs and results: `heads` has the shown runs. */
  list(query: GraphQuery): Promise<Page<GraphHead>>;
  /** Durations of matching runs, the newest 10,000 at most; 2,000 with a tag, a parent or an error. */
  durations(query: GraphQuery, nowMs: number): Promise<Durations>;
  /** Number of runs by tag, among the newest 2,000 matches. */
  tagCounts(query: GraphQuery): Promise<TagCounts>;
  countByStatus(): Promise<Record<RunStatus, number>>;
  /** Names of started graphs and workers. */
  workers(): Promise<string[]>;
  /** Names of the objects in a bucket to which values of these runs refer. */
  valueObjects(graphIds: readonly string[]): Promise<string[]>;
  /**
   * Deletes finished runs with their nodes, events, deliveries and everything but the audit trail, oldest first, one slice at a time.
   * Keeps runs with a delivery that is still to be sent, and those that an unfinished run has started.
   */
  purge(query: PurgeQuery): Promise<PurgeStep>;
}
