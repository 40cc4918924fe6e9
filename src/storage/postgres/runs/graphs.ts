/** Runs, nodes and events in PostgreSQL. */
import type { Json } from "../../../platform/shared/json.ts";
import type { RunStatus } from "../../../platform/shared/wire.ts";
import {
  CHILD_NAMES,
  NODE_HEAD_NAMES,
  pastNode,
  toChild,
  toGraph,
  toNode,
  toNodeHead,
  toSignal,
} from "../../contract/columns.ts";
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
import { objectsIn, REFERENCE_MARK, VALUE_COLUMNS } from "../../contract/object-references.ts";
import { EventListeners, type AnyListener, type EventListener } from "../../contract/listeners.ts";
import type { Durations, GraphQuery, Page, PurgeQuery, PurgeStep, TagCounts } from "../../contract/queries.ts";
import type { Row } from "../../contract/row.ts";
import type { TransactionRun } from "../../contract/transaction.ts";
import type { Transition } from "../../contract/transition.ts";
import type { OutboxRow } from "../../contract/webhook-rows.ts";
import { PostgresArtifacts } from "../artifacts.ts";
import type { Database } from "../database.ts";
import { eventsOf } from "./event-rows.ts";
import { FirstEvents } from "./first-events.ts";
import { GraphList } from "./graph-list.ts";
import { GroupCommit, type GroupCommitOptions, type Outcome } from "../write/group-commit.ts";
import { clean } from "../write/group-document.ts";
import { purgeSlice } from "../purge.ts";
import type { WriterSlots } from "../write/writer-slots.ts";

const DEFAULT_EVENT_LIMIT = 1000;

const AWAITING = `SELECT * FROM svc.node WHERE awaits = $1 AND (graph_id, id) > ($2, $3) AND status = 'waiting'
  ORDER BY graph_id, id LIMIT $4`;

/** All data of a run from one moment: a statement sees one state of the database. */
const LOAD = `
  SELECT g.*, n.nodes, s.signals
  FROM svc.graph g
  LEFT JOIN LATERAL (SELECT json_agg(node ORDER BY id) AS nodes FROM svc.node WHERE graph_id = g.id) n ON true
  LEFT JOIN LATERAL (
    SELECT json_agg(signal ORDER BY seq) AS signals FROM svc.signal WHERE graph_id = g.id AND node IS NULL
  ) s ON true
  WHERE g.id = ANY ($1::text[])`;

/** Longer than a reference to an object in a bucket. */
const LONGEST_REFERENCE = 1024;

/** A reference to an object contains its size. */
const RESULT_BYTES = `CASE
  WHEN result = 'null' THEN NULL
  WHEN octet_length(result) > ${LONGEST_REFERENCE} THEN octet_length(result)
  ELSE coalesce(substring(result FROM '^"${REFERENCE_MARK}(\\d{1,9}):')::int, octet_length(result)) END`;

/** As `LOAD`, for lists. The row has the length of a text; the text outside the row is not fetched. */
const HEADS = `
  SELECT g.*, n.nodes
  FROM svc.graph g
  LEFT JOIN LATERAL (
    SELECT json_agg(head ORDER BY id) AS nodes FROM (
      SELECT ${NODE_HEAD_NAMES}, ${RESULT_BYTES} AS result_bytes
      FROM svc.node WHERE graph_id = g.id AND id > $2 ORDER BY id LIMIT $3
    ) AS head
  ) n ON true
  WHERE g.id = ANY ($1::text[])`;

/** Texts of runs with a reference. */
const VALUE_OBJECTS = [...VALUE_COLUMNS, ["event", "graph_id", "data"] as const]
  .map(
    ([table, id, column]) =>
      `SELECT ${column} AS text FROM svc.${table} WHERE ${id} = ANY ($1::text[]) AND strpos(${column}, '${REFERENCE_MARK}') > 0`,
  )
  .join(" UNION ALL ");

export interface PostgresGraphsOptions extends GroupCommitOptions {
  onOutbox: (rows: readonly OutboxRow[]) => void;
}

export class PostgresGraphs extends PostgresArtifacts implements GraphStore {
  readonly #database: Database;
  readonly #slots: WriterSlots;
  readonly #options: PostgresGraphsOptions;
  readonly #commit: GroupCommit;
  readonly #listeners = new EventListeners();
  readonly #first = new FirstEvents();
  readonly #list: GraphList;

  constructor(database: Database, slots: WriterSlots, options: PostgresGraphsOptions) {
    super(database);
    this.#database = database;
    this.#slots = slots;
    this.#options = options;
    this.#commit = new GroupCommit(database, slots, options);
    this.#list = new GraphList(database);
  }

  /** Resolves when all given transitions have been handled. */
  drain(): Promise<void> {
    return this.#commit.drain();
  }

  async commit(transition: Transition): Promise<boolean> {
    const outcome = await this.#commit.write(transition);
    if (outcome instanceof Error) throw outcome;
    this.#notify(transition, outcome);
    return outcome !== undefined;
  }

  async transact(run: TransactionRun): Promise<Json> {
    const { transition, events, result } = await this.#commit.transact(run);
    this.#notify(transition, events);
    return result;
  }

  #notify(transition: Transition, events: Exclude<Outcome, Error>): void {
    if (events === undefined) return;
    if (transition.insert) this.#first.keep(transition.graphId, events);
    else this.#first.forget(transition.graphId);
    if (events.length > 0) this.#listeners.notify(transition.graphId, events);
    if (transition.outbox?.length) this.#options.onOutbox(transition.outbox);
  }

  async load(ids: readonly string[]): Promise<StoredGraph[]> {
    return this.#inOrder(LOAD, ids, toStored);
  }

  async heads(ids: readonly string[], slice?: NodeSlice): Promise<ListedGraph[]> {
    return this.#inOrder(HEADS, ids, toListed, clean(slice?.after ?? ""), slice?.limit ?? null);
  }

  async #inOrder<T>(
    text: string,
    ids: readonly string[],
    from: (row: Row) => T,
    ...more: (string | number | null)[]
  ): Promise<T[]> {
    const rows = await this.#database.rows(text, ids.map(clean), ...more);
    const byId = new Map(rows.map((row) => [String(row["id"]), from(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async graph(id: string): Promise<GraphRow | undefined> {
    const row = await this.#database.row("SELECT * FROM svc.graph WHERE id = $1", clean(id));
    return row && toGraph(row);
  }

  async byIdempotencyKey(worker: string, key: string): Promise<GraphRow | undefined> {
    const text = "SELECT * FROM svc.graph WHERE worker = $1 AND idempotency_key = $2";
    const row = await this.#database.row(text, clean(worker), clean(key));
    return row && toGraph(row);
  }

  async pastNodes(graphId: string): Promise<NodeRow[]> {
    const text = "SELECT data FROM svc.past_node WHERE graph_id = $1 ORDER BY epoch, id";
    return (await this.#database.rows(text, clean(graphId))).map((row) => pastNode(row["data"] as string));
  }

  async children(graphIds: readonly string[]): Promise<ChildRow[]> {
    const text = `SELECT ${CHILD_NAMES} FROM svc.graph WHERE parent_graph = ANY ($1::text[]) ORDER BY id`;
    return (await this.#database.rows(text, graphIds.map(clean))).map(toChild);
  }

  async hasSignal(graphId: string, key: string): Promise<boolean> {
    const text = "SELECT 1 AS found FROM svc.signal WHERE graph_id = $1 AND key = $2";
    return (await this.#database.row(text, clean(graphId), clean(key))) !== undefined;
  }

  async events(graphId: string, afterSeq: number, limit = DEFAULT_EVENT_LIMIT): Promise<GraphEvent[]> {
    // Event numbers have no gaps, so they determine how many rows to read.
    const text =
      "SELECT * FROM svc.event WHERE graph_id = $1 AND last > $2::bigint AND first <= $3::bigint ORDER BY last";
    const rows = await this.#database.rows(text, clean(graphId), afterSeq, afterSeq + limit);
    return rows.flatMap(eventsOf).filter(({ seq }) => seq > afterSeq && seq <= afterSeq + limit);
  }

  eventsAtHand(graphId: string, afterSeq: number): GraphEvent[] | undefined {
    return this.#first.after(graphId, afterSeq);
  }

  onEvents(graphId: string, listener: EventListener): () => void {
    return this.#listeners.add(graphId, listener);
  }

  onAnyEvents(listener: AnyListener): () => void {
    return this.#listeners.addToAll(listener);
  }

  announce(graphId?: string): void {
    this.#first.forget(graphId);
    if (graphId === undefined) this.#listeners.doubt();
    else this.#listeners.notify(graphId, []);
  }

  async unfinished(after: string, limit: number, except: readonly string[] = []): Promise<string[]> {
    const text = `
      SELECT id FROM svc.graph WHERE phase NOT IN ('done', 'failed') AND NOT (${WAITS}) AND id > $1 AND definition <> ALL($3)
      ORDER BY id LIMIT $2`;
    return (await this.#database.rows(text, after, limit, except)).map((row) => String(row["id"]));
  }

  waiting(limit: number): Promise<string[]> {
    return this.#list.waiting(limit);
  }

  async awaiting(event: string, limit: number, after?: AwaitingStep): Promise<AwaitingStep[]> {
    const values = [clean(event), after?.graphId ?? "", after?.nodeId ?? "", limit];
    return (await this.#database.rows(AWAITING, ...values)).map((row) => toAwaiting(toNode(row)));
  }

  list(query: GraphQuery): Promise<Page<GraphHead>> {
    return this.#list.page(query);
  }

  durations(query: GraphQuery, nowMs: number): Promise<Durations> {
    return this.#list.durations(query, nowMs);
  }

  tagCounts(query: GraphQuery): Promise<TagCounts> {
    return this.#list.tagCounts(query);
  }

  countByStatus(): Promise<Record<RunStatus, number>> {
    return this.#list.countByStatus();
  }

  workers(): Promise<string[]> {
    return this.#list.workers();
  }

  async valueObjects(graphIds: readonly string[]): Promise<string[]> {
    const rows = await this.#database.rows(VALUE_OBJECTS, graphIds.map(clean));
    return rows.flatMap((row) => objectsIn(String(row["text"])));
  }

  purge(query: PurgeQuery): Promise<PurgeStep> {
    return this.#database.transaction((sql) => purgeSlice(sql, query, this.#slots.owner));
  }
}

function toStored(row: Row): StoredGraph {
  return {
    row: toGraph(row),
    nodes: rowsIn(row, "nodes").map(toNode),
    lastSeq: Number(row["seq"]),
    signals: rowsIn(row, "signals").map((signal): SignalRow => toSignal(signal)),
  };
}

function toListed(row: Row): ListedGraph {
  return { row: toGraph(row), nodes: rowsIn(row, "nodes").map(toNodeHead), lastSeq: Number(row["seq"]) };
}

/** Rows of another table, parsed by the driver. */
function rowsIn(row: Row, name: string): Row[] {
  return (row[name] as unknown as Row[] | null) ?? [];
}
