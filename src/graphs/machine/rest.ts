/**
 * Runs that a process need not load when it starts: they wait for their start, for a retry, or for an operator, or their attempts only
 * waited when the last process recorded it (decisions 142 and 145). Another run with a waiting node is loaded, because a step or a call may
 * have been in progress beside the wait (decision 137).
 */
import { waitsForKey } from "../../storage/contract/admission.ts";
import type { GraphRow, NodeRow, NodeStatus, StoredGraph } from "../../storage/contract/graph-rows.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";
import { definitionName } from "./step-id.ts";
import { isSuspended, suspendedUntil, suspendPolicy } from "./suspension.ts";

/** Statuses of nodes that are being executed or compensated, or wait in an attempt. */
const IN_PROGRESS: readonly NodeStatus[] = ["ready", "running", "waiting", "cancelling", "compensating"];

/**
 * @param definition by which this build executes the run; undefined: it has none
 * @returns the time at which the run goes on by itself, Unix milliseconds; Infinity: never; undefined: the run does not rest.
 */
export function restUntil(
  { row, nodes }: Pick<StoredGraph, "row" | "nodes">,
  definition: GraphDefinition | undefined,
): number | undefined {
  // Recovery parks a run with another definition, or finds out whether a parked one fits now.
  if (definition?.hash !== row.definition) return undefined;
  if (row.phase === "paused") return Infinity;
  if (row.phase === "queued") return waitsForKey(row) ? undefined : earliest(row, row.dueMs);
  return row.phase === "running" ? continueMs(row, nodes, definition) : undefined;
}

function continueMs(row: GraphRow, nodes: readonly NodeRow[], definition: GraphDefinition): number | undefined {
  // An attempt that has failed leaves its sleeps and waits to the next one.
  const called = nodes.filter(({ kind }) => kind === "node");
  const mayRest = (node: NodeRow): boolean => isSuspended(node) && !isKept(node, definition);
  if (called.some((node) => IN_PROGRESS.includes(node.status) && !mayRest(node))) return undefined;
  const retrying = called.filter(({ status }) => status === "retrying").map(({ dueMs = 0 }) => dueMs);
  const timesMs = [...retrying, ...called.filter(isSuspended).map(suspendedUntil)];
  return timesMs.length === 0 ? undefined : earliest(row, ...timesMs);
}

/** Whether the worker needs its attempt after a restart. An earlier build may have had another option. */
function isKept({ id }: NodeRow, { nodes }: GraphDefinition): boolean {
  const own = nodes.find(({ name }) => name === definitionName(id));
  return own !== undefined && suspendPolicy(own.worker) === "never";
}

function earliest({ deadlineMs = Infinity }: GraphRow, ...timesMs: readonly number[]): number {
  return Math.min(deadlineMs, ...timesMs);
}
