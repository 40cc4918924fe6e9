/** The request that an action, or a route that is no GET, is answering, without handing it through every function. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Context } from "../http/types.ts";
import { SvcError } from "../shared/errors.ts";

const current = new AsyncLocalStorage<Context>();

/** Runs `call` so that `currentContext` finds `ctx`, over awaits too. */
export function withContext<Value>(ctx: Context, call: () => Value): Value {
  return current.run(ctx, call);
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
