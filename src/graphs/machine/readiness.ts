/**
 * Decides which nodes are ready: a node without open dependencies becomes ready, is skipped, or expands into the items of its fan-out.
 * Changes the rows in memory and the given change. machine.ts decides what that means for the run.
 */
import { LazySet } from "../../platform/shared/collections/lazy-set.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Failure, GraphRow, NodeRow } from "../../storage/contract/graph-rows.ts";
import type { Change } from "./transition-builder.ts";
import type { RunState } from "./run-state.ts";
import { toJson } from "../definition/json-value.ts";
import { messageOf } from "../definition/thrown.ts";
import { newNode } from "./node-rows.ts";
import type { FanOut, NodeDefinition } from "../definition/definition-types.ts";

/** Whether unfinished nodes are left; a failure if the readiness of one can't be computed. */
export type Left = "some" | "none" | Failure;

export class Readiness {
  readonly #row: GraphRow;
  readonly #state: RunState;
  /** Ready nodes that are not dispatched yet. Stored, because a scan of all nodes after each of a thousand is a million steps. */
  readonly #fresh = new LazySet<NodeRow>();

  /** All nodes except the graph's `onFailure`, which runs after the failure of the run. */
  readonly #nodes: readonly NodeDefinition[];

  constructor(row: GraphRow, state: RunState) {
    this.#nodes = state.definition.nodes.filter(({ handlesRun }) => !handlesRun);
    this.#row = row;
    this.#state = state;
    this.readAgain();
  }

  /** Collects all ready nodes: after a pause or a crash. */
  readAgain(): void {
    this.#fresh.clear();
    for (const node of this.#state.withStatus("ready")) this.#fresh.add(node);
  }

  /** Nodes that became ready since the last call. */
  takeReady(): NodeRow[] {
    if (this.#fresh.size === 0) return [];
    const fresh = [...this.#fresh];
    this.#fresh.clear();
    return fresh.filter((node) => node.status === "ready");
  }

  /** Removes a node that must not run. */
  drop(node: NodeRow): void {
    this.#fresh.delete(node);
  }

  /** Starts all nodes without open dependencies. */
  advance(change: Change): Left {
    const nodes = this.#nodes;
    // A skipped node ends at once, and others may depend on it.
    let isSettled = false;
    while (!isSettled) {
      isSettled = true;
      for (const definition of nodes) {
        if (this.#state.hasEnded(definition.name)) continue;
        if (!definition.after.every((name) => this.#state.hasEnded(name))) continue;
        const fault = this.#begin(change, definition);
        if (fault) return fault;
        if (this.#state.hasEnded(definition.name)) isSettled = false;
      }
    }
    return nodes.every((node) => this.#state.hasEnded(node.name)) ? "none" : "some";
  }

  /** Starts a node. @returns a failure if `when` or `input` throws. */
  #begin(change: Change, definition: NodeDefinition): Failure | undefined {
    const { name, map } = definition;
    const node = this.#state.get(name);
    if (map ? this.#state.isExpanded(name) : node?.status !== "pending") {
      this.feed(change, definition);
      return undefined;
    }
    try {
      if (!this.#isWanted(definition)) this.#skip(change, definition);
      else if (map) this.#expand(change, definition, map);
      else if (node) this.makeReady(change, node);
      return undefined;
    } catch (error) {
      const what = map ? `The items of "${name}" can't be computed` : `The "when" of "${name}" failed`;
      return { message: `${what}: ${messageOf(error)}`, reason: "error", node: name };
    }
  }

  #isWanted(definition: NodeDefinition): boolean {
    const { after, map, when } = definition;
    const needed = map ? [map.from] : after;
    if (definition.on === "failed") {
      if (!after.some((name) => this.#state.hasFailed(name))) return false;
    } else {
      if (needed.length > 0 && !needed.some((name) => this.#state.isDone(name))) return false;
      // The error branch continues instead.
      if (after.some((name) => this.#state.isHandledFailure(name))) return false;
    }
    const answer = when ? when(this.#row.input, this.#state.deps(definition)) : true;
    // A promise would always count as true.
    if (answer instanceof Promise) throw new TypeError("its function returned a promise; return true or false");
    return Boolean(answer);
  }

  #skip(change: Change, definition: NodeDefinition): void {
    const { name } = definition;
    const columns = { status: "skipped", finishedMs: change.nowMs } as const;
    const node = this.#state.get(name);
    if (node) {
      change.node(node, columns);
      this.#state.addSkipped(node);
    } else {
      const row = { ...newNode(this.#row, name, definition, undefined, "skipped"), ...columns };
      change.insert(row);
      this.#state.addSkipped(row);
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
    const items = itemsOf(map.items(this.#state.resultOf(map.from)));
    // It was skipped in an earlier epoch and has a row from then.
    const own = this.#state.get(name);
    if (own) change.node(own, { status: "done", finishedMs: change.nowMs });
    const rows = items.map((input, at) => newNode(this.#row, `${name}/${at}`, definition, input, "pending"));
    this.#state.addItems(definition, rows);
    const first = this.#state.takeItems(name, map.concurrency);
    for (const row of first) row.status = "ready";
    for (const row of rows) change.insert(row);
    for (const row of first) this.#noteReady(change, row);
    // An empty fan-out has ended. The next pass starts nodes that depend on it.
  }

  /** Starts items up to the limit of their fan-out. */
  feed(change: Change, { name, map }: NodeDefinition): void {
    if (map) for (const row of this.#state.takeItems(name, map.concurrency)) this.makeReady(change, row);
  }
}

/** @throws TypeError for a value that is not a list, or can't be stored. */
function itemsOf(given: unknown): Json[] {
  const isList = typeof given === "object" && given !== null && Symbol.iterator in given;
  if (!isList) throw new TypeError(`its function returned ${kindOf(given)}; return an array`);
  return Array.from(given as Iterable<unknown>, (item, at) => toJson(item, `item ${at}`, Infinity));
}

function kindOf(given: unknown): string {
  if (given instanceof Promise) return "a promise";
  return typeof given === "string" ? "a text" : given === null ? "null" : typeof given;
}
