/**
 * A step for many runs that is held back for a while, as the audit trail tells of it: when it was wanted, and what has become of it since.
 * Pure.
 */
import type { AuditRow } from "../../../index.ts";
import type { Json } from "../../../graph.ts";
import { BULK_STEPS, type BulkStep } from "./bulk.ts";

/** Rows of the audit trail whose target is the step. */
export const HELD = {
  held: "bulk.held",
  undone: "bulk.undone",
  done: "bulk.done",
  failed: "bulk.failed",
  lost: "bulk.lost",
} as const;

/** What may pass after its time before a step that nothing is heard of counts as lost: clocks of processes differ. */
export const GRACE_MS = 10_000;

export type HeldState =
  | { kind: "held"; leftMs: number; wholeMs: number }
  /** It should have begun, or has. */
  | { kind: "due"; sinceMs: number }
  | { kind: "undone"; by: string }
  | { kind: "done"; changed: number; refused: number }
  | { kind: "failed"; message: string }
  /** The process that held it has ended before its time. */
  | { kind: "lost" };

export interface HeldStep {
  step: BulkStep;
  count: number;
  /** Of the list that it was taken from. */
  query: string;
  by: string;
  state: HeldState;
}

/** @param rows all that the audit trail has of it, newest first. @returns undefined where there is no such step */
export function heldStepOf(rows: readonly AuditRow[], nowMs: number): HeldStep | undefined {
  const begin = rows.find(({ operation }) => operation === HELD.held);
  const data = fieldsOf(begin);
  const step = BULK_STEPS.find((one) => one === data["step"]);
  if (!begin || !step) return undefined;
  const query = typeof data["query"] === "string" ? data["query"] : "";
  return { step, count: numberOf(data["count"]), query, by: begin.actor, state: stateOf(rows, begin, nowMs) };
}

function stateOf(rows: readonly AuditRow[], begin: AuditRow, nowMs: number): HeldState {
  const row = (name: keyof typeof HELD): AuditRow | undefined => rows.find(({ operation }) => operation === HELD[name]);
  const undone = row("undone");
  if (undone) return { kind: "undone", by: undone.actor };
  const [done, failed] = [fieldsOf(row("done")), fieldsOf(row("failed"))];
  if (row("done")) return { kind: "done", changed: numberOf(done["changed"]), refused: numberOf(done["refused"]) };
  if (row("failed")) return { kind: "failed", message: String(failed["message"]) };
  if (row("lost")) return { kind: "lost" };
  const dueMs = numberOf(fieldsOf(begin)["due_ms"]);
  if (nowMs < dueMs) return { kind: "held", leftMs: dueMs - nowMs, wholeMs: Math.max(1, dueMs - begin.atMs) };
  return { kind: "due", sinceMs: nowMs - dueMs };
}

function fieldsOf(row: AuditRow | undefined): Readonly<Record<string, Json | undefined>> {
  const { data } = row ?? {};
  return data !== null && typeof data === "object" && !Array.isArray(data) ? data : {};
}

function numberOf(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}
