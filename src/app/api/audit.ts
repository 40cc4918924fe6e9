/** Who did what by hand, for whoever must answer for it. */
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
 * Keeps that this request has changed something that no graph's transition tells of. Where that can't be written the log has it, and the
 * answer is what was done: a new secret is shown once, and who sees a failure does it again.
 */
export async function recordAudit(
  ctx: Context,
  services: Services,
  operation: string,
  target: string,
  more: { note?: string; data?: Json } = {},
): Promise<void> {
  const { note, data } = more;
  const steering = { by: actorOf(ctx, services), address: ctx.clientIp, ...(note !== undefined && { note }) };
  const row = auditOf(operation, target, services.clock.now(), steering, data);
  try {
    await services.store.audit.add(row);
  } catch (err) {
    services.log.error({ err, audit: row }, "What an operator has done could not be written into the audit trail");
  }
}

/** Behind what changes the `:id` of its path: what was refused is not kept. */
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
