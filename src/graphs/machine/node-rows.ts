/** Rows of nodes: new ones, and whether a node has ended. */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphRow, NodeRow } from "../../storage/contract/graph-rows.ts";
import type { GraphDefinition, NodeDefinition } from "../definition/definition-types.ts";

/** `doneSeq` of a node that a fork has copied: events are counted from 1. */
export const DONE_REMOTELY = 0;

/** Rows of a new run: all nodes except the items of fan-outs. */
export function firstNodes(row: GraphRow, definition: GraphDefinition): NodeRow[] {
  return definition.nodes
    .filter((node) => !node.map)
    .map((node) => newNode(row, node.name, node, undefined, "pending"));
}

/** A node before anything has happened to it. */
export function newNode(
  row: GraphRow,
  id: string,
  definition: NodeDefinition,
  input: Json | undefined,
  status: NodeRow["status"],
): NodeRow {
  return {
    graphId: row.id,
    id,
    worker: definition.worker.name,
    kind: "node",
    status,
    attempt: 0,
    crashes: 0,
    epoch: row.epoch,
    after: [...definition.after],
    input,
    result: undefined,
    error: undefined,
    startedMs: undefined,
    finishedMs: undefined,
    dueMs: undefined,
    doneSeq: undefined,
    state: undefined,
    keyEpoch: undefined,
    awaits: undefined,
  };
}

/** A step before anything has happened to it. @param owner the node whose worker created it. */
export function innerNode(owner: NodeRow, id: string, kind: NodeRow["kind"], worker: string): NodeRow {
  return {
    ...owner,
    id,
    kind,
    worker,
    status: "pending",
    attempt: 0,
    crashes: 0,
    after: [],
    input: undefined,
    result: undefined,
    error: undefined,
    startedMs: undefined,
    finishedMs: undefined,
    dueMs: undefined,
    state: undefined,
    awaits: undefined,
  };
}

/** Epoch in the idempotency keys of a node. */
export function keyEpochOf({ keyEpoch, epoch }: Pick<NodeRow, "keyEpoch" | "epoch">): number {
  return keyEpoch ?? epoch;
}

/** @param mayFail whether the nodes after it run although it has failed. */
export function nodeHasEnded({ status }: NodeRow, mayFail: boolean): boolean {
  return status === "done" || status === "skipped" || (mayFail && status === "failed");
}
