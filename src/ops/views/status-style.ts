/** Maps the engine's states to the statuses that the screens show. Pure; widgets/status.ts defines how a status looks. */
import type { Snapshot } from "../../graph.ts";
import type { FlowStatus } from "../widgets/status.ts";

export interface StatusStyle {
  status: FlowStatus;
  /** Replaces the status' own word. */
  word?: string;
}

type Graph = Pick<Snapshot, "phase" | "error" | "due_ms" | "is_queued">;
type Node = Pick<Snapshot["nodes"][number], "status" | "attempts">;

const PHASES: Readonly<Record<Snapshot["phase"], StatusStyle>> = {
  queued: { status: "queued" },
  running: { status: "running" },
  pausing: { status: "paused", word: "pausing" },
  paused: { status: "paused" },
  parked: { status: "paused", word: "parked" },
  cancelling: { status: "cancelling" },
  done: { status: "done" },
  failed: { status: "failed" },
};

export function graphStyle({ phase, error, due_ms: dueMs, is_queued: isQueued }: Graph, nowMs: number): StatusStyle {
  if (phase === "failed" && error?.reason === "cancelled") return { status: "cancelled" };
  if (phase === "failed" && error?.reason === "timeout") return { status: "failed", word: "timed out" };
  if (phase === "queued" && dueMs > nowMs) return { status: "queued", word: "scheduled" };
  if (phase === "queued" && !isQueued) return { status: "queued", word: "pending" };
  return PHASES[phase];
}

/** Whether the run may still change without an operator. */
export function mayChange({ phase }: Pick<Snapshot, "phase">): boolean {
  return phase !== "done" && phase !== "failed" && phase !== "paused" && phase !== "parked";
}

/** @param hasEnded whether the graph has ended: nodes that have not started by then never run */
export function nodeStyle({ status, attempts }: Node, hasEnded: boolean): StatusStyle {
  if (hasEnded && (status === "pending" || status === "ready")) return { status: "unrun" };
  if (status === "pending") return { status: "queued", word: "not ready" };
  if (status === "ready") return { status: "queued" };
  if (status === "retrying") return { status, word: `retrying, ${attempts} attempt${attempts === 1 ? "" : "s"}` };
  return { status };
}
