/** Replaces the definition of a run that this build lacks, so that commands which need no definition can change its rows. */
import type { StoredGraph } from "../../storage/contract/graph-rows.ts";
import type { GraphDefinition, NodeDefinition } from "../definition/definition-types.ts";
import { definitionName, isInner } from "./step-id.ts";

/** A definition with the nodes that have rows. Nothing can run by it. */
export function standIn({ row, nodes }: StoredGraph): GraphDefinition {
  const workers = new Map(nodes.filter(({ id }) => !isInner(id)).map(({ id, worker }) => [definitionName(id), worker]));
  return {
    kind: "graph",
    name: row.worker,
    hash: row.definition,
    nodes: [...workers].map(([name, worker]) => standInNode(name, worker)),
    options: { ...(row.version !== undefined && { version: row.version }) },
    isStandIn: true,
  };
}

function standInNode(name: string, worker: string): NodeDefinition {
  const run = (): never => {
    throw new Error(`This build lacks the worker "${worker}" with which the graph was started`);
  };
  return {
    name,
    worker: { kind: "worker", name: worker, options: {}, run },
    after: [],
    input: () => null,
    mayFail: false,
  };
}
