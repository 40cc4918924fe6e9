/**
 * What the doors of an app lead to: the way through HTTP with what the app adds to it, which is its routes, how it answers errors,
 * what all its answers have, and who is told of them. When it boots and ends is app.ts.
 */
import { BodyBudget } from "../../platform/http/body/body-budget.ts";
import type { RequestContext } from "../../platform/http/request/context.ts";
import { createHttp, type Http, type HttpOptions } from "../../platform/http/http.ts";
import type { SessionKeys } from "../../platform/http/sessions/cookie-jar.ts";
import { compose } from "../../platform/http/routing/middleware.ts";
import { Router } from "../../platform/http/routing/router.ts";
import type { Handler } from "../../platform/http/types.ts";
import { SecurityHeaders } from "../../platform/security/headers.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Log } from "../../platform/shared/log.ts";
import { BASE_PATH } from "../../platform/shared/wire.ts";
import { measured } from "../observability/access-log.ts";
import type { Config } from "../lifecycle/config.ts";
import { withScript } from "./dev-script.ts";
import { healthEndpoints } from "../api/health.ts";
import { answerError } from "./error-page.ts";
import { tracked } from "./event-streams.ts";
import { finalizeResponse, withNewToken } from "./finalize-response.ts";
import type { Metrics } from "../observability/metrics/metrics.ts";
import { observe } from "../observability/observe.ts";
import type { AppOptions } from "../options.ts";
import { serverTiming } from "./timing.ts";
import { answerUnrouted, isUnroutedOurs } from "../pages/routes.ts";
import type { Services } from "../services.ts";
import type { Tracing } from "../observability/tracing/open-tracing.ts";

export interface DoorOptions {
  app: AppOptions;
  config: Config;
  /** Has the endpoints of health from the first; the app's own once it has booted. */
  router: Router;
  /** Undefined until it has booted. */
  services: () => Services | undefined;
  /** The pages for paths that nothing is at, as `addRoutes` gives them. */
  lost: () => Router | undefined;
  sessionKeys: () => SessionKeys;
  log: Log;
  metrics: Metrics;
  tracer: Tracing["tracer"] | undefined;
  /** Aborts as the app begins to close. */
  closing: AbortSignal;
  onFault: (error: unknown, requestId?: string, traceId?: string) => void;
}

/** When to ask again for what is away: another process may be there by then. */
export const RETRY_S = "10";

type Routing = Pick<HttpOptions, "router" | "notFound" | "isOurs">;

export function openDoors(options: DoorOptions): Http {
  return doorsTo(routingOf(options), options);
}

/** Of an app that was closed: it lives and is not ready, and what was its own is answered with 503. @param hindrances as of health */
export function closedDoors(options: DoorOptions, readinessFailures: () => Promise<readonly string[]>): Http {
  const before = routingOf(options);
  const router = new Router();
  healthEndpoints(router, readinessFailures);
  const notFound = (): never => {
    throw new AppClosed();
  };
  const isOurs: Routing["isOurs"] = (method, target) =>
    before.router.match(method, target.routed).kind === "found" || before.isOurs?.(method, target) === true;
  let isReported = false;
  // Expected of a deploy, and many: that it happens is told once, each of them only to who asks for it.
  const onFault: DoorOptions["onFault"] = (error, reqId, traceId) => {
    if (!(error instanceof AppClosed)) return options.onFault(error, reqId, traceId);
    const { log } = options;
    if (isReported) return log.debug({ reqId, traceId }, "A request was refused: the app has been closed");
    isReported = true;
    log.warn(
      { reqId, traceId },
      "A request was refused: the app has been closed. Others are told of at the level debug",
    );
  };
  return doorsTo({ router, notFound, isOurs }, { ...options, onFault });
}

class AppClosed extends SvcError {
  constructor() {
    super("SVC_UNAVAILABLE", "The app has been closed", { headers: { "retry-after": RETRY_S } });
  }
}

function routingOf({ app, router, services, lost }: DoorOptions): Routing {
  const answer: Handler = (ctx) => answerUnrouted(ctx, services(), lost());
  const within = compose(app.middleware ?? [], answer);
  return {
    router,
    // Below the framework's own prefix nothing is the app's, so its middleware is not asked.
    notFound: (ctx) => (ctx.path.startsWith(`${BASE_PATH}/`) ? answer(ctx) : within(ctx)),
    isOurs: (method, { path }) => isUnroutedOurs(method, path, services()),
  };
}

function doorsTo(routing: Routing, options: DoorOptions): Http {
  const { app, config, services, sessionKeys, log, metrics, tracer, closing, onFault } = options;
  const hasAccessLog = app.accessLog ?? false;
  const headers = new SecurityHeaders(app.security);
  // The tools of development write HTML.
  const inDev = new SecurityHeaders({ ...app.security, trustedTypes: false });
  return createHttp({
    ...routing,
    trusted: config.trustedProxies,
    compress: app.compress ?? true,
    sessionKeys,
    onError: (error, ctx) => {
      metrics.refused(error);
      const result = answerError(error, ctx, config.exposes.errorDetails, services()?.site.dev?.faultPage);
      if (result.status >= 500) onFault(error, ctx.requestId, ctx.trace?.traceId);
      return result;
    },
    finish: (ctx, result) => {
      const booted = services();
      const dev = booted?.site.dev;
      const whole = withScript(dev, ctx, tracked(result, metrics, closing));
      const finished = finalizeResponse(dev ? inDev : headers, ctx, withNewToken(ctx, whole, booted));
      if (dev && ctx) finished.headers.push("server-timing", timingOf(ctx, booted));
      return finished;
    },
    outgoing: hasAccessLog ? measured : undefined,
    observer: observe({
      metrics,
      accessLog: hasAccessLog ? log : undefined,
      tracer,
      phasesOf: (ctx) => services()?.phases.of(ctx) ?? [],
    }),
    traceRatio: config.otlp?.ratio ?? 0,
    bodyBudget: new BodyBudget(config.bodyMemoryBytes),
  });
}

/** Only in development: how long things take tells an attacker whether they are there. */
function timingOf(ctx: RequestContext, services: Services | undefined): string {
  return serverTiming(services?.phases.of(ctx) ?? [], performance.now() - ctx.startedMs);
}
