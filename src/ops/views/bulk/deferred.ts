/** The state of a deferred bulk action, read from its audit rows. Pure. */
import type { AuditRow } from "../../../ops.ts";
import type { Json } from "../../../graph.ts";
import { BULK_STEPS, type BulkStep } from "./bulk.ts";
import { countOf, BulkProgress } from "./bulk-progress.ts";

/** Audit operations of a bulk action. The action's ID is their target. */
export const DEFERRED = {
  deferred: "bulk.held",
  undone: "bulk.undone",
  done: "bulk.done",
  stopped: "bulk.stopped",
  failed: "bulk.failed",
  lost: "bulk.lost",
} as const;

/** How long an action without progress may be overdue before it counts as lost: the processes' clocks differ. */
export const GRACE_MS = 10_000;

/** The last saved progress. */
export interface Heard {
  taken: BulkProgress;
  agoMs: number;
}

export type DeferredState =
  | { kind: "held"; leftMs: number; wholeMs: number }
  /** Due: it should have started, or it has. */
  | { kind: "due"; sinceMs: number; heard: Heard | undefined }
  | { kind: "undone"; by: string }
  | { kind: "done"; taken: BulkProgress }
  /** Stopped by a shutdown. The runs changed before stay changed. */
  | { kind: "stopped"; taken: BulkProgress }
  | { kind: "failed"; message: string; taken: BulkProgress }
  /** The process that held the action exited before it was due. */
  | { kind: "lost" };

export interface DeferredStep {
  step: BulkStep;
  count: number;
  /** Whether there were more runs, which were not counted. */
  isMore: boolean;
  /** The query of the list where the action was chosen. */
  query: string;
  by: string;
  state: DeferredState;
}

/**
 * @param rows all audit rows of the action, newest first @param progress the action's last progress report, with `at_ms` @returns undefined
 * if there is no such action
 */
export function deferredStepOf(rows: readonly AuditRow[], nowMs: number, progress?: Json): DeferredStep | undefined {
  const begin = rows.find(({ operation }) => operation === DEFERRED.deferred);
  const data = fieldsOf(begin?.data);
  const step = BULK_STEPS.find((one) => one === data["step"]);
  if (!begin || !step) return undefined;
  const query = typeof data["query"] === "string" ? data["query"] : "";
  const state = stateOf(rows, begin, nowMs, progress);
  return { step, count: countOf(data["count"]), isMore: data["is_more"] === true, query, by: begin.actor, state };
}

function stateOf(rows: readonly AuditRow[], begin: AuditRow, nowMs: number, progress: Json | undefined): DeferredState {
  const row = (name: keyof typeof DEFERRED): AuditRow | undefined =>
    rows.find(({ operation }) => operation === DEFERRED[name]);
  const undone = row("undone");
  if (undone) return { kind: "undone", by: undone.actor };
  for (const kind of ["done", "stopped"] as const) {
    const end = row(kind);
    if (end) return { kind, taken: BulkProgress.read(fieldsOf(end.data)) };
  }
  const failed = row("failed");
  if (failed) {
    const data = fieldsOf(failed.data);
    return { kind: "failed", message: String(data["message"]), taken: BulkProgress.read(data) };
  }
  if (row("lost")) return { kind: "lost" };
  const dueMs = countOf(fieldsOf(begin.data)["due_ms"]);
  if (nowMs < dueMs) return { kind: "held", leftMs: dueMs - nowMs, wholeMs: Math.max(1, dueMs - begin.atMs) };
  return { kind: "due", sinceMs: nowMs - dueMs, heard: heardOf(fieldsOf(progress), nowMs) };
}

function heardOf(progress: Readonly<Record<string, Json | undefined>>, nowMs: number): Heard | undefined {
  const { at_ms: atMs } = progress;
  return typeof atMs === "number"
    ? { taken: BulkProgress.read(progress), agoMs: Math.max(0, nowMs - atMs) }
    : undefined;
}

function fieldsOf(data: Json | undefined): Readonly<Record<string, Json | undefined>> {
  return data !== null && typeof data === "object" && !Array.isArray(data) ? data : {};
}
