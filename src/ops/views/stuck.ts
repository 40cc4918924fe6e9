/** Finds running runs that make no progress without a known reason. Pure. */
import type { Snapshot } from "../../graph.ts";

/** Longer than most nodes take, and short enough to be useful. */
export const STUCK_MS = 30 * 60_000;

/** Node statuses with a known reason for the delay. The overview shows these runs elsewhere. */
const WITH_REASON: ReadonlySet<string> = new Set(["waiting", "retrying", "ready"]);

/** The last time one of its nodes started or ended; without any, the start of the run. */
export function lastProgressMs({ nodes, started_ms: startedMs, created_ms: createdMs }: Snapshot): number {
  return nodes.reduce(
    (latest, node) => Math.max(latest, node.started_ms ?? 0, node.finished_ms ?? 0),
    startedMs ?? createdMs,
  );
}

/** Running runs without a recent start or end of a node, and without a waiting one. The longest delay first. */
export function stuckRuns(runs: readonly Snapshot[], nowMs: number): Snapshot[] {
  return runs
    .filter((run) => run.phase === "running" && !run.nodes.some(({ status }) => WITH_REASON.has(status)))
    .filter((run) => nowMs - lastProgressMs(run) >= STUCK_MS)
    .sort((a, b) => lastProgressMs(a) - lastProgressMs(b));
}
