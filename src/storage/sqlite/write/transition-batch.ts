/**
 * Writes many transitions with few statements. Each transition of a database transaction is checked against the rows as the previous ones
 * leave them. Their changes are collected, where the last value of a column wins, and written table by table (table-writer.ts).
 */
import type { GraphEvent, GraphRow, NewEvent, NodeRow } from "../../contract/graph-rows.ts";
import type { Transition } from "../../contract/transition.ts";
import { dropLooseParts, putArtifact } from "../artifacts.ts";
import { GRAPH_COLUMNS, NODE_COLUMNS, SIGNAL_COLUMNS } from "../../contract/columns.ts";
import type { Database } from "../database.ts";
import { insertAudit } from "../control.ts";
import { writeEvents } from "../runs/event-runs.ts";
import type { GraphState, GraphStates } from "../runs/graph-states.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import { Payloads } from "../runs/payloads.ts";
import { TableWriter, type Changes, type RowChange } from "./table-writer.ts";
import { countGraphs, type Counted } from "../runs/totals.ts";

const GRAPHS = new TableWriter("graph", GRAPH_COLUMNS, ["id"]);
const NODES = new TableWriter("node", NODE_COLUMNS, ["graphId", "id"]);
const SIGNALS = new TableWriter("signal", SIGNAL_COLUMNS, ["graphId"]);

/** New and changed nodes of one run, by id. Most transitions have only one of the two. */
interface NodeEdits {
  inserts?: Map<string, NodeRow>;
  changes?: Map<string, RowChange>;
}

export class TransitionBatch {
  readonly #database: Database;
  readonly #outbox: Outbox;
  readonly #payloads: Payloads;
  readonly #states: GraphStates;
  readonly #graphInserts = new Map<string, GraphRow>();
  readonly #graphChanges = new Map<string, RowChange>();
  readonly #nodes = new Map<string, NodeEdits>();
  #events = new Map<GraphState, GraphEvent[][]>();
  #deliveries: NonNullable<Transition["outbox"]> = [];
  /** Runs with any change. */
  #touched = new Set<GraphState>();
  /** New runs, and runs with a changed status or attributes. */
  #moved = new Set<Counted>();

  /** @param transitions the transitions that will be added. Their runs are read with one query. */
  constructor(database: Database, outbox: Outbox, states: GraphStates, transitions: readonly Transition[]) {
    this.#database = database;
    this.#outbox = outbox;
    this.#payloads = new Payloads(database);
    this.#states = states;
    // A new run has no row to read. If it has one, SQLite rejects the insert.
    const ids: string[] = [];
    for (const { graphId, insert } of transitions) if (!insert) ids.push(graphId);
    states.read(ids);
  }

  /** @returns the transition's events with their numbers; undefined if its fence does not match. */
  add(transition: Transition): GraphEvent[] | undefined {
    if (transition.insert) this.#insertGraph(transition.insert);
    const state = this.#states.get(transition.graphId);
    if (!state || !this.#holds(transition, state)) return undefined;
    this.#touched.add(state);
    if (transition.deleteNodes?.length) this.#deleteNodes(transition.graphId, transition.deleteNodes);
    if (transition.insertNodes || transition.nodes) this.#editNodes(transition);
    if (transition.outbox) this.#deliveries.push(...transition.outbox);
    this.#writeRest(transition);
    const events: GraphEvent[] = [];
    for (const event of transition.events ?? []) events.push(numbered(event, ++state.seq));
    if (events.length > 0) this.#addEvents(state, events);
    if (transition.graph) this.#follow(state, transition.graph);
    if (transition.graph) this.#changeGraph(transition.graphId, transition.graph);
    return events;
  }

  /** Writes rare parts of a transition at once. */
  #writeRest({ graphId, pastNodes, audit, artifacts, dropsUploads, signals, takenSignals }: Transition): void {
    if (pastNodes) for (const node of pastNodes) this.#keep(node);
    insertAudit(this.#database, audit);
    if (artifacts) for (const row of artifacts) putArtifact(this.#database, row);
    if (dropsUploads) dropLooseParts(this.#database, graphId);
    if (signals) SIGNALS.insert(this.#database, this.#payloads, signals);
    if (takenSignals)
      for (const { seq, node } of takenSignals)
        this.#database.sql("UPDATE signal SET node = ? WHERE graph_id = ? AND seq = ?").run(node, graphId, seq);
  }

  #addEvents(state: GraphState, events: GraphEvent[]): void {
    const before = this.#events.get(state);
    if (before) before.push(events);
    else this.#events.set(state, [events]);
    state.recent = events;
  }

  /** Writes the collected changes. @throws errors of SQLite, such as a duplicate key. */
  flush(): void {
    const [database, payloads] = [this.#database, this.#payloads];
    GRAPHS.insert(database, payloads, this.#graphInserts.values());
    const edits = [...this.#nodes.values()];
    NODES.insert(database, payloads, joined(edits.map(({ inserts }) => inserts?.values() ?? [])));
    NODES.update(database, payloads, joined(edits.map(({ changes }) => changes?.values() ?? [])));
    const events: (readonly GraphEvent[])[] = [];
    for (const [first = [], ...more] of this.#events.values())
      events.push(more.length === 0 ? first : joined([first, ...more]));
    writeEvents(database, events);
    this.#events.clear();
    GRAPHS.update(database, payloads, this.#graphChanges.values());
    countGraphs(this.#database, [...this.#moved]);
    this.#outbox.insert(this.#deliveries);
    this.#graphInserts.clear();
    this.#graphChanges.clear();
    this.#nodes.clear();
    this.#moved.clear();
    this.#deliveries = [];
  }

  /** Call once, after the last transition. */
  end(): void {
    this.flush();
    for (const state of this.#touched) this.#states.settle(state);
  }

  #follow(state: GraphState, changes: Partial<GraphRow>): void {
    const { epoch = state.epoch, phase = state.phase, status } = changes;
    state.epoch = epoch;
    state.phase = phase;
    if ("attributes" in changes) {
      state.counted.attributes = changes.attributes;
      this.#moved.add(state.counted);
    }
    if (status === undefined || status === state.counted.status) return;
    state.counted.status = status;
    this.#moved.add(state.counted);
  }

  #insertGraph(row: GraphRow): void {
    // SQLite rejects a second row with this id, as it does for every unique key.
    if (this.#states.get(row.id)) this.flush();
    this.#graphInserts.set(row.id, { ...row });
    const { id, worker, status, attributes } = row;
    const tags = JSON.stringify(row.tags);
    const counted = { id, worker, status, tags, attributes, stored: undefined, indexed: undefined };
    this.#states.add({ epoch: row.epoch, phase: row.phase, seq: 0, counted, recent: [] });
    this.#moved.add(counted);
  }

  #editNodes({ graphId, insertNodes = [], nodes = [] }: Transition): void {
    const edits = this.#editsOf(graphId);
    if (insertNodes.some(({ id }) => edits.inserts?.has(id) || edits.changes?.has(id))) {
      // SQLite rejects a second row with an id.
      this.flush();
      return this.#editNodes({ graphId, insertNodes, nodes });
    }
    for (const node of insertNodes) (edits.inserts ??= new Map()).set(node.id, node);
    for (const changes of nodes) this.#changeNode(edits, graphId, changes);
  }

  #editsOf(graphId: string): NodeEdits {
    let edits = this.#nodes.get(graphId);
    if (!edits) this.#nodes.set(graphId, (edits = {}));
    return edits;
  }

  /** Does not modify the transition, which may have to be written again alone. */
  #changeNode(edits: NodeEdits, graphId: string, changes: Partial<NodeRow> & { id: string }): void {
    const { id } = changes;
    const inserted = edits.inserts?.get(id);
    if (inserted) return void edits.inserts?.set(id, { ...inserted, ...changes });
    const before = edits.changes?.get(id);
    if (before) before.changes = merged(before.changes, changes);
    else (edits.changes ??= new Map()).set(id, { key: [graphId, id], changes });
  }

  #deleteNodes(graphId: string, ids: readonly string[]): void {
    // Earlier changes of these nodes come first.
    this.flush();
    this.#database
      .sql("DELETE FROM node WHERE graph_id = ? AND id IN (SELECT value FROM json_each(?))")
      .run(graphId, JSON.stringify(ids));
  }

  #keep(node: NodeRow): void {
    this.#database
      .sql("INSERT INTO past_node (graph_id, epoch, id, data) VALUES (?, ?, ?, ?)")
      .run(node.graphId, node.epoch, node.id, JSON.stringify(node));
  }

  #changeGraph(id: string, changes: Partial<GraphRow>): void {
    const inserted = this.#graphInserts.get(id);
    if (inserted) return void Object.assign(inserted, changes);
    const before = this.#graphChanges.get(id);
    if (before) before.changes = merged(before.changes, changes);
    else this.#graphChanges.set(id, { key: [id], changes });
  }

  #holds({ graphId, fence }: Transition, state: GraphState): boolean {
    if (!fence) return true;
    if (state.epoch !== fence.epoch || !fence.phases.includes(state.phase)) return false;
    if (fence.seq !== undefined && fence.seq !== state.seq) return false;
    if (!fence.node) return true;
    this.flush();
    const node = this.#database
      .sql("SELECT status, attempt FROM node WHERE graph_id = ? AND id = ?")
      .get(graphId, fence.node.id);
    return (
      node !== undefined &&
      node["attempt"] === fence.node.attempt &&
      fence.node.status.includes(node["status"] as NodeRow["status"])
    );
  }
}

/** Sets all fields at once, because adding one later costs more than the rest. Absent fields stay absent. */
function numbered({ graphId, type, node, timestampMs, data }: NewEvent, seq: number): GraphEvent {
  if (node === undefined)
    return data === undefined ? { graphId, seq, type, timestampMs } : { graphId, seq, type, timestampMs, data };
  return data === undefined
    ? { graphId, seq, type, timestampMs, node }
    : { graphId, seq, type, timestampMs, node, data };
}

/** Checks first, which is cheaper than a new object: the later change usually has all columns of the earlier one. */
function merged(earlier: Changes, later: Changes): Changes {
  for (const name in earlier) if (!(name in later)) return { ...earlier, ...later };
  return later;
}

/** Written out for speed: `flat` and `flatMap` take longer than the rest of the work for a row. */
function joined<T>(lists: readonly Iterable<T>[]): T[] {
  const all: T[] = [];
  for (const list of lists) for (const item of list) all.push(item);
  return all;
}
