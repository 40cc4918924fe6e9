/**
 * Suspended nodes: their attempts only waited when the process recorded it. Without an attempt in memory they run again from their stored
 * steps when a wait is over (decisions 142 and 145). The row of such a node is `waiting` and has a `dueMs`, which no other waiting node
 * has; any other change of the row removes it (`Change.node`).
 */
import type { NodeRow } from "../../storage/contract/graph-rows.ts";
import type { Worker } from "../definition/definition-types.ts";
import { innerPrefix } from "./step-id.ts";

/**
 * When the attempts of a worker may end while they only wait:
 * - always: once they have waited for a moment
 * - restart: with their process, and the next process does not run them before a wait is over
 * - never: the next process runs them at once
 */
export type SuspendPolicy = "always" | "restart" | "never";

export function suspendPolicy({ graph, options }: Pick<Worker, "graph" | "options">): SuspendPolicy {
  // The code of a graph as a worker is svc's own, and does one thing at a time.
  if (graph !== undefined || options.suspend === true) return "always";
  return options.suspend === false ? "never" : "restart";
}

/** `dueMs` of a node whose waits have no time: the last time that a date can have. */
const NEVER_MS = 8_640_000_000_000_000;

type Waiting = Pick<NodeRow, "kind" | "status" | "dueMs">;

/** Whether the process has recorded that the node's attempt only waits. */
export function isSuspended({ kind, status, dueMs }: Waiting): boolean {
  return kind === "node" && status === "waiting" && dueMs !== undefined;
}

/** @returns the time at which a suspended node goes on by itself, Unix milliseconds; Infinity: never. */
export function suspendedUntil({ dueMs = NEVER_MS }: Waiting): number {
  return dueMs === NEVER_MS ? Infinity : dueMs;
}

/** @param inside rows of the node's steps. @returns its `dueMs` once it is suspended: when the first of its waits ends. */
export function endOfWaits({ id }: NodeRow, inside: readonly NodeRow[]): number {
  const open = inside.filter((step) => step.status === "waiting" && step.id.startsWith(innerPrefix(id)));
  return Math.min(NEVER_MS, ...open.map(({ dueMs = NEVER_MS }) => dueMs));
}
