/** The caller of a command, as stored in the audit trail and in events. */
import type { Json } from "../../platform/shared/json.ts";
import type { NewAudit } from "../../storage/contract/control.ts";
import type { AuditContext } from "../definition/audit-types.ts";

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
  { by = NOBODY, address, note }: AuditContext = {},
  data?: Json,
): NewAudit {
  return { atMs, actor: by, address, operation, target, note, data };
}

/** The part that followers of the run may see: not the address. */
export function auditFields({ by, note }: AuditContext = {}): { by?: string; note?: string } {
  return { ...(by !== undefined && { by }), ...(note !== undefined && { note }) };
}

/** Data of an event that contains only the caller and the note. */
export function auditJson(auditContext: AuditContext | undefined): Json | undefined {
  const reported = auditFields(auditContext);
  return Object.keys(reported).length > 0 ? reported : undefined;
}
