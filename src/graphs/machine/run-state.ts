/** The rows of one run in memory, with indexes: which nodes are done, and their results. machine.ts decides. */
import { LazyMap } from "../../platform/shared/collections/lazy-map.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { withoutOrigin, type NodeRow, type NodeStatus } from "../../storage/contract/graph-rows.ts";
import { definitionName, isInner } from "./step-id.ts";
import { nodeHasEnded } from "./node-rows.ts";
import type { GraphDefinition, NodeDefinition } from "../definition/definition-types.ts";

/** The items of a fan-out, once they are known. */
interface Items {
  /** In item order. */
  readonly rows: readonly NodeRow[];
  /** Index of the first item that may not have started. */
  next: number;
  /** Ready, running, or waiting for a retry. */
  active: number;
}

const ACTIVE: readonly NodeStatus[] = ["ready", "running", "retrying", "waiting"];

export class RunState {
  readonly definition: GraphDefinition;
  readonly #nodes: Map<string, NodeRow>;
  readonly #items = new LazyMap<string, Items>();
  /** Number of unfinished rows of a node; absent before a fan-out is expanded. */
  readonly #left = new Map<string, number>();
  /** Steps by the id of the node or item that contains them, at any depth. */
  readonly #inner = new Map<string, NodeRow[]>();
  /** Number of running nodes, without the graph's `onFailure`. */
  running: number;
  /** Name of the graph's `onFailure`. */
  readonly failureHandler: string | undefined;

  constructor(nodes: readonly NodeRow[], definition: GraphDefinition) {
    this.definition = definition;
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
    this.failureHandler = definition.nodes.find(({ handlesRun }) => handlesRun)?.name;
    this.running = this.withStatus("running").filter(({ id }) => id !== this.failureHandler).length;
    for (const node of nodes) if (isInner(node.id)) this.#noteInner(node);
    this.count();
  }

  /** Counts again, after rows have changed in ways other than ending. */
  count(): void {
    this.#left.clear();
    this.#items.clear();
    for (const node of this.definition.nodes) this.#count(node);
  }

  #count(definition: NodeDefinition): void {
    const own = this.#nodes.get(definition.name);
    if (!definition.map)
      return void this.#left.set(definition.name, own && nodeHasEnded(own, definition.mayFail) ? 0 : 1);
    // A skipped fan-out has a row of its own.
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

  /** Steps of a node, and their own steps. */
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

  /** Callers must count again afterwards. */
  remove(ids: readonly string[]): void {
    for (const id of ids) this.#nodes.delete(id);
    this.#inner.clear();
    for (const node of this.all()) if (isInner(node.id)) this.#noteInner(node);
  }

  /** Whether the items of a fan-out are known. */
  isExpanded(name: string): boolean {
    return this.#items.has(name);
  }

  /** Adds the items of a fan-out. */
  addItems(definition: NodeDefinition, rows: NodeRow[]): void {
    for (const row of rows) this.#nodes.set(row.id, row);
    this.#setItems(definition, rows);
  }

  /** Items to start: as many as the limit allows beside the active ones. */
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

  /** Adds the row of a skipped fan-out. */
  addSkipped(row: NodeRow): void {
    this.#nodes.set(row.id, row);
    this.#left.set(row.id, 0);
  }

  /** Whether a node of the definition has ended in any way. */
  hasEnded(name: string): boolean {
    return this.#left.get(name) === 0;
  }

  /** Whether it has a result: neither skipped nor failed. */
  isDone(name: string): boolean {
    if (!this.hasEnded(name)) return false;
    const own = this.#nodes.get(name);
    return own === undefined || own.status === "done" || this.#items.has(name);
  }

  hasFailed(name: string): boolean {
    return this.hasEnded(name) && this.#nodes.get(name)?.status === "failed";
  }

  /** Whether it has failed and an error branch handles that. */
  isHandledFailure(name: string): boolean {
    return this.hasFailed(name) && this.definitionOf(name).isHandled === true;
  }

  /** Counts an ended row. @returns whether it was the last one of its node. */
  noteEnd(node: NodeRow): boolean {
    const { name } = this.definitionOf(node.id);
    const items = this.#items.get(name);
    if (items) items.active--;
    const left = (this.#left.get(name) ?? 1) - 1;
    this.#left.set(name, left);
    return left === 0;
  }

  /** @throws SvcError `SVC_DEFINITION` if the definition lacks the node. */
  definitionOf(nodeId: string): NodeDefinition {
    const name = definitionName(nodeId);
    const found = this.definition.nodes.find((node) => node.name === name);
    if (!found)
      throw new SvcError("SVC_DEFINITION", `The graph "${this.definition.name}" no longer has the node "${name}"`);
    return found;
  }

  /**
   * Results that a node may read: of the nodes it depends on, by name; of a fan-out as an array in item order. An error branch reads their
   * errors.
   */
  deps(definition: NodeDefinition): Record<string, Json> {
    // No inherited names. `Object.create(null)` would be a hash table of 900 bytes for each waiting attempt.
    const deps = Object.setPrototypeOf({}, null) as Record<string, Json>;
    for (const name of definition.after)
      deps[name] = definition.on === "failed" ? this.#errorOf(name) : this.resultOf(name);
    return deps;
  }

  #errorOf(name: string): Json {
    const error = this.hasFailed(name) ? this.#nodes.get(name)?.error : undefined;
    return error ? { ...withoutOrigin(error) } : null;
  }

  /** Result of a node; null before it ends, and if it was skipped or has failed. */
  resultOf(name: string): Json {
    const definition = this.definition.nodes.find((node) => node.name === name);
    const own = this.#nodes.get(name);
    if (!definition?.map || own?.status === "skipped") return own?.status === "done" ? (own.result ?? null) : null;
    const rows = this.#items.get(name)?.rows ?? [];
    return rows.map((row) => (definition.mayFail ? settled(row) : (row.result ?? null)));
  }

  /** Result of the run: of the node that its definition returned, else of the nodes without dependents, by name. */
  result(): Json {
    if (this.definition.output !== undefined) return this.resultOf(this.definition.output);
    const waitedFor = new Set(this.definition.nodes.flatMap((node) => node.after));
    const last = this.definition.nodes.filter((node) => !waitedFor.has(node.name) && !node.handlesRun);
    return Object.fromEntries(last.map((node) => [node.name, this.resultOf(node.name)]));
  }
}

/** Result of an item if failures are collected (`Settled`). */
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
