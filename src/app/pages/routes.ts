/** Registers the routes of a booted app: the built-in endpoints, then the author's pages and routes. */
import { isPromise } from "../../platform/http/response/close-iterator.ts";
import { problem } from "../../platform/http/response/response.ts";
import { IMMUTABLE, REVALIDATE, serveFile, type StaticFile } from "../../platform/http/response/static-files.ts";
import { RequestContext } from "../../platform/http/request/context.ts";
import { Router, type Match } from "../../platform/http/routing/router.ts";
import type { Answer, Context, Handler, Middleware, Result } from "../../platform/http/types.ts";
import { toResult } from "../../platform/http/response/write-response.ts";
import { inlineHashes } from "../../platform/security/inline-hashes.ts";
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
import { eventEndpoints } from "../api/events.ts";
import { scheduleEndpoints } from "../api/schedules.ts";
import { themeEndpoints } from "../api/theme.ts";
import { tokenEndpoint } from "../api/csrf-token.ts";
import { webhookEndpoints } from "../api/webhooks.ts";
import type { PublicFile } from "../lifecycle/assets.ts";
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

/** @returns the app's pages for unknown paths. */
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
  eventEndpoints(endpoints);
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
  for (const one of extensions)
    place(one, { ...services, stylesheets: [], hasImportedStyles: false, icon: undefined, prefetch: "intent" }, []);
  router.ruleOut([...services.site.publicNames].map((name) => `/${name}`));
  const lost = new Router();
  for (const given of app.notFound ?? []) {
    // Pages for unknown paths are never cached.
    const definition = { ...given, cache: undefined };
    lost.add("GET", definition.path, own(pageHandler(definition, services), definition), definition.middleware);
  }
  return lost;
}

/** Exported files are public, regardless of the page's own rules. */
function asFile(placed: Placed): Placed {
  const { definition } = placed;
  return definition.kind === "page" ? { ...placed, definition: { ...definition, cache: EXPORT_RULES } } : placed;
}

/** The middleware of a page with cache rules, outside all code that may read the visitor's data. */
function shared(definition: PageDefinition | RouteDefinition, services: Services): Middleware[] {
  if (definition.kind !== "page" || !definition.cache) return [];
  return [sharing({ path: definition.path, rules: definition.cache, services })];
}

/** All pages and routes of an app with their complete paths. @throws SvcError `SVC_DEFINITION` */
export function placeApp({ pages = [], routes = [] }: AppOptions): Placed[] {
  const placed = placeAll([...pages, ...routes]);
  refuseDoubles(placed);
  return placed;
}

/** Names of built-in paths, which extensions can't have. */
const TAKEN = new Set(Object.values(PATHS).map((path) => path.split("/", 3)[2]));

/** Extensions are below the framework's prefix, where the app can't have paths. @throws SvcError `SVC_DEFINITION` */
function placeExtensions({ extensions = {} }: AppOptions): Placed[] {
  return Object.entries(extensions).flatMap(([name, entries]) => {
    if (!/^[a-z][a-z-]*$/.test(name) || TAKEN.has(name))
      throw new SvcError(
        "SVC_DEFINITION",
        `extensions has the invalid name "${name}"; use lower-case letters and dashes, and none of ${[...TAKEN].filter((taken) => /^[a-z-]+$/.test(taken ?? "")).join(", ")}`,
      );
    const prefix = `${BASE_PATH}/${name}`;
    return placeAll(entries).map((one) => ({ ...one, path: prefix + (one.path === "/" ? "" : one.path) }));
  });
}

/** In development, a hint: the ops screens belong to the full-stack variant. */
function wayTo(path: string, services: Services | undefined): string {
  if (path !== `${BASE_PATH}/ops` || services?.config.exposes.errorDetails !== true) return "";
  return `. The ops screens require createFullStackApp of "svckit/fullstack"`;
}

/** Handles a request without a route: a public file, the fallback, the app's page for unknown paths, or 404. @param lost result of `addRoutes` */
export function answerUnrouted(
  ctx: Context,
  services: Services | undefined,
  lost: Router | undefined,
): Answer | Promise<Answer> {
  const found = services && (services.site.publicFile(ctx.path.slice(1)) ?? fallbackFor(ctx, services));
  if (!found) {
    const match = lost && wantsPage(ctx) ? lost.match(ctx.method, ctx.path) : undefined;
    if (match?.kind === "found" && ctx instanceof RequestContext) return answerLost(ctx, match);
    throw new SvcError("SVC_NOT_FOUND", `Nothing is at ${ctx.path}${wayTo(ctx.path, services)}`);
  }
  if (ctx.method === "GET" || ctx.method === "HEAD") return servePublic(ctx, found);
  return problem(405, "SVC_METHOD", `${ctx.method} is not allowed here; allowed: GET, HEAD`, ["allow", "GET, HEAD"]);
}

/** The file of a single-page app, whose own code knows the path. */
function fallbackFor(ctx: Context, { fallback, site }: Services): PublicFile | undefined {
  if (fallback === undefined || (ctx.method !== "GET" && ctx.method !== "HEAD") || !wantsPage(ctx)) return undefined;
  return site.publicFile(fallback.slice(1));
}

/** An HTML file has no nonce, so its policy allows the scripts of this site, and inline scripts by their hashes. */
function servePublic(ctx: Context, { file, isHashed }: PublicFile): Result {
  if (file.type.startsWith("text/html") && ctx instanceof RequestContext) ctx.scriptHashes = hashesOf(file);
  return serveFile(ctx, file, isHashed ? IMMUTABLE : REVALIDATE);
}

/** Cached per file. */
const hashes = new WeakMap<StaticFile, readonly string[]>();

function hashesOf(file: StaticFile): readonly string[] {
  let made = hashes.get(file);
  if (!made) hashes.set(file, (made = inlineHashes(Buffer.from(file.plain).toString())));
  return made;
}

async function answerLost(ctx: RequestContext, { route, params }: Match & { kind: "found" }): Promise<Answer> {
  ctx.params = params;
  const answer = await answering(route.handler)(ctx);
  // A 200 would make caches and search engines treat the path as existing.
  return answer.status === 200 ? { ...toResult(answer), status: 404 } : answer;
}

/** Whether `answerUnrouted` handles a request itself, instead of passing it to the framework around the app. */
export function isUnroutedOurs(method: string, path: string, services: Services | undefined): boolean {
  if (path.startsWith(`${BASE_PATH}/`)) return true;
  return (method === "GET" || method === "HEAD") && services?.site.publicFile(path.slice(1)) !== undefined;
}

function guarded({ handler, isGuarded, maxBytes }: RouteDefinition, method: string, services: Services): Handler {
  if (method === "GET") return handler;
  const form = { maxBytes: maxBytes ?? FORM_BYTES, limit: services.limits.ofForms };
  return async (ctx) => {
    if (isGuarded) await requireMutation(ctx, services, form);
    // A form without scripts may call the same action function as the page's script.
    return withContext(ctx, () => handler(ctx));
  };
}

/** Converts a thrown redirect into a response, so that middleware sees it. */
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

/** Rejects two definitions for the same requests: one of them would never be used. */
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
