/**
 * Suspended nodes: their attempts only waited, so the process has ended them, and runs them again from their stored steps when a wait is
 * over (decision 142). The row of such a node is `waiting` and has a `dueMs`, which no other waiting node has.
 */
import type { NodeRow } from "../../storage/contract/graph-rows.ts";
import { innerPrefix } from "./step-id.ts";

/** `dueMs` of a node whose waits have no time: the last time that a date can have. */
const NEVER_MS = 8_640_000_000_000_000;

type Waiting = Pick<NodeRow, "kind" | "status" | "dueMs">;

/** Whether the node's attempt was ended while it waited. */
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
