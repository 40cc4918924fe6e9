/** Who did what by hand, as it is kept in the audit trail and told in events. */
import type { Json } from "../../platform/shared/json.ts";
import type { NewAudit } from "../../storage/contract/control.ts";
import type { Steering } from "../definition/audit-types.ts";

/** Where code steers by itself and names nobody. */
const NOBODY = "app";

/**
 * @param operation such as `graph.pause`
 * @param target id of a graph, name of a schedule or a worker
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

/** What followers of the graph may know: not from where. */
export function toldOf({ by, note }: Steering = {}): { by?: string; note?: string } {
  return { ...(by !== undefined && { by }), ...(note !== undefined && { note }) };
}

/** Data of an event that says no more than who wanted it, and why. */
export function toldIf(steering: Steering | undefined): Json | undefined {
  const told = toldOf(steering);
  return Object.keys(told).length > 0 ? told : undefined;
}
