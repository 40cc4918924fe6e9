/** Graphs in a store. What every store promises stands in contract.ts. */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphStatus } from "../../platform/shared/wire.ts";
import type { ArtifactRows } from "./artifacts.ts";
import type { ChildRow, GraphEvent, GraphHead, GraphRow, ListedGraph, NodeRow, StoredGraph } from "./graph-rows.ts";
import type { Durations, GraphQuery, Page, PurgeQuery, PurgeStep, TagCounts } from "./queries.ts";
import type { TransactionRun } from "./transaction.ts";
import type { Transition } from "./unit.ts";

export interface GraphStore extends ArtifactRows {
  /**
   * Writes rows of the author's and a unit in one transaction. Resolves after the durable commit.
   * Rejects with `UserStatementError` for what `statements` or `decide` throws.
   */
  transact(run: TransactionRun): Promise<Json>;
  /** Resolves after the durable commit: for each unit whether its fence held. */
  commit(unit: Transition): Promise<boolean>;
  /** In the order of `ids`; those that are not there are left out. */
  load(ids: readonly string[]): Promise<StoredGraph[]>;
  /** As `load`, for lists: the graph itself is whole; what nodes were given, gave and keep is not read, however long it is. */
  heads(ids: readonly string[]): Promise<ListedGraph[]>;
  graph(id: string): Promise<GraphRow | undefined>;
  byIdempotencyKey(worker: string, key: string): Promise<GraphRow | undefined>;
  /** What nodes came to in earlier epochs, in order of epoch and id. */
  pastNodes(graphId: string): Promise<NodeRow[]>;
  /** Graphs that nodes of these started, oldest first. What they were given and gave is not read. */
  children(graphIds: readonly string[]): Promise<ChildRow[]>;
  /** Whether a signal with this idempotency key was ever sent to the graph. */
  hasSignal(graphId: string, key: string): Promise<boolean>;
  /** Events after `afterSeq`, in order, at most `limit` (default 1,000). */
  events(graphId: string, afterSeq: number, limit?: number): Promise<GraphEvent[]>;
  /**
   * What `events` would give, where this process can tell without asking; undefined where it can't. For followers: another process may have
   * added some, of which they hear. Absent where asking costs next to nothing.
   */
  eventsAtHand?(graphId: string, afterSeq: number): GraphEvent[] | undefined;
  /**
   * Calls back after each commit that added events to this graph; with none, where another process may have added some.
   * Returns the way to stop.
   */
  onEvents(graphId: string, listener: (events: readonly GraphEvent[]) => void): () => void;
  /**
   * Calls back after each commit that added events to any graph, with its id; with none, where another process may have added some to
   * whichever. Returns the way to stop.
   */
  onAnyEvents(listener: (graphId: string | undefined) => void): () => void;
  /** Has those told who follow a graph that another process writes to; without an id, all who follow any. Absent where there is none. */
  announce?(graphId?: string): void;
  /** Ids of graphs that are not done or failed, oldest first, from behind `after`: what a starting process goes on with. */
  unfinished(after: string, limit: number): Promise<string[]>;
  /** Ids of running graphs that wait for a signal, oldest first; of the oldest 2,000 that run. */
  waiting(limit: number): Promise<string[]>;
  /** Newest first. What graphs were given and gave is not read: of those that are shown `heads` has it. */
  list(query: GraphQuery): Promise<Page<GraphHead>>;
  /** How long those took that a query asks for, the newest 10,000 at most; 2,000 where a tag, a parent or an error is given. */
  durations(query: GraphQuery, nowMs: number): Promise<Durations>;
  /** How many there are of each tag, of the newest 2,000 that a query asks for. */
  tagCounts(query: GraphQuery): Promise<TagCounts>;
  countByStatus(): Promise<Record<GraphStatus, number>>;
  /** Names that graphs were started by. */
  workers(): Promise<string[]>;
  /**
   * Deletes finished graphs, oldest first, with their nodes, events, deliveries and all else but the audit trail. It keeps
   * those with a delivery that is still to be sent, and those that a graph under way has started. One slice at a time.
   */
  purge(query: PurgeQuery): Promise<PurgeStep>;
}
