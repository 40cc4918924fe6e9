/**
 * How the nodes of one graph come to their turn: what waits for nothing more is made ready, skipped, or, if it is a
 * fan-out, expanded into its items. Changes the mirror and the change it is given; what it means for the graph, that it
 * has ended or must fail, is machine.ts's to say.
 */
import type { Json } from "../../platform/shared/json.ts";
import type { Failure, GraphRow, NodeRow } from "../../storage/contract/graph-rows.ts";
import type { Change } from "./transition-builder.ts";
import type { Mirror } from "./run-state.ts";
import { toJson } from "../definition/json-value.ts";
import { newNode } from "./node-rows.ts";
import type { FanOut, NodeDefinition } from "../definition/definition-types.ts";

/** Whether nodes are left that have not ended; a failure where that of one can't be told. */
export type Left = "some" | "none" | Failure;

export class Turns {
  readonly #row: GraphRow;
  readonly #mirror: Mirror;
  /** Ready, and not yet taken for dispatch. Kept, since looking through all nodes after each of a thousand is a million looks. */
  #fresh = new Set<NodeRow>();

  constructor(row: GraphRow, mirror: Mirror) {
    this.#row = row;
    this.#mirror = mirror;
    this.readAgain();
  }

  /** Everything that is ready is fresh: after a pause, or after a crash. */
  readAgain(): void {
    this.#fresh = new Set(this.#mirror.withStatus("ready"));
  }

  /** Nodes that became ready since this was last asked. */
  takeReady(): NodeRow[] {
    const fresh = this.#fresh;
    if (fresh.size === 0) return [];
    this.#fresh = new Set();
    return [...fresh].filter((node) => node.status === "ready");
  }

  /** It is not to run after all. */
  drop(node: NodeRow): void {
    this.#fresh.delete(node);
  }

  /** Gives their turn to all nodes that wait for nothing more. */
  advance(change: Change): Left {
    const { nodes } = this.#mirror.definition;
    // What is skipped ends at once, and others may have waited for it.
    let isSettled = false;
    while (!isSettled) {
      isSettled = true;
      for (const definition of nodes) {
        if (this.#mirror.hasEnded(definition.name)) continue;
        if (!definition.after.every((name) => this.#mirror.hasEnded(name))) continue;
        const fault = this.#begin(change, definition);
        if (fault) return fault;
        if (this.#mirror.hasEnded(definition.name)) isSettled = false;
      }
    }
    return nodes.every((node) => this.#mirror.hasEnded(node.name)) ? "none" : "some";
  }

  /** A node's turn has come. @returns why that could not be told. */
  #begin(change: Change, definition: NodeDefinition): Failure | undefined {
    const { name, map } = definition;
    const node = this.#mirror.get(name);
    if (map ? this.#mirror.isExpanded(name) : node?.status !== "pending") {
      this.feed(change, definition);
      return undefined;
    }
    try {
      if (!this.#isWanted(definition)) this.#skip(change, definition);
      else if (map) this.#expand(change, definition, map);
      else if (node) this.makeReady(change, node);
      return undefined;
    } catch (error) {
      const what = map ? `The items of "${name}" can't be made` : `Whether "${name}" runs can't be told`;
      return { message: `${what}: ${(error as Error).message}`, reason: "error", node: name };
    }
  }

  #isWanted(definition: NodeDefinition): boolean {
    const { after, map, when } = definition;
    const needed = map ? [map.from] : after;
    if (needed.length > 0 && !needed.some((name) => this.#mirror.isDone(name))) return false;
    const answer = when ? when(this.#row.input, this.#mirror.deps(definition)) : true;
    // It would always be true.
    if (answer instanceof Promise) throw new TypeError("its function gave a promise; give true or false");
    return Boolean(answer);
  }

  #skip(change: Change, definition: NodeDefinition): void {
    const { name } = definition;
    const columns = { status: "skipped", finishedMs: change.nowMs } as const;
    const node = this.#mirror.get(name);
    if (node) {
      change.node(node, columns);
      this.#mirror.addSkipped(node);
    } else {
      const row = { ...newNode(this.#row, name, definition, undefined, "skipped"), ...columns };
      change.insert(row);
      this.#mirror.addSkipped(row);
    }
    change.event("node.skipped", name);
  }

  makeReady(change: Change, node: NodeRow): void {
    const { id } = node;
    change.node(node, node.dueMs === undefined ? { id, status: "ready" } : { id, status: "ready", dueMs: undefined });
    this.#noteReady(change, node);
  }

  #noteReady(change: Change, node: NodeRow): void {
    change.event("node.ready", node.id);
    this.#fresh.add(node);
  }

  #expand(change: Change, definition: NodeDefinition, map: FanOut): void {
    const { name } = definition;
    const items = itemsOf(map.items(this.#mirror.resultOf(map.from)));
    // It was skipped in an earlier epoch, and has a row of its own from there.
    const own = this.#mirror.get(name);
    if (own) change.node(own, { status: "done", finishedMs: change.nowMs });
    const rows = items.map((input, at) => newNode(this.#row, `${name}/${at}`, definition, input, "pending"));
    this.#mirror.addItems(definition, rows);
    const first = this.#mirror.takeItems(name, map.concurrency);
    for (const row of first) row.status = "ready";
    for (const row of rows) change.insert(row);
    for (const row of first) this.#noteReady(change, row);
    // An empty fan-out has ended at once, and what waits for it comes in the next pass.
  }

  /** Gives items their turn, as far as their number is limited. */
  feed(change: Change, { name, map }: NodeDefinition): void {
    if (map) for (const row of this.#mirror.takeItems(name, map.concurrency)) this.makeReady(change, row);
  }
}

/** @throws TypeError for what is no list, or can't be kept. */
function itemsOf(given: unknown): Json[] {
  const isList = typeof given === "object" && given !== null && Symbol.iterator in given;
  if (!isList) throw new TypeError(`its function gave ${kindOf(given)}; give an array`);
  return Array.from(given as Iterable<unknown>, (item, at) => toJson(item, `item ${at}`, Infinity));
}

function kindOf(given: unknown): string {
  if (given instanceof Promise) return "a promise";
  return typeof given === "string" ? "a text" : given === null ? "null" : typeof given;
}
