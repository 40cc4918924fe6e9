/** The route table of a booted app: the built-in endpoints, then what its author wrote. */
import { isPromise } from "../../platform/http/response/close-iterator.ts";
import { problem } from "../../platform/http/response/response.ts";
import { REVALIDATE, serveFile } from "../../platform/http/response/static-files.ts";
import { RequestContext } from "../../platform/http/request/context.ts";
import { Router, type Match } from "../../platform/http/routing/router.ts";
import type { Answer, Context, Handler, Middleware, Result } from "../../platform/http/types.ts";
import { toResult } from "../../platform/http/response/write-response.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { BASE_PATH, PATHS } from "../../platform/shared/wire.ts";
import { actionEndpoints } from "../actions/action-endpoint.ts";
import { assetEndpoints } from "../api/assets.ts";
import { chunkEndpoints } from "../api/chunks.ts";
import { deliveryEndpoints } from "../api/deliveries.ts";
import { demoEndpoints, isDemoOn } from "../demo/demo.ts";
import { auditEndpoints } from "../api/audit.ts";
import { bulkEndpoint } from "../api/bulk.ts";
import { graphEndpoints } from "../api/graphs.ts";
import { reportEndpoints } from "../api/policy-report-endpoint.ts";
import { retryEndpoints } from "../api/chunk-retries.ts";
import { statusEndpoints } from "../api/status.ts";
import { submitEndpoints } from "../forms/submit-endpoint.ts";
import { queueEndpoints } from "../api/queues.ts";
import { scheduleEndpoints } from "../api/schedules.ts";
import { themeEndpoints } from "../api/theme.ts";
import { tokenEndpoint } from "../api/csrf-token.ts";
import { webhookEndpoints } from "../api/webhooks.ts";
import { withContext } from "../pipeline/current-request.ts";
import { EXPORT_RULES } from "./cache-rules.ts";
import { sharing } from "./cached-page.ts";
import { placeAll, type Placed } from "./group.ts";
import type { AppOptions } from "../options.ts";
import { wantsPage } from "../pipeline/error-page.ts";
import { Redirect } from "../pipeline/outcome.ts";
import { shapeOf } from "./path.ts";
import { withOwnHeaders } from "../pipeline/own-headers.ts";
import { pageHandler } from "./render-page.ts";
import type { PageDefinition } from "./page.ts";
import type { RouteDefinition } from "./route.ts";
import type { Endpoints, Services } from "../services.ts";
import { FORM_BYTES, requireMutation } from "../pipeline/csrf-guard.ts";

/** @returns the pages for paths that nothing is at. */
export function addRoutes(app: AppOptions, endpoints: Endpoints): Router {
  const { services, router, middleware } = endpoints;
  services.limits.adopt(middleware);
  assetEndpoints(endpoints);
  chunkEndpoints(endpoints);
  retryEndpoints(endpoints);
  actionEndpoints(endpoints);
  tokenEndpoint(endpoints);
  if (services.submits.size > 0) submitEndpoints(endpoints);
  webhookEndpoints(endpoints);
  deliveryEndpoints(endpoints);
  graphEndpoints(endpoints);
  auditEndpoints(endpoints);
  bulkEndpoint(endpoints);
  scheduleEndpoints(endpoints);
  queueEndpoints(endpoints);
  statusEndpoints(endpoints);
  if (app.security?.report === true) reportEndpoints(endpoints);
  if (app.themes === true) themeEndpoints(endpoints);
  if (isDemoOn(app, services.config)) demoEndpoints(endpoints);
  const placed = placeApp(app);
  const extensions = placeExtensions(app);
  refuseDoubles([...placed, ...extensions]);
  const own = (handler: Handler, { security }: PageDefinition | RouteDefinition): Handler =>
    withOwnHeaders(handler, security, app, services.site.dev !== undefined);
  const place = ({ definition, path, middleware: inner }: Placed, of: Services, outer: readonly Middleware[]): void => {
    const around = [...shared(definition, of), ...outer, ...inner];
    services.limits.adopt(around);
    const add = (method: string, handler: Handler): void =>
      router.add(
        method,
        path,
        around.length > 0 ? answering(own(handler, definition)) : own(handler, definition),
        around,
      );
    if (definition.kind === "page") add("GET", pageHandler(definition, of));
    else for (const method of definition.methods) add(method, guarded(definition, method, of));
  };
  for (const one of placed) place(services.site.exporting ? asFile(one) : one, services, middleware);
  for (const one of extensions) place(one, { ...services, stylesheets: [], icon: undefined }, []);
  router.ruleOut([...services.site.publicNames].map((name) => `/${name}`));
  const lost = new Router();
  for (const given of app.notFound ?? []) {
    // What is not there is told anew each time.
    const definition = { ...given, cache: undefined };
    lost.add("GET", definition.path, own(pageHandler(definition, services), definition), definition.middleware);
  }
  return lost;
}

/** A file is everybody's, whatever the page's own rules are. */
function asFile(placed: Placed): Placed {
  const { definition } = placed;
  return definition.kind === "page" ? { ...placed, definition: { ...definition, cache: EXPORT_RULES } } : placed;
}

/** Around a page with cache rules, before and behind all that may look at a visitor. */
function shared(definition: PageDefinition | RouteDefinition, services: Services): Middleware[] {
  if (definition.kind !== "page" || !definition.cache) return [];
  return [sharing({ path: definition.path, rules: definition.cache, services })];
}

/** All pages and routes of an app with their whole paths. @throws SvcError `SVC_DEFINITION` */
export function placeApp({ pages = [], routes = [] }: AppOptions): Placed[] {
  const placed = placeAll([...pages, ...routes]);
  refuseDoubles(placed);
  return placed;
}

/** Names that are spoken for. */
const TAKEN = new Set(Object.values(PATHS).map((path) => path.split("/", 3)[2]));

/** Below the framework's own prefix, where no app's path may be. @throws SvcError `SVC_DEFINITION` */
function placeExtensions({ extensions = {} }: AppOptions): Placed[] {
  return Object.entries(extensions).flatMap(([name, entries]) => {
    if (!/^[a-z][a-z-]*$/.test(name) || TAKEN.has(name))
      throw new SvcError(
        "SVC_DEFINITION",
        `extensions has the name "${name}"; use small letters and dashes, and none of ${[...TAKEN].filter((taken) => /^[a-z-]+$/.test(taken ?? "")).join(", ")}`,
      );
    const prefix = `${BASE_PATH}/${name}`;
    return placeAll(entries).map((one) => ({ ...one, path: prefix + (one.path === "/" ? "" : one.path) }));
  });
}

/** In development, to what the framework has elsewhere: the operators' screens are pages of the full-stack variant. */
function wayTo(path: string, services: Services | undefined): string {
  if (path !== `${BASE_PATH}/ops` || services?.config.exposes.errorDetails !== true) return "";
  return `: the operators' screens come with createFullStackApp of "svckit/fullstack"`;
}

/** What no route has: a public file, a page that says so, or 404. @param lost as `addRoutes` gives it */
export function answerUnrouted(
  ctx: Context,
  services: Services | undefined,
  lost: Router | undefined,
): Answer | Promise<Answer> {
  const file = services?.site.publicFile(ctx.path.slice(1));
  if (!file) {
    const match = lost && wantsPage(ctx) ? lost.match(ctx.method, ctx.path) : undefined;
    if (match?.kind === "found" && ctx instanceof RequestContext) return answerLost(ctx, match);
    throw new SvcError("SVC_NOT_FOUND", `Nothing is at ${ctx.path}${wayTo(ctx.path, services)}`);
  }
  if (ctx.method === "GET" || ctx.method === "HEAD") return serveFile(ctx, file, REVALIDATE);
  return problem(405, "SVC_METHOD", `${ctx.method} is not allowed here; allowed: GET, HEAD`, ["allow", "GET, HEAD"]);
}

async function answerLost(ctx: RequestContext, { route, params }: Match & { kind: "found" }): Promise<Answer> {
  ctx.params = params;
  const answer = await answering(route.handler)(ctx);
  // What is not there must not look as if it were, to caches and search engines.
  return answer.status === 200 ? { ...toResult(answer), status: 404 } : answer;
}

/** Whether `answerUnrouted` has more to say than that nothing is there: then no framework around is asked. */
export function isUnroutedOurs(method: string, path: string, services: Services | undefined): boolean {
  if (path.startsWith(`${BASE_PATH}/`)) return true;
  return (method === "GET" || method === "HEAD") && services?.site.publicFile(path.slice(1)) !== undefined;
}

function guarded({ handler, isGuarded, maxBytes }: RouteDefinition, method: string, services: Services): Handler {
  if (method === "GET") return handler;
  const form = { maxBytes: maxBytes ?? FORM_BYTES, limit: services.limits.ofForms };
  return async (ctx) => {
    if (isGuarded) await requireMutation(ctx, services, form);
    // So that a form without script may come to the same action as the page's script.
    return withContext(ctx, () => handler(ctx));
  };
}

/** To middleware a redirect is an answer, though it was thrown. */
function answering(handler: Handler): Handler {
  const redirected = (error: unknown): Result => {
    if (error instanceof Redirect) return error.result;
    throw error;
  };
  return (ctx) => {
    try {
      const answer = handler(ctx);
      return isPromise(answer) ? answer.catch(redirected) : answer;
    } catch (error) {
      return redirected(error);
    }
  };
}

/** Of two definitions for the same requests only one would ever answer. */
function refuseDoubles(placed: readonly Placed[]): void {
  const seen = new Map<string, string>();
  for (const { definition, path } of placed) {
    for (const method of definition.kind === "page" ? ["GET"] : definition.methods) {
      const key = `${method} ${shapeOf(path)}`;
      const name = `${method} ${path}`;
      const other = seen.get(key);
      if (other === name) throw new SvcError("SVC_DEFINITION", `${name} is defined twice; remove one of the two`);
      if (other !== undefined)
        throw new SvcError("SVC_DEFINITION", `${other} and ${name} match the same requests; change or remove one`);
      seen.set(key, name);
    }
  }
}
