/** Graphs, nodes and events in SQLite. */
import { GRAPH_STATUSES, type GraphStatus } from "../../shared/wire.ts";
import type { GraphEvent, GraphQuery, GraphRow, GraphStore, NewEvent, NodeRow, Page, Unit } from "../contract.ts";
import { pageLimit } from "../page.ts";
import {
  GRAPH_COLUMNS,
  insertSql,
  insertValues,
  NODE_COLUMNS,
  toColumn,
  toEvent,
  toGraph,
  toNode,
  type Columns,
} from "./columns.ts";
import type { Database } from "./database.ts";
import type { Value } from "./driver.ts";
import { insertDelivery } from "./webhooks.ts";

const INSERT_GRAPH = insertSql("graph", GRAPH_COLUMNS);
const INSERT_NODE = insertSql("node", NODE_COLUMNS);
const INSERT_EVENT = "INSERT INTO event (graph_id, seq, type, node, timestamp_ms, data) VALUES (?, ?, ?, ?, ?, ?)";
const DEFAULT_EVENT_LIMIT = 1000;

export class SqliteGraphs implements GraphStore {
  readonly #database: Database;
  readonly #onOutbox: () => void;
  readonly #listeners = new Set<(events: GraphEvent[]) => void>();

  constructor(database: Database, onOutbox: () => void) {
    this.#database = database;
    this.#onOutbox = onOutbox;
  }

  async commit(unit: Unit): Promise<boolean> {
    const written = await this.#database.write(() => this.#apply(unit));
    if (!written) return false;
    if (written.length > 0) for (const listener of this.#listeners) listener(written);
    if (unit.outbox?.length) this.#onOutbox();
    return true;
  }

  /** Inside the transaction. @returns the events with their numbers, or undefined when the fence did not hold. */
  #apply(unit: Unit): GraphEvent[] | undefined {
    if (unit.insert) this.#database.sql(INSERT_GRAPH).run(...insertValues(GRAPH_COLUMNS, unit.insert));
    const state = this.#database.sql("SELECT epoch, phase, seq FROM graph WHERE id = ?").get(unit.graphId);
    if (!state || !this.#holds(unit, state)) return undefined;
    for (const node of unit.insertNodes ?? []) this.#database.sql(INSERT_NODE).run(...insertValues(NODE_COLUMNS, node));
    for (const { id, ...changes } of unit.nodes ?? [])
      this.#update("node", NODE_COLUMNS, changes, "graph_id = ? AND id = ?", [unit.graphId, id]);
    for (const row of unit.outbox ?? []) insertDelivery(this.#database, row);
    const events = this.#append(unit.graphId, Number(state["seq"]), unit.events ?? []);
    const changes = unit.graph ?? {};
    this.#update("graph", GRAPH_COLUMNS, changes, "id = ?", [unit.graphId]);
    return events;
  }

  #holds({ graphId, fence }: Unit, state: Record<string, Value>): boolean {
    if (!fence) return true;
    if (state["epoch"] !== fence.epoch || !fence.phases.includes(state["phase"] as GraphRow["phase"])) return false;
    if (!fence.node) return true;
    const node = this.#database
      .sql("SELECT status, attempt FROM node WHERE graph_id = ? AND id = ?")
      .get(graphId, fence.node.id);
    return (
      node !== undefined &&
      node["attempt"] === fence.node.attempt &&
      fence.node.status.includes(node["status"] as NodeRow["status"])
    );
  }

  #update(table: string, columns: Columns, changes: object, where: string, key: Value[]): void {
    const keys = Object.keys(changes);
    if (keys.length === 0) return;
    const assignments = keys.map((name) => `${columns[name]?.[0]} = ?`).join(", ");
    const values = keys.map((name) => toColumn(columns, name, (changes as Record<string, unknown>)[name]));
    this.#database.sql(`UPDATE ${table} SET ${assignments} WHERE ${where}`).run(...values, ...key);
  }

  #append(graphId: string, lastSeq: number, events: readonly NewEvent[]): GraphEvent[] {
    if (events.length === 0) return [];
    this.#database.sql("UPDATE graph SET seq = ? WHERE id = ?").run(lastSeq + events.length, graphId);
    return events.map((event, at) => {
      const seq = lastSeq + at + 1;
      const data = event.data === undefined ? null : JSON.stringify(event.data);
      this.#database.sql(INSERT_EVENT).run(graphId, seq, event.type, event.node ?? null, event.timestampMs, data);
      return { ...event, seq };
    });
  }

  graph(id: string): GraphRow | undefined {
    const row = this.#database.sql("SELECT * FROM graph WHERE id = ?").get(id);
    return row && toGraph(row);
  }

  byIdempotencyKey(worker: string, key: string): GraphRow | undefined {
    const row = this.#database.sql("SELECT * FROM graph WHERE worker = ? AND idempotency_key = ?").get(worker, key);
    return row && toGraph(row);
  }

  nodes(graphId: string): NodeRow[] {
    return this.#database.sql("SELECT * FROM node WHERE graph_id = ? ORDER BY id").all(graphId).map(toNode);
  }

  events(graphId: string, afterSeq: number, limit = DEFAULT_EVENT_LIMIT): GraphEvent[] {
    return this.#database
      .sql("SELECT * FROM event WHERE graph_id = ? AND seq > ? ORDER BY seq LIMIT ?")
      .all(graphId, afterSeq, limit)
      .map(toEvent);
  }

  lastSeq(graphId: string): number {
    return Number(this.#database.sql("SELECT seq FROM graph WHERE id = ?").get(graphId)?.["seq"] ?? 0);
  }

  onEvents(listener: (events: GraphEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  unfinished(): GraphRow[] {
    return this.#database
      .sql("SELECT * FROM graph WHERE phase NOT IN ('done', 'failed') ORDER BY id")
      .all()
      .map(toGraph);
  }

  list(query: GraphQuery): Page<GraphRow> {
    const conditions: string[] = [];
    const values: Value[] = [];
    const add = (condition: string, value: Value | undefined): void => {
      if (value === undefined) return;
      conditions.push(condition);
      values.push(value);
    };
    add("worker = ?", query.worker);
    add("status = ?", query.status);
    add("EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)", query.tag);
    add("created_ms >= ?", query.sinceMs);
    const where = (extra: string[]): string =>
      conditions.length + extra.length ? `WHERE ${[...conditions, ...extra].join(" AND ")}` : "";
    const total = Number(
      this.#database.sql(`SELECT count(*) AS total FROM graph ${where([])}`).get(...values)?.["total"],
    );
    const limit = pageLimit(query.limit);
    const older = query.cursor === undefined ? [] : ["id < ?"];
    const rows = this.#database
      .sql(`SELECT * FROM graph ${where(older)} ORDER BY id DESC LIMIT ?`)
      .all(...values, ...(query.cursor === undefined ? [] : [query.cursor]), limit + 1)
      .map(toGraph);
    const items = rows.slice(0, limit);
    return { items, total, nextCursor: rows.length > limit ? items.at(-1)?.id : undefined };
  }

  countByStatus(): Record<GraphStatus, number> {
    const counts = Object.fromEntries(GRAPH_STATUSES.map((status) => [status, 0])) as Record<GraphStatus, number>;
    for (const row of this.#database.sql("SELECT status, count(*) AS total FROM graph GROUP BY status").all()) {
      counts[row["status"] as GraphStatus] = Number(row["total"]);
    }
    return counts;
  }
}
