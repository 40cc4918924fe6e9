/** The route table of a booted app: the built-in endpoints, then what its author wrote. */
import { problem } from "../http/response.ts";
import { REVALIDATE, serveFile } from "../http/static.ts";
import type { Context, Handler, Result } from "../http/types.ts";
import { SvcError } from "../shared/errors.ts";
import { isDemoOn } from "./boot.ts";
import { actionEndpoints } from "./endpoints/action.ts";
import { assetEndpoints } from "./endpoints/assets.ts";
import { chunkEndpoints } from "./endpoints/chunks.ts";
import { deliveryEndpoints } from "./endpoints/deliveries.ts";
import { demoEndpoints } from "./endpoints/demo.ts";
import { graphEndpoints } from "./endpoints/graphs.ts";
import { reportEndpoints } from "./endpoints/reports.ts";
import { retryEndpoints } from "./endpoints/retries.ts";
import { statusEndpoints } from "./endpoints/status.ts";
import { webhookEndpoints } from "./endpoints/webhooks.ts";
import type { OwnSecurityOptions } from "../security/headers.ts";
import type { AppOptions } from "./options.ts";
import { withHeaders } from "./own-headers.ts";
import { pageHandler } from "./render-page.ts";
import type { RouteDefinition } from "./route.ts";
import type { Endpoints, Services } from "./services.ts";
import { requireMutation } from "./session.ts";

export function addRoutes(app: AppOptions, endpoints: Endpoints): void {
  const { services, router, middleware } = endpoints;
  assetEndpoints(endpoints);
  chunkEndpoints(endpoints);
  retryEndpoints(endpoints);
  actionEndpoints(endpoints);
  webhookEndpoints(endpoints);
  deliveryEndpoints(endpoints);
  graphEndpoints(endpoints);
  statusEndpoints(endpoints);
  if (app.security?.report === true) reportEndpoints(endpoints);
  if (isDemoOn(app, services.config)) demoEndpoints(endpoints);
  refuseDoubles(app);
  const own = (handler: Handler, security: OwnSecurityOptions | undefined): Handler =>
    withHeaders(handler, security, app, services.site.dev !== undefined);
  for (const page of app.pages ?? [])
    router.add("GET", page.path, own(pageHandler(page, services), page.security), middleware);
  for (const route of app.routes ?? [])
    router.add(route.method, route.path, own(guarded(route, services), route.security), middleware);
}

/** What no route has: a public file, or 404. */
export function answerUnrouted(ctx: Context, services: Services | undefined): Result {
  const file = services?.site.publicFile(ctx.path.slice(1));
  if (!file) throw new SvcError("SVC_NOT_FOUND", `Nothing is at ${ctx.path}`);
  if (ctx.method === "GET" || ctx.method === "HEAD") return serveFile(ctx, file, REVALIDATE);
  return problem(405, "SVC_METHOD", `${ctx.method} is not allowed here; allowed: GET, HEAD`, ["allow", "GET, HEAD"]);
}

function guarded(route: RouteDefinition, services: Services): Handler {
  if (!route.isGuarded) return route.handler;
  return async (ctx) => {
    await requireMutation(ctx, { secret: services.secret, siteOrigin: services.config.siteOrigin });
    return route.handler(ctx);
  };
}

/** Of two definitions of one path only one would ever answer. */
function refuseDoubles({ pages = [], routes = [] }: AppOptions): void {
  const seen = new Set<string>();
  const keys = [...pages.map(({ path }) => `GET ${path}`), ...routes.map(({ method, path }) => `${method} ${path}`)];
  for (const key of keys) {
    if (seen.has(key)) throw new SvcError("SVC_DEFINITION", `${key} is defined twice; remove one of the two`);
    seen.add(key);
  }
}
