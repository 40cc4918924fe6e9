/** The request that an action or a non-GET route is handling, without passing it through every function. */
import { AsyncLocalStorage } from "node:async_hooks";
import { RequestContext } from "../../platform/http/request/context.ts";
import type { Context } from "../../platform/http/types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { PATHS, type GraphOrigin } from "../../platform/shared/wire.ts";
import type { Trace } from "../../platform/shared/trace.ts";
import type { Origin } from "../../storage/contract/graph-rows.ts";

/** Endpoints that run code of the app by name. */
const ORIGINS: Readonly<Record<string, GraphOrigin>> = {
  [`${PATHS.action}/:name`]: "action",
  [`${PATHS.submit}/:name`]: "form",
};

const current = new AsyncLocalStorage<Context>();

/** Runs `call` so that `currentContext` returns `ctx`, also after `await`. */
export function withContext<Value>(ctx: Context, call: () => Value): Value {
  return current.run(ctx, call);
}

/** Runs code that outlives the current request: otherwise its timers would retain the request's context and belong to it. */
export function outsideOfRequest<Value>(call: () => Value): Value {
  return current.exit(call);
}

/** The part of the app that is handling the request, as the origin of a run. */
export function currentOrigin(): Origin | undefined {
  const ctx = current.getStore();
  if (!(ctx instanceof RequestContext) || !ctx.route) return undefined;
  const { route, params } = ctx;
  const kind = ORIGINS[route.pattern];
  if (kind === undefined) return { kind: "route", name: route.pattern };
  const { name } = params;
  return name === undefined ? { kind } : { kind, name };
}

/** The request that is being handled; undefined outside of one, unlike `currentContext`. */
export function requestInProgress(): Context | undefined {
  return current.getStore();
}

/** The trace of the request that is being handled; undefined outside of one. */
export function currentTrace(): Trace | undefined {
  const ctx = current.getStore();
  return ctx instanceof RequestContext ? ctx.trace : undefined;
}

/**
 * The request of the running server action, or of the non-GET route that calls it.
 * @throws SvcError `SVC_DEFINITION` outside of both.
 * @example
 * export const whoAmI = action(() => currentContext().clientIp);
 */
export function currentContext(): Context {
  const ctx = current.getStore();
  if (ctx) return ctx;
  throw new SvcError(
    "SVC_DEFINITION",
    "currentContext() was called outside a server action. Loaders and routes get their context as an argument",
  );
}
