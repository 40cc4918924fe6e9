/**
 * Many units in few statements. Units that meet in one transaction are checked one after the other against the rows as the
 * units before them leave them; what they change is gathered, the last value of a column winning, and written table by
 * table. A statement takes all its rows as one JSON array: the cost is in the number of statements, not of rows.
 */
import type { GraphEvent, GraphRow, NodeRow } from "../graph-rows.ts";
import type { Unit } from "../unit.ts";
import { ARTIFACT_COLUMNS, GRAPH_COLUMNS, NODE_COLUMNS, SIGNAL_COLUMNS, type Columns } from "../columns.ts";
import type { Database } from "./database.ts";
import { insertAudit } from "./control.ts";
import type { Value } from "../row.ts";
import { writeEvents } from "./event-runs.ts";
import type { GraphState, GraphStates } from "./graph-states.ts";
import { toShortColumn } from "./long-columns.ts";
import { Payloads } from "./payloads.ts";
import { countGraphs, type Counted } from "./totals.ts";
import { insertDelivery } from "./webhooks.ts";

type Changes = Record<string, unknown>;

/** The key that rows are found by. */
const GRAPH_KEY = ["id"];
const NODE_KEY = ["graphId", "id"];

export class UnitBatch {
  readonly #database: Database;
  readonly #payloads: Payloads;
  readonly #states: GraphStates;
  #graphInserts = new Map<string, Changes>();
  #graphChanges = new Map<string, Changes>();
  #nodeInserts = new Map<string, NodeRow>();
  #nodeChanges = new Map<string, Changes>();
  #events = new Map<GraphState, GraphEvent[]>();
  #outbox: NonNullable<Unit["outbox"]> = [];
  /** Graphs that were changed in any way. */
  #touched = new Set<GraphState>();
  /** Graphs that are new, or have another status. */
  #moved = new Set<Counted>();

  /** @param units those that will be added: their graphs are read in one go. */
  constructor(database: Database, states: GraphStates, units: readonly Unit[]) {
    this.#database = database;
    this.#payloads = new Payloads(database);
    this.#states = states;
    // Of one that is to be inserted there is nothing to read, or else SQLite refuses it.
    states.read(units.flatMap(({ graphId, insert }) => (insert ? [] : [graphId])));
  }

  /** @returns the unit's events with their numbers, or undefined when its fence did not hold. */
  add(unit: Unit): GraphEvent[] | undefined {
    if (unit.insert) this.#insertGraph(unit.insert);
    const state = this.#states.get(unit.graphId);
    if (!state || !this.#holds(unit, state)) return undefined;
    this.#touched.add(state);
    if (unit.deleteNodes?.length) this.#deleteNodes(unit.graphId, unit.deleteNodes);
    for (const node of unit.insertNodes ?? []) this.#insertNode(node);
    for (const node of unit.nodes ?? []) this.#changeNode(unit.graphId, node);
    this.#outbox.push(...(unit.outbox ?? []));
    // Few units have these, so they go straight in.
    for (const node of unit.pastNodes ?? []) this.#keep(node);
    insertAudit(this.#database, unit.audit);
    for (const { graphId, name } of unit.artifacts ?? [])
      this.#database.sql("DELETE FROM artifact WHERE graph_id = ? AND id = ?").run(graphId, name);
    if (unit.artifacts) this.#insert("artifact", ARTIFACT_COLUMNS, unit.artifacts);
    if (unit.signals) this.#insert("signal", SIGNAL_COLUMNS, unit.signals);
    for (const { seq, node } of unit.takenSignals ?? [])
      this.#database.sql("UPDATE signal SET node = ? WHERE graph_id = ? AND seq = ?").run(node, unit.graphId, seq);
    const events = (unit.events ?? []).map((event) => ({ ...event, seq: ++state.seq }));
    if (events.length > 0) this.#addEvents(state, events);
    if (unit.graph) this.#follow(state, unit.graph);
    if (unit.graph) this.#changeGraph(unit.graphId, unit.graph);
    return events;
  }

  #addEvents(state: GraphState, events: GraphEvent[]): void {
    const before = this.#events.get(state);
    if (before) before.push(...events);
    // Its own, since more may be added to it.
    else this.#events.set(state, [...events]);
    state.recent = events;
  }

  /** Writes what was gathered. @throws what SQLite throws, such as a key that is there already. */
  flush(): void {
    this.#insert("graph", GRAPH_COLUMNS, [...this.#graphInserts.values()]);
    this.#insert("node", NODE_COLUMNS, [...this.#nodeInserts.values()]);
    this.#update("node", NODE_COLUMNS, NODE_KEY, [...this.#nodeChanges.values()]);
    writeEvents(this.#database, this.#events.values());
    this.#events.clear();
    this.#update("graph", GRAPH_COLUMNS, GRAPH_KEY, [...this.#graphChanges.values()]);
    countGraphs(this.#database, this.#moved);
    for (const row of this.#outbox) insertDelivery(this.#database, row);
    this.#graphInserts.clear();
    this.#graphChanges.clear();
    this.#nodeInserts.clear();
    this.#nodeChanges.clear();
    this.#moved.clear();
    this.#outbox = [];
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

  #insertNode(node: NodeRow): void {
    const key = nodeKey(node.graphId, node.id);
    if (this.#nodeInserts.has(key) || this.#nodeChanges.has(key)) this.flush();
    this.#nodeInserts.set(key, { ...node });
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

  #changeGraph(id: string, changes: Changes): void {
    const inserted = this.#graphInserts.get(id) ?? this.#graphChanges.get(id);
    if (inserted) Object.assign(inserted, changes);
    else this.#graphChanges.set(id, { ...changes, id });
  }

  #changeNode(graphId: string, changes: Partial<NodeRow> & { id: string }): void {
    const key = nodeKey(graphId, changes.id);
    const inserted = this.#nodeInserts.get(key);
    if (inserted) return void Object.assign(inserted, changes);
    const before = this.#nodeChanges.get(key);
    if (before) Object.assign(before, changes);
    else this.#nodeChanges.set(key, { ...changes, graphId });
  }

  #holds({ graphId, fence }: Unit, state: GraphState): boolean {
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

  #insert(table: string, columns: Columns, records: readonly object[]): void {
    if (records.length === 0) return;
    // A column that all leave empty would cost as much as one that is full.
    const keys = Object.keys(columns).filter((key) =>
      records.some((record) => (record as Record<string, unknown>)[key] !== undefined),
    );
    const names = keys.map((key) => columns[key]?.[0]).join(", ");
    const values = keys.map((_, at) => `value ->> ${at}`).join(", ");
    this.#database
      .sql(`INSERT INTO ${table} (${names}) SELECT ${values} FROM json_each(?)`)
      .run(this.#rowsOf(columns, keys, records));
  }

  /** One statement for all records that change the same columns. */
  #update(table: string, columns: Columns, keyNames: readonly string[], records: readonly Changes[]): void {
    const groups = new Map<string, Changes[]>();
    const all = Object.keys(columns).filter((key) => !keyNames.includes(key));
    for (const record of records) {
      const shape = all.filter((key) => key in record).join();
      const alike = groups.get(shape);
      if (alike) alike.push(record);
      else groups.set(shape, [record]);
    }
    // A change that names no column changes nothing.
    groups.delete("");
    for (const [shape, alike] of groups) this.#updateAlike(table, columns, [...keyNames], shape.split(","), alike);
  }

  #updateAlike(table: string, columns: Columns, keyNames: string[], names: string[], records: Changes[]): void {
    const column = (key: string): string => columns[key]?.[0] ?? key;
    const sets = names.map((key, at) => `${column(key)} = given.value ->> ${keyNames.length + at}`).join(", ");
    const found = keyNames.map((key, at) => `${table}.${column(key)} = given.value ->> ${at}`).join(" AND ");
    this.#database
      .sql(`UPDATE ${table} SET ${sets} FROM json_each(?) AS given WHERE ${found}`)
      .run(this.#rowsOf(columns, [...keyNames, ...names], records));
  }

  /** `[[column, …], …]` as JSON text. */
  #rowsOf(columns: Columns, keys: readonly string[], records: readonly object[]): string {
    const rows: Value[][] = records.map((record) =>
      keys.map((key) => toShortColumn(this.#payloads, columns, key, record)),
    );
    return JSON.stringify(rows);
  }
}

function nodeKey(graphId: string, id: string): string {
  return `${graphId}\n${id}`;
}
