/** The request that an action, or a route that is no GET, is answering, without handing it through every function. */
import { AsyncLocalStorage } from "node:async_hooks";
import { RequestContext } from "../../platform/http/request/context.ts";
import type { Context } from "../../platform/http/types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { PATHS, type GraphOrigin } from "../../platform/shared/wire.ts";
import type { Origin } from "../../storage/contract/graph-rows.ts";

/** Endpoints behind which stands code of the app, by name. */
const ORIGINS: Readonly<Record<string, GraphOrigin>> = {
  [`${PATHS.action}/:name`]: "action",
  [`${PATHS.submit}/:name`]: "form",
};

const current = new AsyncLocalStorage<Context>();

/** Runs `call` so that `currentContext` finds `ctx`, over awaits too. */
export function withContext<Value>(ctx: Context, call: () => Value): Value {
  return current.run(ctx, call);
}

/** Runs what outlives the request that happens to be first to need it: its timers would keep that one, and take themselves for a part of it. */
export function outsideOfRequest<Value>(call: () => Value): Value {
  return current.exit(call);
}

/** What of the app is being answered, as what starts a graph. */
export function currentOrigin(): Origin | undefined {
  const ctx = current.getStore();
  if (!(ctx instanceof RequestContext) || !ctx.route) return undefined;
  const { route, params } = ctx;
  const kind = ORIGINS[route.pattern];
  if (kind === undefined) return { kind: "route", name: route.pattern };
  const { name } = params;
  return name === undefined ? { kind } : { kind, name };
}

/**
 * The request that the running server action was called with, or the route (other than GET) that calls it.
 * @throws SvcError `SVC_DEFINITION` outside of both.
 */
export function currentContext(): Context {
  const ctx = current.getStore();
  if (ctx) return ctx;
  throw new SvcError(
    "SVC_DEFINITION",
    "currentContext() was called outside a server action; loaders and routes are given their context as an argument",
  );
}
