/** Records manual changes in the audit trail. */
import { json } from "../../platform/http/response/response.ts";
import type { Context, Middleware, Result } from "../../platform/http/types.ts";
import { auditOf } from "../../graphs/machine/audit.ts";
import type { Json } from "../../platform/shared/json.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import type { AuditQuery, AuditRow } from "../../storage/contract/control.ts";
import { readPage } from "../../webhooks/registration/input.ts";
import { actorOf, operatorOnly } from "../pipeline/operator-auth.ts";
import type { Endpoints, Services } from "../services.ts";
import { readWhole } from "./graph-input.ts";

export function auditEndpoints({ router, services }: Endpoints): void {
  router.add("GET", PATHS.audit, (ctx) => list(ctx, services), [operatorOnly(services)]);
}

/**
 * Records a change by this request that no transition of a run contains. If that fails, the log has it, and the response is unchanged: a
 * new secret is shown once, and a caller that sees a failure repeats the change.
 */
export async function recordAudit(
  ctx: Context,
  services: Services,
  operation: string,
  target: string,
  more: { note?: string; data?: Json } = {},
): Promise<void> {
  const { note, data } = more;
  const auditContext = { by: actorOf(ctx, services), address: ctx.clientIp, ...(note !== undefined && { note }) };
  const row = auditOf(operation, target, services.clock.now(), auditContext, data);
  try {
    await services.store.audit.add(row);
  } catch (err) {
    services.log.error({ err, audit: row }, "Failed to write an operator's change into the audit trail");
  }
}

/** Middleware for changes of the `:id` in the path. Refused requests are not recorded. */
export function audited(services: Services, operation: string): Middleware {
  return async (ctx, next) => {
    const result = await next();
    await recordAudit(ctx, services, operation, ctx.params["id"] ?? "");
    return result;
  };
}

async function list(ctx: Context, { store }: Services): Promise<Result> {
  const { items, total, nextCursor } = await store.audit.list(readQuery(ctx.query));
  return json({ audit: items.map(auditView), total, next_cursor: nextCursor ?? null });
}

function readQuery(query: URLSearchParams): AuditQuery {
  const { limit, cursor } = readPage(query);
  const result: AuditQuery = { limit };
  if (cursor !== undefined) result.cursor = String(readWhole(cursor, "cursor"));
  for (const key of ["target", "actor", "operation"] as const) {
    const value = query.get(key);
    if (value !== null) result[key] = value;
  }
  const sinceMs = query.get("since_ms");
  if (sinceMs !== null) result.sinceMs = readWhole(sinceMs, "since_ms");
  return result;
}

function auditView({ id, atMs, actor, address, operation, target, note, data }: AuditRow): Record<string, unknown> {
  return {
    id,
    timestamp_ms: atMs,
    actor,
    address: address ?? null,
    operation,
    target,
    note: note ?? null,
    data: data ?? null,
  };
}
