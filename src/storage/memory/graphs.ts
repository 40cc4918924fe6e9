/** Graphs, nodes and events in memory: for tests, and as the reference the other stores are compared with. */
import { GRAPH_STATUSES, type GraphStatus } from "../../platform/shared/wire.ts";
import {
  CHILD_KEYS,
  hasEnded,
  HEAD_KEYS,
  type ChildRow,
  type GraphEvent,
  type GraphHead,
  type GraphRow,
  type ListedGraph,
  type NodeHead,
  type NodeRow,
  type SignalRow,
  type StoredGraph,
} from "../contract/graph-rows.ts";
import type { GraphStore } from "../contract/graph-store.ts";
import type { Durations, GraphQuery, Page, PurgeQuery, PurgeStep, TagCounts } from "../contract/queries.ts";
import type { Transition } from "../contract/unit.ts";
import type { MemoryAudit } from "./control.ts";
import type { MemoryWebhooks } from "./webhooks.ts";
import { TransitionChains } from "../contract/transition-chains.ts";
import type { ArtifactRow } from "../contract/artifacts.ts";
import { MemoryArtifacts } from "./artifacts.ts";
import { EventListeners, type AnyListener, type EventListener } from "../contract/listeners.ts";
import {
  durationOf,
  idRange,
  isPlain,
  isPurgeable,
  matches,
  MAX_LOOKED,
  MAX_TOTAL,
  newestDurations,
} from "../contract/graph-query.ts";
import { pageLimit } from "../contract/page.ts";
import { purgeAsked } from "../contract/purge-slice.ts";
import { tagCountsOf } from "../contract/tag-counts.ts";

const DEFAULT_EVENT_LIMIT = 1000;

export class MemoryGraphs implements GraphStore {
  readonly #graphs = new Map<string, GraphRow>();
  readonly #nodes = new Map<string, Map<string, NodeRow>>();
  readonly #pastNodes = new Map<string, NodeRow[]>();
  readonly #signals = new Map<string, SignalRow[]>();
  readonly #artifacts = new MemoryArtifacts();
  readonly #events = new Map<string, GraphEvent[]>();
  readonly #listeners = new EventListeners();
  readonly #lines = new TransitionChains();
  readonly #webhooks: MemoryWebhooks;
  readonly #audit: MemoryAudit;

  constructor(webhooks: MemoryWebhooks, audit: MemoryAudit) {
    this.#webhooks = webhooks;
    this.#audit = audit;
  }

  async commit(unit: Transition): Promise<boolean> {
    // A commit takes a turn, as a durable one does, and is checked when it is written, not when it was asked for.
    await new Promise<void>((resolve) => setImmediate(resolve));
    const { outboxAgain: _, ...rows } = unit;
    const copy: Transition = structuredClone(rows);
    if (copy.insert) this.#insert(copy.insert);
    if (this.#lines.isBroken(unit) || !this.#holds(copy)) {
      this.#lines.break(unit);
      return false;
    }
    const graph = this.#graphs.get(copy.graphId) as GraphRow;
    this.#applyNodes(copy);
    Object.assign(graph, copy.graph);
    if (copy.artifacts) this.#artifacts.add(copy.artifacts);
    if (copy.dropsUploads) this.#artifacts.dropLoose(copy.graphId);
    if (copy.signals || copy.takenSignals) this.#keepSignals(copy);
    const events = this.#append(copy);
    if (events.length > 0)
      this.#listeners.tell(copy.graphId, this.#listeners.has(copy.graphId) ? structuredClone(events) : []);
    if (copy.outbox?.length) this.#webhooks.insertDeliveries(copy.outbox);
    if (copy.pastNodes)
      this.#pastNodes.set(copy.graphId, [...(this.#pastNodes.get(copy.graphId) ?? []), ...copy.pastNodes]);
    this.#audit.insert([copy.audit]);
    return true;
  }

  #insert(row: GraphRow): void {
    const isKnown = row.idempotencyKey !== undefined && this.#withKey(row.worker, row.idempotencyKey) !== undefined;
    if (this.#graphs.has(row.id) || isKnown) throw new Error(`UNIQUE constraint failed: graph ${row.id}`);
    this.#graphs.set(row.id, row);
    this.#nodes.set(row.id, new Map());
    this.#events.set(row.id, []);
  }

  #holds({ graphId, fence }: Transition): boolean {
    const graph = this.#graphs.get(graphId);
    if (!graph) return false;
    if (!fence) return true;
    if (graph.epoch !== fence.epoch || !fence.phases.includes(graph.phase)) return false;
    if (fence.seq !== undefined && fence.seq !== this.#lastSeq(graphId)) return false;
    if (!fence.node) return true;
    const node = this.#nodes.get(graphId)?.get(fence.node.id);
    return node !== undefined && node.attempt === fence.node.attempt && fence.node.status.includes(node.status);
  }

  #applyNodes(unit: Transition): void {
    const nodes = this.#nodes.get(unit.graphId) as Map<string, NodeRow>;
    for (const id of unit.deleteNodes ?? []) nodes.delete(id);
    for (const node of unit.insertNodes ?? []) {
      if (nodes.has(node.id)) throw new Error(`UNIQUE constraint failed: node ${node.id}`);
      nodes.set(node.id, node);
    }
    for (const change of unit.nodes ?? []) {
      const node = nodes.get(change.id);
      if (node) Object.assign(node, change);
    }
  }

  #append(unit: Transition): GraphEvent[] {
    const log = this.#events.get(unit.graphId) as GraphEvent[];
    const events = (unit.events ?? []).map((event, at) => ({ ...event, seq: log.length + at + 1 }));
    log.push(...events);
    return events;
  }

  async graph(id: string): Promise<GraphRow | undefined> {
    return structuredClone(this.#graphs.get(id));
  }

  async byIdempotencyKey(worker: string, key: string): Promise<GraphRow | undefined> {
    return structuredClone(this.#withKey(worker, key));
  }

  #withKey(worker: string, key: string): GraphRow | undefined {
    return [...this.#graphs.values()].find((row) => row.worker === worker && row.idempotencyKey === key);
  }

  async load(ids: readonly string[]): Promise<StoredGraph[]> {
    return ids.flatMap((id) => {
      const row = this.#graphs.get(id);
      if (!row) return [];
      const nodes = [...(this.#nodes.get(id)?.values() ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1));
      const signals = (this.#signals.get(id) ?? []).filter(({ node }) => node === undefined);
      return [structuredClone({ row, nodes, lastSeq: this.#lastSeq(id), signals })];
    });
  }

  async heads(ids: readonly string[]): Promise<ListedGraph[]> {
    return (await this.load(ids)).map(({ row, nodes, lastSeq }) => ({ row, nodes: nodes.map(headOf), lastSeq }));
  }

  async pastNodes(graphId: string): Promise<NodeRow[]> {
    const rows = [...(this.#pastNodes.get(graphId) ?? [])];
    return structuredClone(rows.sort((a, b) => a.epoch - b.epoch || (a.id < b.id ? -1 : 1)));
  }

  async writePart(graphId: string, upload: string, at: number, data: Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#artifacts.writePart(graphId, upload, at, data);
  }

  async part(graphId: string, upload: string, at: number): Promise<Uint8Array | undefined> {
    return this.#artifacts.part(graphId, upload, at);
  }

  async dropParts(graphId: string, upload: string): Promise<void> {
    this.#artifacts.dropParts(graphId, upload);
  }

  async artifacts(graphId: string): Promise<ArtifactRow[]> {
    return this.#artifacts.artifacts(graphId);
  }

  async hasSignal(graphId: string, key: string): Promise<boolean> {
    return (this.#signals.get(graphId) ?? []).some((row) => row.key === key);
  }

  #keepSignals({ graphId, signals, takenSignals }: Transition): void {
    const rows = [...(this.#signals.get(graphId) ?? []), ...(signals ?? [])];
    for (const { seq, node } of takenSignals ?? []) for (const row of rows) if (row.seq === seq) row.node = node;
    this.#signals.set(graphId, rows);
  }

  async children(graphIds: readonly string[]): Promise<ChildRow[]> {
    const parents: readonly unknown[] = graphIds;
    const rows = [...this.#graphs.values()].filter((row) => parents.includes(row.parentGraph));
    return rows.sort((a, b) => (a.id < b.id ? -1 : 1)).map((row) => part(row, CHILD_KEYS));
  }

  async events(graphId: string, afterSeq: number, limit = DEFAULT_EVENT_LIMIT): Promise<GraphEvent[]> {
    return structuredClone((this.#events.get(graphId) ?? []).slice(afterSeq, afterSeq + limit));
  }

  #lastSeq(graphId: string): number {
    return this.#events.get(graphId)?.length ?? 0;
  }

  onEvents(graphId: string, listener: EventListener): () => void {
    return this.#listeners.add(graphId, listener);
  }

  onAnyEvents(listener: AnyListener): () => void {
    return this.#listeners.addToAll(listener);
  }

  async unfinished(after: string, limit: number): Promise<string[]> {
    const rows = [...this.#graphs.values()].filter((row) => !hasEnded(row));
    const ids = rows.map(({ id }) => id).filter((id) => id > after);
    return ids.sort().slice(0, limit);
  }

  async waiting(limit: number): Promise<string[]> {
    const running = [...this.#graphs.values()].filter(({ status }) => status === "running").map(({ id }) => id);
    const isWaiting = (id: string): boolean =>
      [...(this.#nodes.get(id)?.values() ?? [])].some(({ kind, status }) => kind === "wait" && status === "waiting");
    return running.sort().slice(0, MAX_LOOKED).filter(isWaiting).slice(0, limit);
  }

  #matching(query: GraphQuery): GraphRow[] {
    return [...this.#graphs.values()].filter((row) => matches(query, row)).sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  async durations(query: GraphQuery, nowMs: number): Promise<Durations> {
    const all = this.#matching(query).flatMap((row) => durationOf(row, nowMs) ?? []);
    return newestDurations(query, all);
  }

  async tagCounts(query: GraphQuery): Promise<TagCounts> {
    const all = this.#matching(query);
    return tagCountsOf(all.slice(0, MAX_LOOKED), all.length <= MAX_LOOKED);
  }

  async list(query: GraphQuery): Promise<Page<GraphHead>> {
    const matching = this.#matching(query);
    const { to } = idRange(query, query.cursor);
    const rest = matching.filter((row) => row.id < to);
    const limit = pageLimit(query.limit);
    const total = isPlain(query) ? matching.length : Math.min(matching.length, MAX_TOTAL);
    const items = rest.slice(0, limit).map((row) => part(row, HEAD_KEYS));
    return { items, total, nextCursor: rest.length > limit ? items.at(-1)?.id : undefined };
  }

  async workers(): Promise<string[]> {
    return [...new Set([...this.#graphs.values()].map((row) => row.worker))].sort();
  }

  async purge(query: PurgeQuery): Promise<PurgeStep> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    const { after, limit } = purgeAsked(query);
    const candidates = [...this.#graphs.values()]
      .filter((row) => isPurgeable(query, row) && row.id > after)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit);
    const gone = candidates.filter((row) => this.#isFree(row, query.finishedBeforeMs));
    for (const { id } of gone) this.#remove(id);
    return { deleted: gone.length, next: candidates.length < limit ? undefined : candidates.at(-1)?.id };
  }

  /** Nobody waits for it, and nothing of it is still to be sent. */
  #isFree({ id, finishedMs, parentGraph }: GraphRow, beforeMs: number): boolean {
    const parent = parentGraph === undefined ? undefined : this.#graphs.get(parentGraph);
    const isAwaited = parent !== undefined && !hasEnded(parent);
    return finishedMs !== undefined && finishedMs < beforeMs && !isAwaited && !this.#webhooks.hasPending(id);
  }

  #remove(id: string): void {
    for (const rows of [this.#graphs, this.#nodes, this.#pastNodes, this.#events, this.#signals]) rows.delete(id);
    this.#artifacts.delete(id);
    this.#webhooks.removeOf(id);
  }

  async countByStatus(): Promise<Record<GraphStatus, number>> {
    const counts = Object.fromEntries(GRAPH_STATUSES.map((status) => [status, 0])) as Record<GraphStatus, number>;
    for (const row of this.#graphs.values()) counts[row.status]++;
    return counts;
  }
}

function headOf({ input: _input, result, state: _state, ...node }: NodeRow): NodeHead {
  const bytes = Buffer.byteLength(JSON.stringify(result ?? null));
  return { ...node, resultBytes: result === undefined || result === null ? undefined : bytes };
}

function part<Key extends keyof GraphRow>(row: GraphRow, keys: readonly Key[]): Pick<GraphRow, Key> {
  return structuredClone(Object.fromEntries(keys.map((key) => [key, row[key]])) as Pick<GraphRow, Key>);
}
