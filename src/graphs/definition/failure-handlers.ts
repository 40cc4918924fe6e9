/** Error branches, and the `onFailure` of a graph: which nodes of a definition run after a failure. */
import type { Json } from "../../platform/shared/json.ts";
import { refused } from "./definition-checks.ts";
import type { NodeDefinition, StoredGraphOptions, Worker } from "./definition-types.ts";

/** Name of the node that is a graph's `onFailure`. */
const ON_FAILURE = "onFailure";
/** Longest name of a graph in the name of a worker. */
const MAX_NAME = 50;

/** Marks the nodes whose failure an error branch handles: they no longer end the run. @throws SvcError `SVC_DEFINITION` for a fan-out */
export function withErrorBranches(name: string, nodes: readonly NodeDefinition[]): NodeDefinition[] {
  const branches = nodes.filter(({ on }) => on === "failed");
  if (branches.length === 0) return [...nodes];
  const branchOf = new Map(branches.flatMap((branch) => branch.after.map((before) => [before, branch.name])));
  return nodes.map((node) => {
    const branch = branchOf.get(node.name);
    if (branch === undefined) return node;
    if (node.map)
      throw refused(
        `The node "${branch}" of graph "${name}" has on "failed" after the fan-out "${node.name}"; use onError: "collect" there, and when: (input, { ${node.name} }) => ${node.name}.some(({ ok }) => !ok)`,
      );
    // With onError "continue" the other nodes after it run as well.
    return node.mayFail ? node : { ...node, mayFail: true, isHandled: true };
  });
}

/** Adds the graph's `onFailure` as its last node. */
export function withFailureHandler(
  name: string,
  nodes: NodeDefinition[],
  { onFailure }: Pick<StoredGraphOptions, "onFailure">,
): NodeDefinition[] {
  if (!onFailure) return nodes;
  if (nodes.some((node) => node.name === ON_FAILURE))
    throw refused(`The graph "${name}" has onFailure and a node named "${ON_FAILURE}"; rename the node`);
  const worker: Worker<never, unknown> = {
    kind: "worker",
    name: `${name.slice(0, MAX_NAME)}.${ON_FAILURE}`,
    options: { compensate: (ctx) => onFailure(ctx) },
    run: () => null,
  };
  const input = (graphInput: Json): Json => graphInput;
  return [...nodes, { name: ON_FAILURE, worker, after: [], input, mayFail: false, handlesRun: true }];
}
