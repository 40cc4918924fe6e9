/** The input of a node's worker, and the keys under which its limits count it. */
import type { Json } from "../../platform/shared/json.ts";
import { isMadeOfJson } from "../definition/definition.ts";
import { toJson } from "../definition/json-value.ts";
import { messageOf } from "../definition/thrown.ts";
import { NO_KEYS, type Keys } from "./queue/task-queue.ts";
import type { Machine } from "../machine/machine.ts";
import { RunState } from "../machine/run-state.ts";
import type { GraphRow, NodeRow } from "../../storage/contract/graph-rows.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";
import type { AnyOptions } from "../definition/worker-types.ts";

/** @throws errors of the definition's `input`; TypeError if JSON can't represent its result. */
export function inputOf(machine: Machine, node: NodeRow): Json | undefined {
  const definition = machine.definitionOf(node.id);
  // Items have their own input, and so has a node to which a fork gave one.
  if (definition.map || node.input !== undefined) return node.input;
  const [given, deps] = [machine.row.input, machine.deps(definition)];
  const made = definition.input(given, deps);
  // A stored value is JSON already, and may be long.
  const isKept = isMadeOfJson(definition.input) || made === given || Object.values(deps).includes(made as Json);
  return isKept ? (made as Json) : toJson(made, "it", Infinity);
}

/** The input of a started node for display, computed from the stored data. Undefined if it was never computed or can't be. */
export function madeInput(
  graph: GraphRow,
  nodes: readonly NodeRow[],
  definition: GraphDefinition | undefined,
  node: NodeRow,
): Json | undefined {
  const own = definition?.nodes.find(({ name }) => name === node.id);
  const hasBegun = node.startedMs !== undefined && node.status !== "skipped";
  if (node.input !== undefined || !definition || !own || own.map || !hasBegun) return node.input;
  try {
    const made = own.input(graph.input, new RunState(nodes, definition).deps(own));
    return made === undefined ? undefined : (JSON.parse(JSON.stringify(made)) as Json);
  } catch {
    // The app's code may have changed since.
    return undefined;
  }
}

/** @returns also an error if the keys can't be computed: the node fails when its turn comes. */
export function keysOf(machine: Machine, node: NodeRow, options: AnyOptions): { keys: Keys; fault?: string } {
  const { concurrency, rate } = options;
  const concurrencyKey = typeof concurrency === "object" ? concurrency.key : undefined;
  if (!concurrencyKey && !rate?.key) return { keys: NO_KEYS };
  try {
    const input = inputOf(machine, node) as never;
    return {
      keys: {
        concurrency: text("concurrency.key", concurrencyKey?.(input)),
        rate: text("rate.key", rate?.key?.(input)),
      },
    };
  } catch (error) {
    return { keys: NO_KEYS, fault: `The limit key of "${node.id}" can't be computed: ${messageOf(error)}` };
  }
}

function text(option: string, key: unknown): string {
  if (key === undefined || typeof key === "string") return key ?? "";
  throw new TypeError(`${option} returned ${typeof key === "object" ? "an object" : String(key)}; return a text`);
}
