/** Runs in which nothing moves though nothing holds them up that anybody would know of. Pure. */
import type { Snapshot } from "../../graph.ts";

/** Longer than most nodes take, and short enough that somebody still wants to know. */
export const STUCK_MS = 30 * 60_000;

/** What ends by itself, or is somebody else's turn: it stands elsewhere on the screen. */
const HELD: ReadonlySet<string> = new Set(["waiting", "retrying", "ready"]);

/** When a node of it began or ended last; when it was started, where none has. */
export function movedMs({ nodes, started_ms: startedMs, created_ms: createdMs }: Snapshot): number {
  return nodes.reduce(
    (latest, node) => Math.max(latest, node.started_ms ?? 0, node.finished_ms ?? 0),
    startedMs ?? createdMs,
  );
}

/** Those that are under way with none of their nodes begun or ended for long, and none that waits. The longest so first. */
export function stuckRuns(runs: readonly Snapshot[], nowMs: number): Snapshot[] {
  return runs
    .filter((run) => run.phase === "running" && !run.nodes.some(({ status }) => HELD.has(status)))
    .filter((run) => nowMs - movedMs(run) >= STUCK_MS)
    .sort((a, b) => movedMs(a) - movedMs(b));
}
