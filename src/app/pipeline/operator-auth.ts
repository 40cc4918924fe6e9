/** Access to the operator endpoints: by the bearer key, or a token for one run (docs/reference/http.md sections 3 and 4). */
import type { Context, Middleware } from "../../platform/http/types.ts";
import { graphTokenScope, type GraphScope } from "../../platform/security/graph-token.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { HEADERS, VARIABLES } from "../../platform/shared/wire.ts";
import { RequestContext } from "../../platform/http/request/context.ts";
import type { Services } from "../services.ts";
import { requireHeaderToken } from "./csrf-guard.ts";

/** Requires an operator. @throws SvcError `SVC_UNAUTHORIZED` with `WWW-Authenticate`; `SVC_RATE_LIMIT` after too many invalid keys */
export function operatorOnly(services: Services): Middleware {
  return (ctx, next) => {
    if (!isOperator(ctx, services)) throw unauthorized(services);
    return next();
  };
}

/**
 * Requires an operator, or a token for the run `:id`. A control token also needs the CSRF token of a page. A read token may be in the
 * query, because EventSource can't send headers.
 */
export function graphAccess(services: Services, scope: GraphScope): Middleware {
  return (ctx, next) => {
    if (isOperator(ctx, services)) return next();
    const given = scopeOf(ctx, services);
    if (given === undefined) throw unauthorized(services, hasToken(ctx));
    if (scope === "control") {
      if (given !== "control") throw new SvcError("SVC_FORBIDDEN", "This token only allows reading the graph");
      requireHeaderToken(ctx, services);
    }
    return next();
  };
}

/** The author of a command, for the audit trail: the bearer of the key, or of a token for this run. */
export function actorOf(ctx: Context, services: Services): "operator" | "token" {
  const key = bearerKey(ctx);
  return key !== undefined && services.operatorAccess.isKey(key) ? "operator" : "token";
}

/**
 * An invalid key counts even if a valid token is present: otherwise a token's bearer could guess keys.
 * @throws SvcError `SVC_RATE_LIMIT`
 */
function isOperator(ctx: Context, { operatorAccess, security, config }: Services): boolean {
  const key = bearerKey(ctx);
  if (key === undefined) return false;
  const route = ctx instanceof RequestContext ? ctx.route : undefined;
  if (operatorAccess.accepts("key", key, ctx.clientIp, route?.pattern)) return true;
  const { requestId, clientIp } = ctx;
  if (config.execApiKey !== undefined) security.note("wrong-key", { requestId, clientIp, route });
  return false;
}

function bearerKey(ctx: Context): string | undefined {
  return /^Bearer +(\S+)$/i.exec(ctx.header("authorization") ?? "")?.[1];
}

function hasToken(ctx: Context): boolean {
  return ctx.header(HEADERS.graphToken) !== undefined || ctx.query.has("token");
}

function scopeOf(ctx: Context, services: Services): GraphScope | undefined {
  const graphId = ctx.params["id"] ?? "";
  const scopeOfToken = (rawToken: string | undefined): GraphScope | undefined =>
    graphTokenScope(services.secrets, graphId, rawToken, services.clock.now());
  const fromHeader = scopeOfToken(ctx.header(HEADERS.graphToken));
  if (fromHeader) return fromHeader;
  // Tokens in URLs end up in logs and histories, so there they only allow reading.
  return scopeOfToken(ctx.query.get("token") ?? undefined) && "read";
}

/** @param hasToken whether the request has a token, which is not valid here */
function unauthorized({ config }: Services, hasToken = false): SvcError {
  let detail = "Missing or invalid key. Send Authorization: Bearer <key>";
  if (config.execApiKey === undefined) detail = `The operator endpoints are closed: ${VARIABLES.execApiKey} is not set`;
  // The message does not distinguish the reasons, which would help a forger.
  if (hasToken) detail = "The token has expired or belongs to another graph. Reload the page that contains it";
  return new SvcError("SVC_UNAUTHORIZED", detail, { headers: { "www-authenticate": "Bearer" } });
}
