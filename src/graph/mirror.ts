/**
 * The rows of one graph in memory, and what can be told of them at a glance: which nodes of the definition are done, what
 * they came to. Decides nothing; that is machine.ts.
 */
import { SvcError } from "../shared/errors.ts";
import type { Json } from "../shared/json.ts";
import type { NodeRow, NodeStatus } from "../store/contract.ts";
import type { GraphDefinition, NodeDefinition } from "./types.ts";

export class Mirror {
  readonly definition: GraphDefinition;
  readonly #nodes: Map<string, NodeRow>;
  /** Fan-out node -> its rows in item order, once the items are known. */
  readonly #items = new Map<string, NodeRow[]>();
  /** Rows of a definition's node that are not done yet; absent before a fan-out is known. */
  readonly #left = new Map<string, number>();

  constructor(nodes: readonly NodeRow[], definition: GraphDefinition) {
    this.definition = definition;
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
    for (const node of definition.nodes) this.#index(node);
  }

  #index(definition: NodeDefinition): void {
    if (!definition.map) {
      const isDone = this.#nodes.get(definition.name)?.status === "done";
      return void this.#left.set(definition.name, isDone ? 0 : 1);
    }
    const prefix = `${definition.name}/`;
    const items = this.all().filter((node) => node.id.startsWith(prefix));
    if (items.length > 0) this.#setItems(definition.name, items);
  }

  #setItems(name: string, items: NodeRow[]): void {
    this.#items.set(
      name,
      items.sort((a, b) => itemNumber(a.id) - itemNumber(b.id)),
    );
    this.#left.set(name, items.filter((node) => node.status !== "done").length);
  }

  get(id: string): NodeRow | undefined {
    return this.#nodes.get(id);
  }

  all(): NodeRow[] {
    return [...this.#nodes.values()];
  }

  withStatus(status: NodeStatus): NodeRow[] {
    return this.all().filter((node) => node.status === status);
  }

  /** Rows of a fan-out; undefined before its items are known. */
  items(name: string): readonly NodeRow[] | undefined {
    return this.#items.get(name);
  }

  /** The items of a fan-out have become known. */
  addItems(name: string, rows: NodeRow[]): void {
    for (const row of rows) this.#nodes.set(row.id, row);
    this.#setItems(name, rows);
  }

  /** Whether every row of a definition's node is done. */
  isDone(name: string): boolean {
    return this.#left.get(name) === 0;
  }

  /** One more row is done. @returns whether that was the last of its definition's node. */
  noteDone(node: NodeRow): boolean {
    const { name } = this.definitionOf(node.id);
    const left = (this.#left.get(name) ?? 1) - 1;
    this.#left.set(name, left);
    return left === 0;
  }

  /** @throws SvcError `SVC_DEFINITION` when the definition no longer has the node. */
  definitionOf(nodeId: string): NodeDefinition {
    const name = nodeId.split("/", 1)[0];
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

  /** Result of a definition's node; null before there is one. */
  resultOf(name: string): Json {
    const items = this.#items.get(name);
    if (items) return items.map((node) => node.result ?? null);
    const isFanOut = this.definition.nodes.some((node) => node.name === name && node.map);
    return isFanOut ? [] : (this.#nodes.get(name)?.result ?? null);
  }

  /** Result of the graph: of the node its definition returned, else of those that none waits for, by name. */
  result(): Json {
    if (this.definition.output !== undefined) return this.resultOf(this.definition.output);
    const waitedFor = new Set(this.definition.nodes.flatMap((node) => node.after));
    const last = this.definition.nodes.filter((node) => !waitedFor.has(node.name));
    return Object.fromEntries(last.map((node) => [node.name, this.resultOf(node.name)]));
  }
}

function itemNumber(id: string): number {
  return Number(id.slice(id.lastIndexOf("/") + 1));
}
