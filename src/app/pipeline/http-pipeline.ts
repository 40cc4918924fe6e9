/**
 * The HTTP pipeline of an app, in order: the handler of a request, and the steps that complete its response. platform/http/pipeline.ts runs
 * it; each adapter uses the same one. app.ts decides when it boots and closes.
 */
import { BodyBudget } from "../../platform/http/body/body-budget.ts";
import { createHttp, type Http } from "../../platform/http/http.ts";
import type { ErrorHandler, PipelineOptions, ResponseStep } from "../../platform/http/pipeline.ts";
import {
  bufferReadyDocument,
  compressBody,
  keepCookiesPrivate,
  saveSession,
} from "../../platform/http/response/steps.ts";
import { RequestContext } from "../../platform/http/request/context.ts";
import { dispatch } from "../../platform/http/routing/dispatch.ts";
import { compose } from "../../platform/http/routing/middleware.ts";
import { Router } from "../../platform/http/routing/router.ts";
import type { SessionKeys } from "../../platform/http/sessions/cookie-jar.ts";
import type { SiteRules } from "../../platform/security/site-rules.ts";
import type { Handler } from "../../platform/http/types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Log } from "../../platform/shared/log.ts";
import { BASE_PATH } from "../../platform/shared/wire.ts";
import { healthEndpoints } from "../api/health.ts";
import type { Config } from "../lifecycle/config.ts";
import { measureBody } from "../observability/access-log.ts";
import type { Metrics } from "../observability/metrics/metrics.ts";
import type { SecurityLog } from "../observability/security-log.ts";
import { observe } from "../observability/observe.ts";
import type { Tracing } from "../observability/tracing/open-tracing.ts";
import type { AppOptions } from "../options.ts";
import { answerUnrouted, isUnroutedOurs } from "../pages/routes.ts";
import type { Services } from "../services.ts";
import { addDevScript } from "./dev-script.ts";
import { answerError } from "./error-page.ts";
import { limitEventStreams } from "./event-streams.ts";
import { renewCsrfToken, responseHeaders } from "./response-headers.ts";
import { addServerTiming } from "./server-timing.ts";

export interface HttpPipelineOptions {
  app: AppOptions;
  config: Config;
  site: SiteRules;
  /** Contains the health endpoints from the start, and the app's routes after the boot. */
  router: Router;
  /** Undefined before the boot. */
  services: () => Services | undefined;
  /** The app's pages for unknown paths, from `addRoutes`. */
  notFoundPages: () => Router | undefined;
  sessionKeys: () => SessionKeys;
  log: Log;
  security: SecurityLog;
  metrics: Metrics;
  tracer: Tracing["tracer"] | undefined;
  /** Aborts when the app begins to close. */
  closing: AbortSignal;
  onFault: (error: unknown, requestId?: string, traceId?: string) => void;
}

/** Seconds until a client may retry: another process may serve by then. */
export const RETRY_S = "10";

type Routing = Pick<PipelineOptions, "handle" | "claims">;

/** The pipeline of an app that serves. */
export function openPipeline(options: HttpPipelineOptions): Http {
  return createHttp(pipelineOf(routingOf(options), options));
}

/** The pipeline of a closed app: alive and not ready; the app's own paths answer 503. */
export function closedPipeline(
  options: HttpPipelineOptions,
  readinessFailures: () => Promise<readonly string[]>,
): Http {
  const router = new Router();
  healthEndpoints(router, readinessFailures);
  const handle = dispatch(router, () => {
    throw new AppClosed();
  });
  const { claims } = routingOf(options);
  return createHttp(pipelineOf({ handle, claims }, { ...options, onFault: warnOnce(options) }));
}

function pipelineOf(routing: Routing, options: HttpPipelineOptions): PipelineOptions {
  const { app, config, site, services, sessionKeys, log, metrics, tracer, closing } = options;
  const onError = errorHandler(options);
  const headers = responseHeaders(app.security, services);
  return {
    trusted: config.trustedProxies,
    site,
    sessionKeys,
    bodyBudget: new BodyBudget(config.bodyMemoryBytes),
    traceRatio: config.otlp?.ratio ?? 0,
    observer: observe({
      metrics,
      accessLog: app.accessLog ? log : undefined,
      tracer,
      phasesOf: (ctx) => services()?.phases.of(ctx) ?? [],
    }),
    ...routing,
    onError,
    steps: [
      saveSession(onError),
      keepCookiesPrivate,
      limitEventStreams(metrics, closing),
      addDevScript(services),
      renewCsrfToken(services),
      headers.add,
      addServerTiming(services),
      bufferReadyDocument,
      ...when(app.compress ?? true, compressBody),
      ...when(app.accessLog ?? false, measureBody),
    ],
    completeUnparsed: headers.addUnparsed,
  };
}

function when(isOn: boolean, step: ResponseStep): ResponseStep[] {
  return isOn ? [step] : [];
}

/** A request goes to a route; without one, through the app's middleware, to a public file or the app's 404 page. */
function routingOf({ app, router, services, notFoundPages }: HttpPipelineOptions): Routing {
  const unrouted: Handler = (ctx) => answerUnrouted(ctx, services(), notFoundPages());
  const withMiddleware = compose(app.middleware ?? [], unrouted);
  // The app has no paths below the framework's prefix, so its middleware does not run there.
  const notFound: Handler = (ctx) => (ctx.path.startsWith(`${BASE_PATH}/`) ? unrouted(ctx) : withMiddleware(ctx));
  return {
    handle: dispatch(router, notFound),
    claims: (method, { path, routed }) =>
      router.match(method, routed).kind === "found" || isUnroutedOurs(method, path, services()),
  };
}

function errorHandler({ config, services, metrics, security, onFault }: HttpPipelineOptions): ErrorHandler {
  return (error, ctx) => {
    metrics.refused(error);
    // A line of the log must not mark the response as dependent on the visitor.
    if (ctx instanceof RequestContext) ctx.unseen(() => security.refused(error, ctx));
    const result = answerError(error, ctx, config.exposes.errorDetails, services()?.site.dev?.faultPage);
    if (result.status >= 500) onFault(error, ctx.requestId, ctx.trace?.traceId);
    return result;
  };
}

/** A deploy makes many such requests, so only the first one is logged as a warning. */
function warnOnce({ log, onFault }: HttpPipelineOptions): HttpPipelineOptions["onFault"] {
  let hasWarned = false;
  return (error, reqId, traceId) => {
    if (!(error instanceof AppClosed)) return onFault(error, reqId, traceId);
    if (hasWarned) return log.debug({ reqId, traceId }, "A request was rejected: the app has been closed");
    hasWarned = true;
    const text = "A request was rejected: the app has been closed. Further ones are logged at the level debug";
    log.warn({ reqId, traceId }, text);
  };
}

class AppClosed extends SvcError {
  constructor() {
    super("SVC_UNAVAILABLE", "The app has been closed", { headers: { "retry-after": RETRY_S } });
  }
}
