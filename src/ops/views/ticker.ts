/** The activity ticker: one line per change in a run's life, newest first, derived from the runs' snapshots. Pure. */
import type { Snapshot } from "../../graph.ts";
import type { FlowStatus } from "../widgets/status.ts";
import { graphStyle } from "./status-style.ts";
import { durationText } from "./format.ts";

export interface Tick {
  /** Unique. */
  key: string;
  atMs: number;
  status: FlowStatus;
  word: string;
  worker: string;
  id: string;
  /** Additional text; may be empty. */
  note: string;
}

const MOST = 12;
const AT_ONCE_MS = 1000;
const MAX_NOTE = 160;

/** @param runs recently changed runs; duplicates count once */
export function ticksOf(runs: readonly Snapshot[], nowMs: number): Tick[] {
  const byId = new Map(runs.map((run) => [run.graph_id, run]));
  // The sort is stable, so among changes of a run in the same millisecond the later one comes first.
  const ticks = [...byId.values()].flatMap((run) => ticksOfRun(run, nowMs).reverse());
  return ticks.sort((a, b) => b.atMs - a.atMs || b.id.localeCompare(a.id)).slice(0, MOST);
}

/** In chronological order. */
function ticksOfRun(run: Snapshot, nowMs: number): Tick[] {
  const { graph_id: id, worker, started_ms: startedMs, finished_ms: finishedMs, epoch, nodes } = run;
  const tick = (atMs: number, status: FlowStatus, word: string, note = ""): Tick => {
    const key = `${id} ${epoch} ${word} ${atMs}`;
    return { key, atMs, status, word, worker, id, note: note.slice(0, MAX_NOTE) };
  };
  const ticks: Tick[] = [];
  // A run that starts immediately has no line for its acceptance.
  if (startedMs === null || startedMs - run.created_ms > AT_ONCE_MS)
    ticks.push(tick(run.created_ms, "queued", "accepted"));
  if (startedMs !== null) ticks.push(tick(startedMs, "running", epoch > 1 ? "running again" : "running"));
  for (const node of nodes)
    if (node.kind === "wait" && node.status === "waiting" && node.started_ms !== null)
      ticks.push(tick(node.started_ms, "waiting", "waiting", `for ${node.id.replace(/^.*#/, "")}`));
  if (finishedMs !== null) {
    const { status, word } = graphStyle(run, nowMs);
    const took = startedMs === null ? "" : `after ${durationText(finishedMs - startedMs)}`;
    ticks.push(tick(finishedMs, status, word ?? status, run.error ? run.error.message : took));
  }
  return ticks;
}
