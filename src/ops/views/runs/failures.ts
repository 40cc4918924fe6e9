/** Groups failures by worker, node and a fingerprint of the message. */
import type { Snapshot } from "../../../graph.ts";

export interface FailureGroup {
  /** Name of the graph or worker. */
  worker: string;
  node: string | undefined;
  /** Message of the newest failure. */
  message: string;
  reason: string;
  count: number;
  firstMs: number;
  lastMs: number;
  /** Run ID of the newest failure. */
  latest: string;
  /** The longest part of the message that the group shares, used to filter the list. */
  text: string;
}

/** Parts that differ between occurrences of the same failure: IDs, hashes, numbers and quoted texts. */
const VARIES =
  /\b[a-z]+_[0-9a-z]{8,}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{12,}\b|"[^"]*"|'[^']*'|\d+(?:\.\d+)*/gi;
const MAX_LENGTH = 300;

export function fingerprint(message: string): string {
  return message.slice(0, MAX_LENGTH).replaceAll(VARIES, "#").replaceAll(/\s+/g, " ").trim().toLowerCase();
}

/** Excludes cancelled runs. The largest groups first; for equal counts, the newest. */
export function groupFailures(graphs: readonly Snapshot[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const { graph_id: id, worker, error, finished_ms: finishedMs, created_ms: createdMs } of graphs) {
    if (!error || error.reason === "cancelled") continue;
    const { message, node, reason } = error;
    const atMs = finishedMs ?? createdMs;
    const key = JSON.stringify([worker, nodeName(node), fingerprint(message)]);
    const known = groups.get(key);
    if (!known) {
      const text = stableText(message);
      groups.set(key, {
        worker,
        node: nodeName(node),
        message,
        reason,
        count: 1,
        firstMs: atMs,
        lastMs: atMs,
        latest: id,
        text,
      });
      continue;
    }
    known.count++;
    known.firstMs = Math.min(known.firstMs, atMs);
    if (atMs > known.lastMs) Object.assign(known, { lastMs: atMs, latest: id, message });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || b.lastMs - a.lastMs);
}

/** `inspect/12` -> `inspect`: the items of a fan-out share their failures. */
function nodeName(node: string | undefined): string | undefined {
  return node?.replaceAll(/\/\d+/g, "");
}

function stableText(message: string): string {
  const pieces = message.slice(0, MAX_LENGTH).split(VARIES);
  return pieces.reduce((best, piece) => (piece.trim().length > best.length ? piece.trim() : best), "");
}
