/**
 * Many units in few statements. Units that meet in one transaction are checked one after the other against the rows as the
 * units before them leave them; what they change is gathered, the last value of a column winning, and written table by
 * table (table-writer.ts).
 */
import type { GraphEvent, GraphRow, NewEvent, NodeRow } from "../../contract/graph-rows.ts";
import type { Transition } from "../../contract/unit.ts";
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

/** Nodes of one graph that are new, and what changes in others, by id. Most units have but one of them. */
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
  /** Graphs that were changed in any way. */
  #touched = new Set<GraphState>();
  /** Graphs that are new, or have another status. */
  #moved = new Set<Counted>();

  /** @param units those that will be added: their graphs are read in one go. */
  constructor(database: Database, outbox: Outbox, states: GraphStates, units: readonly Transition[]) {
    this.#database = database;
    this.#outbox = outbox;
    this.#payloads = new Payloads(database);
    this.#states = states;
    // Of one that is to be inserted there is nothing to read, or else SQLite refuses it.
    const ids: string[] = [];
    for (const { graphId, insert } of units) if (!insert) ids.push(graphId);
    states.read(ids);
  }

  /** @returns the unit's events with their numbers, or undefined when its fence did not hold. */
  add(unit: Transition): GraphEvent[] | undefined {
    if (unit.insert) this.#insertGraph(unit.insert);
    const state = this.#states.get(unit.graphId);
    if (!state || !this.#holds(unit, state)) return undefined;
    this.#touched.add(state);
    if (unit.deleteNodes?.length) this.#deleteNodes(unit.graphId, unit.deleteNodes);
    if (unit.insertNodes || unit.nodes) this.#editNodes(unit);
    if (unit.outbox) this.#deliveries.push(...unit.outbox);
    this.#writeRest(unit);
    const events: GraphEvent[] = [];
    for (const event of unit.events ?? []) events.push(numbered(event, ++state.seq));
    if (events.length > 0) this.#addEvents(state, events);
    if (unit.graph) this.#follow(state, unit.graph);
    if (unit.graph) this.#changeGraph(unit.graphId, unit.graph);
    return events;
  }

  /** What few units have goes straight in. */
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

  /** Writes what was gathered. @throws what SQLite throws, such as a key that is there already. */
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
    countGraphs(this.#database, this.#moved);
    this.#outbox.insert(this.#deliveries);
    this.#graphInserts.clear();
    this.#graphChanges.clear();
    this.#nodes.clear();
    this.#moved.clear();
    this.#deliveries = [];
  }

  /** Once, after the last unit. */
  end(): void {
    this.flush();
    for (const state of this.#touched) this.#states.settle(state);
  }

  #follow(state: GraphState, { epoch = state.epoch, phase = state.phase, status }: Partial<GraphRow>): void {
    state.epoch = epoch;
    state.phase = phase;
    if (status === undefined || status === state.counted.status) return;
    state.counted.status = status;
    this.#moved.add(state.counted);
  }

  #insertGraph(row: GraphRow): void {
    // A second row of this id is for SQLite to refuse, together with every other key that must be alone.
    if (this.#states.get(row.id)) this.flush();
    this.#graphInserts.set(row.id, { ...row });
    const { id, worker, status } = row;
    const counted = { id, worker, status, tags: JSON.stringify(row.tags), stored: undefined };
    this.#states.add({ epoch: row.epoch, phase: row.phase, seq: 0, counted, recent: [] });
    this.#moved.add(counted);
  }

  #editNodes({ graphId, insertNodes = [], nodes = [] }: Transition): void {
    const edits = this.#editsOf(graphId);
    if (insertNodes.some(({ id }) => edits.inserts?.has(id) || edits.changes?.has(id))) {
      // A second row of an id is for SQLite to refuse.
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

  /** Units stay as they are: one by one they may have to be written again. */
  #changeNode(edits: NodeEdits, graphId: string, changes: Partial<NodeRow> & { id: string }): void {
    const { id } = changes;
    const inserted = edits.inserts?.get(id);
    if (inserted) return void edits.inserts?.set(id, { ...inserted, ...changes });
    const before = edits.changes?.get(id);
    if (before) before.changes = merged(before.changes, changes);
    else (edits.changes ??= new Map()).set(id, { key: [graphId, id], changes });
  }

  #deleteNodes(graphId: string, ids: readonly string[]): void {
    // What the units before have said of these nodes comes first.
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

/** All fields at once: one that is added later costs more than the rest. Those that are absent stay so. */
function numbered({ graphId, type, node, timestampMs, data }: NewEvent, seq: number): GraphEvent {
  if (node === undefined)
    return data === undefined ? { graphId, seq, type, timestampMs } : { graphId, seq, type, timestampMs, data };
  return data === undefined
    ? { graphId, seq, type, timestampMs, node }
    : { graphId, seq, type, timestampMs, node, data };
}

/** Most often the later says all that the earlier did, as where a node is ready and begins at once; a new object costs more than to look. */
function merged(earlier: Changes, later: Changes): Changes {
  for (const name in earlier) if (!(name in later)) return { ...earlier, ...later };
  return later;
}

/** By hand: `flat` and `flatMap` take longer than all else that is done with a row here. */
function joined<T>(lists: readonly Iterable<T>[]): T[] {
  const all: T[] = [];
  for (const list of lists) for (const item of list) all.push(item);
  return all;
}
