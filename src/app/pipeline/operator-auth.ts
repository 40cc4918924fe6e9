/** Who may use the operator endpoints: the bearer key, or a token for one graph (contract sections 3 and 4). */
import type { Context, Middleware } from "../../platform/http/types.ts";
import { graphTokenScope, type GraphScope } from "../../platform/security/graph-token.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { HEADERS, VARIABLES } from "../../platform/shared/wire.ts";
import { RequestContext } from "../../platform/http/request/context.ts";
import type { Services } from "../services.ts";
import { requireHeaderToken } from "./csrf-guard.ts";

/** Lets the operator through. @throws SvcError `SVC_UNAUTHORIZED` with `WWW-Authenticate`; `SVC_RATE_LIMIT` after too many wrong keys */
export function operatorOnly(services: Services): Middleware {
  return (ctx, next) => {
    if (!isOperator(ctx, services)) throw unauthorized(services);
    return next();
  };
}

/**
 * Lets the operator through, and the bearer of a token for the graph `:id`. A token that controls needs CSRF, as a page
 * holds it; one that reads may also stand in the query, since EventSource sends no headers.
 */
export function graphAccess(services: Services, scope: GraphScope): Middleware {
  return (ctx, next) => {
    if (isOperator(ctx, services)) return next();
    const given = scopeOf(ctx, services);
    if (given === undefined) throw unauthorized(services, hasToken(ctx));
    if (scope === "control") {
      if (given !== "control") throw new SvcError("SVC_FORBIDDEN", "This token may only read the graph");
      requireHeaderToken(ctx, services);
    }
    return next();
  };
}

/** Who steers a graph, for its record: the bearer of the key, or of a token for this one graph. */
export function actorOf(ctx: Context, services: Services): "operator" | "token" {
  const key = bearerKey(ctx);
  return key !== undefined && services.operatorAccess.isKey(key) ? "operator" : "token";
}

/** A wrong key counts, even where a token would open: else whoever has one could guess. @throws SvcError `SVC_RATE_LIMIT` */
function isOperator(ctx: Context, { operatorAccess }: Services): boolean {
  const key = bearerKey(ctx);
  const route = ctx instanceof RequestContext ? ctx.route?.pattern : undefined;
  return key !== undefined && operatorAccess.accepts("key", key, ctx.clientIp, route);
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
  // A token in a URL ends up in logs and histories, so there it is worth no more than reading.
  return scopeOfToken(ctx.query.get("token") ?? undefined) && "read";
}

/** @param hasToken whether one was sent, which allows nothing here */
function unauthorized({ config }: Services, hasToken = false): SvcError {
  let detail = "Missing or wrong key; send Authorization: Bearer <key>";
  if (config.execApiKey === undefined) detail = `The operator endpoints are closed: ${VARIABLES.execApiKey} is not set`;
  // Why not, a forger need not know.
  if (hasToken) detail = "The token has expired, or is none of this graph; load the page again that has it";
  return new SvcError("SVC_UNAUTHORIZED", detail, { headers: { "www-authenticate": "Bearer" } });
}
