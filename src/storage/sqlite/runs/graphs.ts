/** Runs, nodes and events in SQLite. */
import type { RunStatus } from "../../../platform/shared/wire.ts";
import type {
  ChildRow,
  GraphEvent,
  GraphHead,
  GraphRow,
  ListedGraph,
  NodeRow,
  NodeSlice,
  SignalRow,
  StoredGraph,
} from "../../contract/graph-rows.ts";
import { WAITS } from "../../contract/admission.ts";
import { toAwaiting, type AwaitingStep } from "../../contract/sent-events.ts";
import type { GraphStore } from "../../contract/graph-store.ts";
import { ANSWERS_OF_TURN, AnswerTurns } from "../../contract/answer-turns.ts";
import { objectsIn, REFERENCE_MARK, VALUE_COLUMNS } from "../../contract/object-references.ts";
import type { Durations, GraphQuery, Page, PurgeQuery, PurgeStep, TagCounts } from "../../contract/queries.ts";
import type { TransactionRun } from "../../contract/transaction.ts";
import type { Transition } from "../../contract/transition.ts";
import { UserStatementError } from "../../contract/transaction.ts";
import type { Json } from "../../../platform/shared/json.ts";
import { TransitionChains } from "../../contract/transition-chains.ts";
import type { ArtifactRow, UploadKey } from "../../contract/artifacts.ts";
import { SqliteArtifacts } from "../artifacts.ts";
import { EventListeners, type AnyListener, type EventListener } from "../../contract/listeners.ts";
import { CHILD_NAMES, pastNode, toChild, toSignal } from "../../contract/columns.ts";
import { toGraph, toNode } from "./long-columns.ts";
import type { Database } from "../database.ts";
import { LAST_SEQ, readEvents } from "./event-runs.ts";
import { GraphStates } from "./graph-states.ts";
import type { Row } from "../../contract/row.ts";
import { GraphList } from "./graph-list.ts";
import { nodeHeads } from "./node-heads.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import { Payloads } from "./payloads.ts";
import { purgeSlice } from "../purge.ts";
import { UserTransaction, type Written } from "../write/user-transaction.ts";
import { TransitionBatch } from "../write/transition-batch.ts";

type Outcome = GraphEvent[] | undefined | Error;

interface Waiting {
  transition: Transition;
  resolve: (hasHeld: boolean) => void;
  reject: (error: unknown) => void;
}

const DEFAULT_EVENT_LIMIT = 1000;
/** Transitions to write in one turn of the event loop: as many as are answered in one. More together would hardly be cheaper. */
const GROUP = ANSWERS_OF_TURN;

const AWAITING =
  "SELECT * FROM node WHERE awaits = ? AND (graph_id, id) > (?, ?) AND status = 'waiting' ORDER BY graph_id, id LIMIT ?";

/** Texts of runs with a reference to an object in a bucket. */
const VALUE_TEXTS = [...VALUE_COLUMNS, ["event_run", "graph_id", "events"] as const].map(
  ([table, id, column]) =>
    `SELECT ${column} AS text FROM ${table} WHERE ${id} IN (SELECT value FROM json_each(?)) AND instr(${column}, '${REFERENCE_MARK}') > 0`,
);

export class SqliteGraphs implements GraphStore {
  readonly #database: Database;
  readonly #outbox: Outbox;
  readonly #listeners = new EventListeners();
  readonly #list: GraphList;
  readonly #artifacts: SqliteArtifacts;
  readonly #payloads: Payloads;
  /** Transitions that wait for the next group. */
  readonly #waiting: Waiting[] = [];
  readonly #lines = new TransitionChains();
  readonly #answers = new AnswerTurns();
  readonly #states: GraphStates;

  constructor(database: Database, outbox: Outbox) {
    this.#database = database;
    this.#outbox = outbox;
    this.#payloads = new Payloads(database);
    this.#states = new GraphStates(database);
    this.#list = new GraphList(database);
    this.#artifacts = new SqliteArtifacts(database);
  }

  commit(transition: Transition): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ transition, resolve, reject });
      if (this.#waiting.length === 1) void this.#write();
    });
  }

  /** Commits the transitions that arrived before the next group. */
  async #write(): Promise<void> {
    let batch: Waiting[] | undefined;
    const take = (): Waiting[] => (batch ??= this.#takeGroup());
    try {
      const outcomes = await this.#database.write(() => this.#apply(take().map(({ transition }) => transition)));
      await this.#answers.each(take(), (waiting, at) => this.#notify(waiting, outcomes[at]));
    } catch (error) {
      await this.#answers.each(take(), (waiting) => this.#fail(waiting, error));
    }
  }

  #takeGroup(): Waiting[] {
    const group = this.#waiting.splice(0, GROUP);
    // The next turn writes the others.
    if (this.#waiting.length > 0) void this.#write();
    return group;
  }

  /** A group of its own: the transition is decided on top of the waiting ones and written after them. */
  async transact(run: TransactionRun): Promise<Json> {
    const transaction = new UserTransaction(this.#database, run);
    let before: { waiting: Waiting; outcome: Outcome }[] = [];
    let batch: Waiting[] | undefined;
    let written: Written | Error;
    const writeWaiting = (): void => {
      batch ??= this.#waiting.splice(0);
      const outcomes = batch.length === 0 ? [] : this.#apply(batch.map(({ transition }) => transition));
      before = batch.map((waiting, at) => ({ waiting, outcome: outcomes[at] }));
    };
    let own: Transition | undefined;
    const apply = (transition: Transition): Outcome => this.#apply([(own = transition)])[0];
    try {
      written = await (run.isAsync
        ? this.#database.writeAlone(async (over) => {
            // Those that arrived while the author's statements ran.
            const done = await transaction.writeAlone((transition) => (writeWaiting(), apply(transition)), over);
            // Rolled back with it.
            if (done instanceof Error && batch) writeWaiting();
            return done;
          })
        : this.#database.write(() => (writeWaiting(), transaction.write(apply))));
    } catch (error) {
      await this.#answers.each(batch ?? [], (waiting) => this.#fail(waiting, error));
      this.#outbox.doubt(own?.outbox ?? []);
      throw transaction.ownError ? new UserStatementError(error) : error;
    }
    await this.#answers.each(before, ({ waiting, outcome }) => this.#notify(waiting, outcome));
    if (transaction.ownError || written instanceof Error) this.#outbox.doubt(own?.outbox ?? []);
    if (transaction.ownError) throw new UserStatementError(transaction.ownError.error);
    if (written instanceof Error) throw written;
    const { transition, events, result } = written;
    if (events.length > 0) this.#listeners.notify(transition.graphId, events);
    if (transition.outbox?.length) this.#outbox.notify(transition.outbox);
    return result;
  }

  /** @param outcome the transition's events, undefined if the fence failed, or why it could not be written. */
  #notify({ transition, resolve, reject }: Waiting, outcome: Outcome): void {
    if (outcome instanceof Error) reject(outcome);
    else resolve(outcome !== undefined);
    if (outcome === undefined || outcome instanceof Error) return this.#outbox.doubt(transition.outbox ?? []);
    if (outcome.length > 0) this.#listeners.notify(transition.graphId, outcome);
    if (transition.outbox?.length) this.#outbox.notify(transition.outbox);
  }

  /** It may be written after all if only the sync failed: followers and senders must read the database. */
  #fail({ transition, reject }: Waiting, error: unknown): void {
    reject(error);
    this.#listeners.notify(transition.graphId, []);
    this.#outbox.doubt(transition.outbox ?? []);
  }

  /** Within the transaction: all at once; if that fails one by one, so that a failure stays with its owner. */
  #apply(transitions: readonly Transition[]): Outcome[] {
    const sql = (text: string) => this.#database.sql(text);
    sql("SAVEPOINT transitions").run();
    try {
      const outcomes = this.#applyTogether(transitions);
      sql("RELEASE transitions").run();
      return outcomes;
    } catch (error) {
      this.#database.rollBackTo("transitions");
      const [only] = transitions;
      if (only && transitions.length === 1) {
        this.#lines.break(only);
        return [error instanceof Error ? error : new Error(String(error))];
      }
      return transitions.flatMap((transition) => this.#apply([transition]));
    }
  }

  #applyTogether(transitions: readonly Transition[]): Outcome[] {
    const batch = new TransitionBatch(this.#database, this.#outbox, this.#states, transitions);
    const outcomes = transitions.map((transition) => {
      const events = this.#lines.isBroken(transition) ? undefined : batch.add(transition);
      if (!events) this.#lines.break(transition);
      return events;
    });
    batch.end();
    return outcomes;
  }

  readonly #toGraph = (row: Row): GraphRow => toGraph(row, this.#payloads);

  async graph(id: string): Promise<GraphRow | undefined> {
    const row = this.#database.sql("SELECT * FROM graph WHERE id = ?").get(id);
    return row && this.#toGraph(row);
  }

  async byIdempotencyKey(worker: string, key: string): Promise<GraphRow | undefined> {
    const row = this.#database.sql("SELECT * FROM graph WHERE worker = ? AND idempotency_key = ?").get(worker, key);
    return row && this.#toGraph(row);
  }

  async load(ids: readonly string[]): Promise<StoredGraph[]> {
    return ids.flatMap((id) => {
      const row = this.#database.sql(`SELECT *, ${LAST_SEQ} AS last_seq FROM graph WHERE id = ?`).get(id);
      if (!row) return [];
      const nodes = this.#database.sql("SELECT * FROM node WHERE graph_id = ? ORDER BY id").all(id);
      return [
        {
          row: this.#toGraph(row),
          nodes: nodes.map((node) => toNode(node, this.#payloads)),
          lastSeq: Number(row["last_seq"]),
          signals: this.#signals(id),
        },
      ];
    });
  }

  async heads(ids: readonly string[], slice?: NodeSlice): Promise<ListedGraph[]> {
    return ids.flatMap((id) => {
      const row = this.#database.sql(`SELECT *, ${LAST_SEQ} AS last_seq FROM graph WHERE id = ?`).get(id);
      if (!row) return [];
      return [
        { row: this.#toGraph(row), nodes: nodeHeads(this.#database, id, slice), lastSeq: Number(row["last_seq"]) },
      ];
    });
  }

  async pastNodes(graphId: string): Promise<NodeRow[]> {
    return this.#database
      .sql("SELECT data FROM past_node WHERE graph_id = ? ORDER BY epoch, id")
      .all(graphId)
      .map((row) => pastNode(row["data"] as string));
  }

  writePart(graphId: string, upload: string, at: number, data: Uint8Array): Promise<void> {
    return this.#artifacts.writePart(graphId, upload, at, data);
  }

  part(graphId: string, upload: string, at: number): Promise<Uint8Array | undefined> {
    return this.#artifacts.part(graphId, upload, at);
  }

  dropParts(graphId: string, upload: string): Promise<void> {
    return this.#artifacts.dropParts(graphId, upload);
  }

  uploads(graphIds: readonly string[]): Promise<UploadKey[]> {
    return this.#artifacts.uploads(graphIds);
  }

  artifacts(graphId: string): Promise<ArtifactRow[]> {
    return this.#artifacts.artifacts(graphId);
  }

  #signals(graphId: string): SignalRow[] {
    return this.#database
      .sql("SELECT * FROM signal WHERE graph_id = ? AND node IS NULL ORDER BY seq")
      .all(graphId)
      .map(toSignal);
  }

  async hasSignal(graphId: string, key: string): Promise<boolean> {
    return this.#database.sql("SELECT 1 FROM signal WHERE graph_id = ? AND key = ?").get(graphId, key) !== undefined;
  }

  async children(graphIds: readonly string[]): Promise<ChildRow[]> {
    const children = this.#database.sql(`SELECT ${CHILD_NAMES} FROM graph WHERE parent_graph = ? ORDER BY id`);
    const rows = graphIds.flatMap((id) => children.all(id).map(toChild));
    return graphIds.length > 1 ? rows.sort((a, b) => (a.id < b.id ? -1 : 1)) : rows;
  }

  async events(graphId: string, afterSeq: number, limit = DEFAULT_EVENT_LIMIT): Promise<GraphEvent[]> {
    // A caller that starts a run follows it from its first events, which are cached.
    return this.#states.eventsOf(graphId, afterSeq, limit) ?? readEvents(this.#database, graphId, afterSeq, limit);
  }

  onEvents(graphId: string, listener: EventListener): () => void {
    return this.#listeners.add(graphId, listener);
  }

  onAnyEvents(listener: AnyListener): () => void {
    return this.#listeners.addToAll(listener);
  }

  async unfinished(after: string, limit: number, except: readonly string[] = []): Promise<string[]> {
    return this.#database
      .sql(
        `SELECT id FROM graph WHERE phase NOT IN ('done', 'failed') AND NOT (${WAITS}) AND id > ?
           AND definition NOT IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?`,
      )
      .all(after, JSON.stringify(except), limit)
      .map((row) => row["id"] as string);
  }

  async waiting(limit: number): Promise<string[]> {
    return this.#list.waiting(limit);
  }

  async awaiting(event: string, limit: number, after?: AwaitingStep): Promise<AwaitingStep[]> {
    return this.#database
      .sql(AWAITING)
      .all(event, after?.graphId ?? "", after?.nodeId ?? "", limit)
      .map((row) => toAwaiting(toNode(row, this.#payloads)));
  }

  async list(query: GraphQuery): Promise<Page<GraphHead>> {
    return this.#list.page(query);
  }

  async durations(query: GraphQuery, nowMs: number): Promise<Durations> {
    return this.#list.durations(query, nowMs);
  }

  async tagCounts(query: GraphQuery): Promise<TagCounts> {
    return this.#list.tagCounts(query);
  }

  async workers(): Promise<string[]> {
    return this.#list.workers();
  }

  async valueObjects(graphIds: readonly string[]): Promise<string[]> {
    return VALUE_TEXTS.flatMap((text) => this.#database.sql(text).all(JSON.stringify(graphIds))).flatMap((row) =>
      objectsIn(String(row["text"])),
    );
  }

  purge(query: PurgeQuery): Promise<PurgeStep> {
    return this.#database.write(() => purgeSlice(this.#database, query));
  }

  async countByStatus(): Promise<Record<RunStatus, number>> {
    return this.#list.countByStatus();
  }
}
