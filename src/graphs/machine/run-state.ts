/**
 * The rows of one graph in memory, and what can be told of them at a glance: which nodes of the definition are done, what
 * they came to. Decides nothing; that is machine.ts.
 */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { NodeRow, NodeStatus } from "../../storage/contract/graph-rows.ts";
import { definitionName, isInner } from "./step-id.ts";
import { nodeHasEnded } from "./node-rows.ts";
import type { GraphDefinition, NodeDefinition } from "../definition/definition-types.ts";

/** The items of a fan-out, once they are known. */
interface Items {
  /** In item order. */
  readonly rows: readonly NodeRow[];
  /** Place of the first that may not have had its turn yet. */
  next: number;
  /** Ready, running, or waiting for a retry. */
  active: number;
}

const ACTIVE: readonly NodeStatus[] = ["ready", "running", "retrying", "waiting"];

export class Mirror {
  readonly definition: GraphDefinition;
  readonly #nodes: Map<string, NodeRow>;
  readonly #items = new Map<string, Items>();
  /** Rows of a definition's node that have not ended yet; absent before a fan-out is known. */
  readonly #left = new Map<string, number>();
  /** Inner nodes by the id of the definition's node, or item, that holds them, at whatever depth. */
  readonly #inner = new Map<string, NodeRow[]>();
  /** Nodes that run. */
  running: number;

  constructor(nodes: readonly NodeRow[], definition: GraphDefinition) {
    this.definition = definition;
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
    this.running = this.withStatus("running").length;
    for (const node of nodes) if (isInner(node.id)) this.#noteInner(node);
    this.count();
  }

  /** Counts anew, after rows have changed in other ways than by coming to an end. */
  count(): void {
    this.#left.clear();
    this.#items.clear();
    for (const node of this.definition.nodes) this.#count(node);
  }

  #count(definition: NodeDefinition): void {
    const own = this.#nodes.get(definition.name);
    if (!definition.map)
      return void this.#left.set(definition.name, own && nodeHasEnded(own, definition.mayFail) ? 0 : 1);
    // Of a fan-out there is a row of its own where it was skipped.
    if (own?.status === "skipped") return void this.#left.set(definition.name, 0);
    const prefix = `${definition.name}/`;
    const items = this.all().filter((node) => node.id.startsWith(prefix) && !isInner(node.id));
    if (items.length > 0) this.#setItems(definition, items);
  }

  #setItems(definition: NodeDefinition, items: NodeRow[]): void {
    const { name } = definition;
    const rows = items.sort((a, b) => itemNumber(a.id) - itemNumber(b.id));
    this.#items.set(name, { rows, next: 0, active: rows.filter(({ status }) => ACTIVE.includes(status)).length });
    this.#left.set(name, rows.filter((node) => !nodeHasEnded(node, definition.mayFail)).length);
  }

  get(id: string): NodeRow | undefined {
    return this.#nodes.get(id);
  }

  all(): NodeRow[] {
    return [...this.#nodes.values()];
  }

  #noteInner(row: NodeRow): void {
    const holder = holderOf(row.id);
    const rows = this.#inner.get(holder);
    if (rows) rows.push(row);
    else this.#inner.set(holder, [row]);
  }

  addInner(row: NodeRow): void {
    this.#nodes.set(row.id, row);
    this.#noteInner(row);
  }

  /** Inner nodes of a node, and what they hold themselves. */
  innerOf(nodeId: string): NodeRow[] {
    const rows = this.#inner.get(holderOf(nodeId)) ?? [];
    return rows.length === 0 ? rows : rows.filter((row) => row.id.startsWith(`${nodeId}#`));
  }

  /** Nodes of a call over items, in item order. */
  itemsOf(callId: string): NodeRow[] {
    const prefix = `${callId}/`;
    const rows = (this.#inner.get(holderOf(callId)) ?? []).filter(
      ({ id }) => id.startsWith(prefix) && !isInner(id.slice(prefix.length)),
    );
    return rows.sort((a, b) => itemNumber(a.id) - itemNumber(b.id));
  }

  withStatus(status: NodeStatus): NodeRow[] {
    return this.all().filter((node) => node.status === status);
  }

  /** To be counted anew afterwards. */
  remove(ids: readonly string[]): void {
    for (const id of ids) this.#nodes.delete(id);
    this.#inner.clear();
    for (const node of this.all()) if (isInner(node.id)) this.#noteInner(node);
  }

  /** Whether the items of a fan-out are known. */
  isExpanded(name: string): boolean {
    return this.#items.has(name);
  }

  /** The items of a fan-out have become known. */
  addItems(definition: NodeDefinition, rows: NodeRow[]): void {
    for (const row of rows) this.#nodes.set(row.id, row);
    this.#setItems(definition, rows);
  }

  /** Items of a fan-out whose turn has come: as many as may be under way beside those that are. */
  takeItems(name: string, concurrency: number): NodeRow[] {
    const items = this.#items.get(name);
    const taken: NodeRow[] = [];
    while (items && items.active < concurrency && items.next < items.rows.length) {
      const row = items.rows[items.next++];
      if (row?.status !== "pending") continue;
      items.active++;
      taken.push(row);
    }
    return taken;
  }

  /** A fan-out that was skipped has a row after all. */
  addSkipped(row: NodeRow): void {
    this.#nodes.set(row.id, row);
    this.#left.set(row.id, 0);
  }

  /** Whether a definition's node has come to an end, whichever. */
  hasEnded(name: string): boolean {
    return this.#left.get(name) === 0;
  }

  /** Whether it has ended with a result: neither skipped nor failed. */
  isDone(name: string): boolean {
    if (!this.hasEnded(name)) return false;
    const own = this.#nodes.get(name);
    return own === undefined || own.status === "done" || this.#items.has(name);
  }

  /** One more row has ended. @returns whether that was the last of its definition's node. */
  noteEnd(node: NodeRow): boolean {
    const { name } = this.definitionOf(node.id);
    const items = this.#items.get(name);
    if (items) items.active--;
    const left = (this.#left.get(name) ?? 1) - 1;
    this.#left.set(name, left);
    return left === 0;
  }

  /** @throws SvcError `SVC_DEFINITION` when the definition no longer has the node. */
  definitionOf(nodeId: string): NodeDefinition {
    const name = definitionName(nodeId);
    const found = this.definition.nodes.find((node) => node.name === name);
    if (!found)
      throw new SvcError("SVC_DEFINITION", `The graph "${this.definition.name}" no longer has the node "${name}"`);
    return found;
  }

  /** Results a node may read: of the nodes it waits for, by name; a fan-out as an array in item order. */
  deps(definition: NodeDefinition): Record<string, Json> {
    const deps: Record<string, Json> = Object.create(null) as Record<string, Json>;
    for (const name of definition.after) deps[name] = this.resultOf(name);
    return deps;
  }

  /** Result of a definition's node; null before there is one, and where it was skipped or has failed. */
  resultOf(name: string): Json {
    const definition = this.definition.nodes.find((node) => node.name === name);
    const own = this.#nodes.get(name);
    if (!definition?.map || own?.status === "skipped") return own?.status === "done" ? (own.result ?? null) : null;
    const rows = this.#items.get(name)?.rows ?? [];
    return rows.map((row) => (definition.mayFail ? settled(row) : (row.result ?? null)));
  }

  /** Result of the graph: of the node its definition returned, else of those that none waits for, by name. */
  result(): Json {
    if (this.definition.output !== undefined) return this.resultOf(this.definition.output);
    const waitedFor = new Set(this.definition.nodes.flatMap((node) => node.after));
    const last = this.definition.nodes.filter((node) => !waitedFor.has(node.name));
    return Object.fromEntries(last.map((node) => [node.name, this.resultOf(node.name)]));
  }
}

/** An item's result where failures are collected (types.ts: Settled). */
export function settled({ status, result, error }: NodeRow): Json {
  if (status === "done") return { ok: true, value: result ?? null };
  return { ok: false, error: { message: error?.message ?? "", reason: error?.reason ?? "error" } };
}

function itemNumber(id: string): number {
  return Number(id.slice(id.lastIndexOf("/") + 1));
}

function holderOf(nodeId: string): string {
  const at = nodeId.indexOf("#");
  return at === -1 ? nodeId : nodeId.slice(0, at);
}
