/** Retry and fork: selects the nodes that run again, and resets their rows. Results of the previous epoch are kept for reading. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { GraphRow, NodeRow } from "../../storage/contract/graph-rows.ts";
import { earlierCalls, nodeOfStep } from "./fork-steps.ts";
import type { Change } from "./transition-builder.ts";
import type { RunState } from "./run-state.ts";
import { DONE_REMOTELY, keyEpochOf, newNode, nodeHasEnded } from "./node-rows.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";

/** A row before anything has happened to it. */
const FRESH = {
  status: "pending",
  attempt: 0,
  crashes: 0,
  result: undefined,
  error: undefined,
  startedMs: undefined,
  finishedMs: undefined,
  dueMs: undefined,
} as const satisfies Partial<NodeRow>;

/** Decides whether a row runs again. */
export class Again {
  readonly #from: string;
  readonly #names: ReadonlySet<string>;
  readonly #isItem: boolean;

  /**
   * @param from a node of the definition, or an item of a fan-out: it and all that follow it.
   * @throws SvcError `SVC_INVALID` for an unknown node.
   */
  constructor(definition: GraphDefinition, nodes: readonly NodeRow[], from: string) {
    const name = nameOf(from);
    const own = definition.nodes.find((node) => node.name === name);
    this.#isItem = from !== name;
    const isKnown = own && (!this.#isItem || (own.map && nodes.some(({ id }) => id === from)));
    if (!isKnown || from.includes("#"))
      throw new SvcError(
        "SVC_INVALID",
        `"from" is "${from.slice(0, 200)}", which is not a node of the graph; its nodes are ${definition.nodes.map((node) => node.name).join(", ")}`,
        { issues: [{ path: ["from"], message: "must be a node of the graph" }] },
      );
    this.#from = from;
    this.#names = descendants(definition, name);
  }

  /** @param id id of a row of any kind. */
  has(id: string): boolean {
    const name = nameOf(id);
    if (this.#isItem && name === nameOf(this.#from)) return id === this.#from || id.startsWith(`${this.#from}#`);
    return this.#names.has(name);
  }

  /** Whether it is an item or a step: such rows are created again. */
  isMade(id: string): boolean {
    return id.includes("#") || (id.includes("/") && id !== this.#from);
  }
}

/** Name of the node to which a row belongs. */
function nameOf(id: string): string {
  return id.split(/[/#]/, 1)[0] as string;
}

/** A node and all that depend on it, directly or not. */
function descendants(definition: GraphDefinition, name: string): Set<string> {
  const found = new Set([name]);
  for (let size = 0; size !== found.size;) {
    size = found.size;
    for (const node of definition.nodes) if (node.after.some((other) => found.has(other))) found.add(node.name);
  }
  return found;
}

/**
 * Resets rows that run again, in the new epoch.
 * @param again undefined: all unfinished nodes.
 */
export function putBack(change: Change, state: RunState, again: Again | undefined): void {
  const gone: string[] = [];
  for (const node of state.all()) {
    const isAgain = again?.has(node.id) ?? false;
    if (!isAgain && node.id !== state.failureHandler && isKept(node, state.definition, again !== undefined)) continue;
    if (node.attempt > 0 && node.kind === "node") change.keep(node);
    if (node.id.includes("#") || (isAgain && again?.isMade(node.id))) gone.push(node.id);
    else {
      const keyEpoch = nextKeyEpoch(node, state.definition);
      change.node(node, { ...FRESH, keyEpoch, ...(isAgain && { state: undefined }) });
    }
  }
  change.remove(gone);
  state.remove(gone);
  state.count();
}

/**
 * The next attempt keeps the idempotency keys of the last one, whose effects may have happened: a payment must not be made twice. Once they
 * are compensated the keys change, because a service would answer a known key with the effect that no longer exists.
 */
function nextKeyEpoch(node: NodeRow, definition: GraphDefinition): number | undefined {
  if (isCompensated(node, definition)) return undefined;
  const hasStarted = node.startedMs !== undefined;
  return hasStarted ? keyEpochOf(node) : node.keyEpoch;
}

function isCompensated({ id, status, error }: NodeRow, { nodes }: GraphDefinition): boolean {
  if (status === "compensated") return true;
  if (status !== "cancelled" || error !== undefined) return false;
  return nodes.find(({ name }) => name === nameOf(id))?.worker.options.onCancel !== undefined;
}

/** @param isOfSome whether only some nodes run again: skipped nodes and allowed failures stay then. */
function isKept(node: NodeRow, { nodes }: GraphDefinition, isOfSome: boolean): boolean {
  if (node.status === "done" || !isOfSome) return node.status === "done";
  return nodeHasEnded(node, nodes.find(({ name }) => name === nameOf(node.id))?.mayFail ?? false);
}

/** Options of a fork. */
export interface Fork {
  /** A node, an item, or a step of one of them. */
  from: string;
  /** Replaces the input that the definition computes for `from`. */
  input?: Json;
}

/**
 * Rows of a new run that starts at a node of another run: nodes before it are copied with their results.
 * @param row row of the new run; @param nodes nodes of the other run
 * @throws SvcError `SVC_INVALID`
 */
export function forkRows(row: GraphRow, definition: GraphDefinition, nodes: readonly NodeRow[], fork: Fork): NodeRow[] {
  const from = nodeOfStep(fork.from);
  const again = new Again(definition, nodes, from);
  const rows: NodeRow[] = from === fork.from ? [] : earlierCalls(row, nodes, fork.from);
  for (const node of definition.nodes) {
    const old = nodes.filter(({ id }) => !id.includes("#") && nameOf(id) === node.name);
    const isOver = old.length > 0 && old.every((one) => !again.has(one.id) && nodeHasEnded(one, node.mayFail));
    // The new run has not failed.
    if (node.handlesRun) rows.push(newNode(row, node.name, node, undefined, "pending"));
    else if (isOver || old.some(({ id }) => id === from && id !== node.name))
      for (const one of old) rows.push(copyOf(row, one, again.has(one.id) || !nodeHasEnded(one, node.mayFail)));
    else if (!node.map) rows.push(newNode(row, node.name, node, undefined, "pending"));
  }
  if (fork.input !== undefined) giveInput(rows, definition, from, fork.input);
  return rows;
}

/** Only the original run may compensate a copied node, or it would be compensated twice. */
function copyOf(row: GraphRow, node: NodeRow, isFresh: boolean): NodeRow {
  const own = isFresh
    ? { ...FRESH, state: undefined, doneSeq: undefined, keyEpoch: undefined }
    : { doneSeq: DONE_REMOTELY };
  return { ...node, ...own, graphId: row.id, epoch: row.epoch };
}

function giveInput(rows: readonly NodeRow[], definition: GraphDefinition, from: string, input: Json): void {
  const row = rows.find(({ id }) => id === from);
  if (row) return void (row.input = input);
  const items = definition.nodes.find((node) => node.name === from)?.map?.from;
  throw new SvcError(
    "SVC_INVALID",
    `"input" can't be given to the fan-out "${from}", whose items come from "${items}"; fork from an item such as "${from}/0"`,
    { issues: [{ path: ["input"], message: "can't be given to a fan-out" }] },
  );
}
