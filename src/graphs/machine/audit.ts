/** The caller of a command, as stored in the audit trail and in events. */
import type { Json } from "../../platform/shared/json.ts";
import type { NewAudit } from "../../storage/contract/control.ts";
import type { Steering } from "../definition/audit-types.ts";

/** Name of the caller if code sends a command without one. */
const NOBODY = "app";

/**
 * @param operation such as `graph.pause`
 * @param target id of a run, name of a schedule or a worker
 */
export function auditOf(
  operation: string,
  target: string,
  atMs: number,
  { by = NOBODY, address, note }: Steering = {},
  data?: Json,
): NewAudit {
  return { atMs, actor: by, address, operation, target, note, data };
}

/** The part that followers of the run may see: not the address. */
export function toldOf({ by, note }: Steering = {}): { by?: string; note?: string } {
  return { ...(by !== undefined && { by }), ...(note !== undefined && { note }) };
}

/** Data of an event that contains only the caller and the note. */
export function toldIf(steering: Steering | undefined): Json | undefined {
  const told = toldOf(steering);
  return Object.keys(told).length > 0 ? told : undefined;
}
