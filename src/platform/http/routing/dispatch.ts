/** Finds the route of a request and calls its handler. */
import { SvcError } from "../../shared/errors.ts";
import type { RequestContext } from "../request/context.ts";
import { asData } from "../request/target.ts";
import type { Answer, Handler } from "../types.ts";
import type { Router } from "./router.ts";

/** Methods that no resource here has (RFC 9110 sections 9.3.6 and 9.3.8). */
const REFUSED_METHODS = new Set(["TRACE", "CONNECT"]);

/**
 * @param notFound called if no route matches the path
 * @throws SvcError `SVC_METHOD` if the path has routes of other methods only
 */
export function dispatch(router: Router, notFound: Handler): (ctx: RequestContext) => Answer | Promise<Answer> {
  return (ctx) => {
    if (REFUSED_METHODS.has(ctx.method)) throw methodRefused(ctx.method, "GET, HEAD, POST");
    const match = router.match(ctx.method, ctx.routed);
    if (match.kind === "wrong-method") throw methodRefused(ctx.method, match.allow);
    if (match.kind === "unknown") return notFound(ctx);
    ctx.route = match.route;
    ctx.params = ctx.routed === ctx.path ? match.params : asData(match.params);
    return match.route.handler(ctx);
  };
}

function methodRefused(method: string, allow: string): SvcError {
  const text = `${method} is not allowed here; allowed: ${allow}`;
  return new SvcError("SVC_METHOD", text, { headers: { allow } });
}
