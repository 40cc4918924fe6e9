/** Recovers the rows of a run after a crash or a failed commit. */
import type { Failure, GraphRow, NodeRow } from "../../storage/contract/graph-rows.ts";
import type { Change } from "./transition-builder.ts";
import { definitionName, isInner } from "./step-id.ts";
import type { RunState } from "./run-state.ts";
import { firstNodes } from "./node-rows.ts";

/** A node or compensation that crashed its process this often is not tried again: it would take all other runs with it. */
export const MAX_CRASHES = 3;
/** Nodes that were running in so many crashes run one at a time (execution/suspects.ts). */
const SUSPECT_CRASHES = MAX_CRASHES - 1;

/** Whether the next crash gives the node up. */
export function isSuspect({ crashes }: Pick<NodeRow, "crashes">): boolean {
  return crashes >= SUSPECT_CRASHES;
}

/** How the definition differs from the one the run was started with, for people; undefined if it fits. */
export function misfit(row: GraphRow, state: RunState): string | undefined {
  const problem = differenceOf(row, state);
  if (problem === undefined) return undefined;
  return `The definition of "${row.worker}" has changed since this run was started: ${problem}`;
}

/** What of the run the definition lacks, for people. Without it this build does not know how to compensate the run. */
export function lackOf(state: RunState): string | undefined {
  const { definition } = state;
  if (definition.isStandIn) return "this build lacks it";
  const names = new Set(definition.nodes.map(({ name }) => name));
  const lost = state.all().find(({ id }) => !names.has(definitionName(id)));
  return lost && `it no longer has the node "${lost.id}"`;
}

function differenceOf(row: GraphRow, state: RunState): string | undefined {
  const { definition } = state;
  const lack = lackOf(state);
  if (lack !== undefined) return lack;
  if (row.definition === definition.hash) return undefined;
  const added = firstNodes(row, definition).filter((node) => !state.get(node.id));
  return added.length === 0 ? undefined : `it has new nodes: ${added.map((node) => node.id).join(", ")}`;
}

/**
 * Makes running and waiting nodes ready again, and drops unfinished uploads. Called nodes wait until their caller calls again.
 * @param hasCrashed whether the process died with a running node; a fault of the store is not the node's fault.
 * @param isAlone whether there is no other process, in which an attempt may still run: its number must not be used again.
 * @returns nodes that are not tried again.
 */
export function recoverNodes(
  change: Change,
  state: RunState,
  hasCrashed: (node: NodeRow) => boolean,
  isAlone: boolean,
): NodeRow[] {
  state.running = 0;
  const poison: NodeRow[] = [];
  for (const node of state.all()) {
    if (node.kind !== "node") continue;
    // An unfinished upload belongs to no file, and the next attempt starts it again.
    if (node.status === "running") change.transition.dropsUploads = true;
    const hasFallen = node.status === "running" && hasCrashed(node);
    const crashes = hasFallen ? node.crashes + 1 : node.crashes;
    const attempt = isAlone && hasLost(node, hasFallen) ? node.attempt - 1 : node.attempt;
    if (isInner(node.id)) recoverInner(change, node, crashes, attempt);
    else if (node.status === "running" || node.status === "waiting") {
      change.node(node, { status: "ready", crashes, attempt });
      change.event("node.ready", node.id);
      if (hasFallen && crashes >= MAX_CRASHES) poison.push(node);
    }
  }
  return poison;
}

/** Whether its attempt ends through no fault of its own, and does not count. */
function hasLost({ status }: NodeRow, hasFallen: boolean): boolean {
  return status === "waiting" || (status === "running" && !hasFallen);
}

function recoverInner(change: Change, node: NodeRow, crashes: number, attempt: number): void {
  if (crashes > node.crashes && crashes >= MAX_CRASHES) {
    change.node(node, { status: "failed", crashes, finishedMs: change.nowMs });
    change.node(node, { error: poisoned(node) });
    change.event("node.failed", node.id, { ...poisoned(node) });
  } else if (["ready", "running", "retrying", "waiting"].includes(node.status))
    change.node(node, { status: "pending", crashes, attempt, dueMs: undefined });
}

/** Failure of a node that is not tried again. */
export function poisoned({ id, crashes }: NodeRow): Failure {
  return { message: `The process died ${crashes} times while the node "${id}" ran`, reason: "poison", node: id };
}
