/**
 * The app: what `createApp` gives. Owns its life (configure, boot once, serve, drain) and the doors requests come
 * through; what it serves is routes.ts, how the layers are joined is boot.ts.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createHttp, type Http, type HttpOptions, type RequestOrigin } from "../http/http.ts";
import { compose } from "../http/middleware.ts";
import { Router } from "../http/router.ts";
import { listen, type Listening } from "../http/server.ts";
import type { Handler, Result } from "../http/types.ts";
import type { RequestContext } from "../http/context.ts";
import { Registry } from "../graph/registry.ts";
import type { GraphDefinition } from "../graph/definition/definition-types.ts";
import type { Engine } from "../graph/engine-types.ts";
import { SecurityHeaders } from "../security/headers.ts";
import { systemClock, type Clock, type Duration } from "../shared/clock.ts";
import { SvcError } from "../shared/errors.ts";
import type { Json } from "../shared/json.ts";
import type { Log } from "../shared/log.ts";
import { BASE_PATH, PATHS } from "../shared/wire.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { App, Started, StartOptions } from "./app-face.ts";
import { boot } from "./boot.ts";
import { readConfig, siteUrlOf, type Config } from "./config.ts";
import { withScript } from "./dev-script.ts";
import { Drain, keptAlive, type Drained } from "./drain.ts";
import { finish, withNewToken } from "./finish.ts";
import { isDemoOn } from "./endpoints/demo.ts";
import { healthEndpoints } from "./endpoints/health.ts";
import { HiddenValues, secretsOf } from "./hidden-values.ts";
import { graphToken, mayRead } from "./endpoints/graphs.ts";
import { tended } from "./event-streams.ts";
import { answerError } from "./error-page.ts";
import { measured } from "./access-log.ts";
import { processLog } from "./log.ts";
import { Metrics } from "./metrics/metrics.ts";
import { observe } from "./observe.ts";
import { serverTiming } from "./phases.ts";
import { Readiness } from "./readiness.ts";
import type { AppOptions, Surroundings } from "./options.ts";
import { addRoutes, answerUnrouted, isUnroutedOurs, placeApp } from "./routes.ts";
import { operationsOf } from "./operations.ts";
import type { Operations } from "./operations-types.ts";
import { sealFor, unsealFor } from "./seals.ts";
import type { Services } from "./services.ts";
import type { Listens } from "./settings.ts";
import { exportPages, type ExportStep } from "./static-export.ts";
import { openTracing, type Tracing } from "./tracing/open-tracing.ts";

/** Makes an app. Reads and opens nothing yet: that is `start`, `boot` or the first request. */
export function createApp(options: AppOptions): App {
  return new SvcApp(options);
}

/** When to ask again for what is away: another process may be there by then. */
const RETRY_S = "10";

/** Longest that the last traces may take on their way out. */
const FLUSH_MS = 3000;

class SvcApp implements App {
  readonly #options: AppOptions;
  readonly #router = new Router(BASE_PATH);
  readonly #closing = new AbortController();
  readonly #metrics: Metrics;
  readonly #ending: Drain;
  #config: Config | undefined;
  #ownLog: Log | undefined;
  #values: HiddenValues | undefined;
  #openTracing: Tracing | undefined;
  #http: Http | undefined;
  #services: Services | undefined;
  #lost: Router | undefined;
  #booting: Promise<void> | undefined;
  #listens: Listens | undefined;
  #readiness: Readiness | undefined;
  #isDraining = false;
  /** Nothing of it works any more: its store is closing, or closed. */
  #hasEnded = false;
  #closed: Promise<void> | undefined;

  constructor(options: AppOptions) {
    this.#options = options;
    this.#metrics = new Metrics(this.#clock);
    this.#ending = new Drain(options.drain ?? {}, this.#clock);
    healthEndpoints(this.#router, () => this.#hindrances());
  }

  get config(): Config {
    return (this.#config ??= readConfig(this.#options.env ?? process.env));
  }

  get #hidden(): HiddenValues {
    return (this.#values ??= new HiddenValues(secretsOf(this.config)));
  }

  get log(): Log {
    return (this.#ownLog ??= this.#options.log ?? processLog(this.config, this.#clock, this.#hidden));
  }

  get #tracing(): Tracing | undefined {
    const { otlp } = this.config;
    return otlp && (this.#openTracing ??= openTracing(otlp, this.#clock, this.log, this.#metrics));
  }

  get #clock(): Clock {
    return this.#options.clock ?? systemClock;
  }

  get definitions(): ReadonlyMap<string, readonly GraphDefinition[]> {
    return new Registry(this.#options.workers ?? [], this.#options.graphs ?? []).all();
  }

  get engine(): Engine {
    return this.#booted("engine").engine;
  }

  get webhooks(): Webhooks {
    return this.#booted("webhooks").webhooks;
  }

  get operations(): Operations {
    return operationsOf(this.#booted("operations"), this.#options);
  }

  seal(purpose: string, value: Json, lifetime: Duration): string {
    return sealFor(this.#booted("seal"), purpose, value, lifetime);
  }

  unseal(purpose: string, text: string): Json | undefined {
    return unsealFor(this.#booted("unseal"), purpose, text);
  }

  get siteUrl(): string {
    return siteUrlOf(this.config, this.#services?.ownUrl);
  }

  get extensionPaths(): string[] {
    return Object.keys(this.#options.extensions ?? {}).map((name) => `${BASE_PATH}/${name}`);
  }

  get hasDemo(): boolean {
    return isDemoOn(this.#options, this.config);
  }

  get pagePaths(): string[] {
    return placeApp(this.#options).flatMap(({ definition, path }) => (definition.kind === "page" ? [path] : []));
  }

  eventsUrl(graphId: string): string {
    return `${PATHS.graphs}/${graphId}/events?token=${graphToken(this.#booted("eventsUrl"), graphId, "read")}`;
  }

  graphToken(graphId: string, scope: "read" | "control"): string {
    return graphToken(this.#booted("graphToken"), graphId, scope);
  }

  mayReadGraph(graphId: string, token: string | undefined): boolean {
    return mayRead(this.#booted("mayReadGraph"), graphId, token);
  }

  boot(where: Surroundings = {}): Promise<void> {
    // What it opened now nobody would close.
    if (!this.#booting && this.#closing.signal.aborted)
      return Promise.reject(new SvcError("SVC_UNAVAILABLE", "The app has been closed, and boots no more"));
    return (this.#booting ??= this.#boot(where).catch((error: unknown) => {
      // Where another server listens, the next request tries again. Whoever called `start` has been told, and nothing is left of it.
      if (!this.#listens && !this.#closing.signal.aborted) this.#booting = undefined;
      throw error;
    }));
  }

  async fetch(request: Request, origin?: RequestOrigin): Promise<Response> {
    if (!this.#hasEnded) await this.#ready(new URL(request.url).pathname);
    return this.#door.fetch(request, origin);
  }

  handler = async (
    message: IncomingMessage,
    reply: ServerResponse,
    next?: (error?: unknown) => void,
  ): Promise<void> => {
    try {
      // Of one that never booted nobody knows what is its own, so a framework around is told why.
      if (!this.#hasEnded || next) await this.#ready(message.url ?? "/");
    } catch (error) {
      if (next) return next(error);
      this.#fault(error);
      // Without an app there is nobody who could say more.
      return void reply.writeHead(503, { "retry-after": RETRY_S }).end();
    }
    return this.#door.handler(message, reply, next);
  };

  /** As `handler`, without a promise where there is nothing to wait for. */
  #serve = (message: IncomingMessage, reply: ServerResponse): Promise<void> | void =>
    this.#services ? this.#door.handler(message, reply) : this.handler(message, reply);

  exportPages(dist: string): AsyncIterable<ExportStep> {
    return exportPages(this, placeApp(this.#options), dist);
  }

  refuse = (error: SvcError): Result => this.#door.refuse(error);

  async start({ host, port, ...where }: StartOptions = {}): Promise<Started> {
    const { config } = this;
    const address = { host: host ?? config.host, port: port ?? config.port };
    const canFallBack = port === undefined && !config.isPortFixed;
    // Until it has booted, requests wait; health and readiness answer at once.
    const listening = await listen(
      this.#serve,
      {
        ...address,
        canFallBack,
        refuse: this.refuse,
        ...(this.#options.timeouts && { timeouts: this.#options.timeouts }),
      },
      (error) => this.#fault(error),
    );
    this.#listens = {
      host: address.host,
      port: listening.port,
      asked: new Set([...(host === undefined ? [] : ["host"]), ...(port === undefined ? [] : ["port"])]),
    };
    try {
      await this.boot({ ...where, url: reachable(address.host, listening) });
    } catch (error) {
      await listening.close(0);
      throw error;
    }
    let closed: Promise<Drained> | undefined;
    const close = (): Promise<Drained> => (closed ??= keptAlive(() => this.#drain(listening)));
    const { delayMs, deadlineMs } = this.#ending;
    return { url: listening.url, drainMs: delayMs + deadlineMs, close };
  }

  close(): Promise<void> {
    return (this.#closed ??= keptAlive(() => this.#closeMounted()));
  }

  async #drain(listening: Listening): Promise<Drained> {
    this.#isDraining = true;
    const stop = (): void => this.#closing.abort();
    const { cutRequests, leftMs } = await this.#ending.sockets(listening, stop, this.log);
    await (this.#closed ??= this.#close(leftMs));
    return { cutRequests };
  }

  async #hindrances(): Promise<readonly string[]> {
    if (this.#isDraining || this.#closing.signal.aborted) return ["draining"];
    if (!this.#services) return ["booting"];
    this.#readiness ??= new Readiness(this.#services.readyChecks, this.#clock, this.log);
    return this.#readiness.failed();
  }

  /** Where another server listens, or none: what is under way came through `handler` and `fetch`. */
  async #closeMounted(): Promise<void> {
    this.#closing.abort();
    const { deadlineMs } = this.#ending;
    // An edit takes effect at once, whoever is still waiting for the app before it.
    if (!this.#services?.site.dev) await this.#metrics.requests.idle(deadlineMs);
    await this.#close(deadlineMs);
  }

  async #close(deadlineMs: number): Promise<void> {
    this.#closing.abort();
    this.#hasEnded = true;
    this.#http = undefined;
    // A boot that failed has told its caller and closed what it opened.
    await this.#booting?.catch(() => undefined);
    this.#metrics.process.stop();
    if (this.#services) await this.#ending.work(this.#services, deadlineMs);
    await this.#openTracing?.close(FLUSH_MS);
  }

  get #door(): Http {
    return (this.#http ??= this.#createHttp());
  }

  async #boot(where: Surroundings): Promise<void> {
    const { config } = this;
    await this.#options.onBoot?.();
    const failed = new AbortController();
    const closing = AbortSignal.any([this.#closing.signal, failed.signal]);
    const watchers = { log: this.log, metrics: this.#metrics, tracer: this.#tracing?.tracer };
    const around = { where, listens: this.#listens, clock: this.#clock, closing, ...watchers };
    // Without a key nobody can ask.
    if (config.execApiKey !== undefined) this.#metrics.process.start();
    const middleware = this.#options.middleware ?? [];
    let services: Services | undefined;
    try {
      services = await boot({ app: this.#options, face: this, config, ...around });
      this.#lost = addRoutes(this.#options, { router: this.#router, services, middleware });
      this.#services = services;
      // One that was made at the first start stands in no variable.
      this.#hidden.add(services.secrets);
    } catch (error) {
      failed.abort();
      this.#metrics.process.stop();
      if (services) await this.#ending.work(services, 0);
      throw error;
    }
  }

  async #ready(target: string): Promise<void> {
    if (this.#services) return;
    const path = target.split("?", 1)[0];
    if (path === PATHS.health || path === PATHS.ready) return;
    await this.boot();
  }

  #booted(what: string): Services {
    if (this.#services) return this.#services;
    throw new SvcError(
      "SVC_UNAVAILABLE",
      `app.${what} was used before the app has booted; await app.boot() or app.start()`,
    );
  }

  #createHttp(): Http {
    const { config } = this;
    const hasAccessLog = this.#options.accessLog ?? false;
    const headers = new SecurityHeaders(this.#options.security);
    // The tools of development write HTML.
    const inDev = new SecurityHeaders({ ...this.#options.security, trustedTypes: false });
    return createHttp({
      ...(this.#hasEnded ? this.#afterEnd() : this.#routing()),
      trusted: config.trustedProxies,
      compress: this.#options.compress ?? true,
      vault: () => this.#booted("session"),
      onError: (error, ctx) => {
        const faultPage = this.#services?.site.dev?.faultPage;
        this.#metrics.refused(error);
        const result = answerError(error, ctx, !config.isProduction, faultPage);
        if (result.status >= 500) this.#fault(error, ctx.requestId, ctx.trace?.traceId);
        return result;
      },
      finish: (ctx, result) => {
        const dev = this.#services?.site.dev;
        const whole = withScript(dev, ctx, tended(result, this.#metrics, this.#closing.signal));
        const finished = finish(dev ? inDev : headers, ctx, withNewToken(ctx, whole, this.#services));
        if (dev && ctx) finished.headers.push("server-timing", this.#timing(ctx));
        return finished;
      },
      outgoing: hasAccessLog ? measured : undefined,
      observer: observe({
        metrics: this.#metrics,
        accessLog: hasAccessLog ? this.log : undefined,
        tracer: this.#tracing?.tracer,
        phasesOf: (ctx) => this.#services?.phases.of(ctx) ?? [],
      }),
      traceRatio: config.otlp?.ratio ?? 0,
    });
  }

  #routing(): Pick<HttpOptions, "router" | "notFound" | "isOurs"> {
    return {
      router: this.#router,
      notFound: this.#unrouted(),
      isOurs: (method, { path }) => isUnroutedOurs(method, path, this.#services),
    };
  }

  /** Of an app that was closed: it lives and is not ready, and what was its own is answered with 503. */
  #afterEnd(): Pick<HttpOptions, "router" | "notFound" | "isOurs"> {
    const { router: before, isOurs } = this.#routing();
    const router = new Router();
    healthEndpoints(router, () => this.#hindrances());
    return {
      router,
      notFound: () =>
        Promise.reject(
          new SvcError("SVC_UNAVAILABLE", "The app has been closed", { headers: { "retry-after": RETRY_S } }),
        ),
      isOurs: (method, target) =>
        before.match(method, target.routed).kind === "found" || isOurs?.(method, target) === true,
    };
  }

  /** Only in development: how long things take tells an attacker whether they are there. */
  #timing(ctx: RequestContext): string {
    return serverTiming(this.#services?.phases.of(ctx) ?? [], performance.now() - ctx.startedMs);
  }

  /** Below the framework's own prefix nothing is the app's, so its middleware is not asked. */
  #unrouted(): Handler {
    const answer: Handler = (ctx) => answerUnrouted(ctx, this.#services, this.#lost);
    const within = compose(this.#options.middleware ?? [], answer);
    return (ctx) => (ctx.path.startsWith(`${BASE_PATH}/`) ? answer(ctx) : within(ctx));
  }

  #fault(err: unknown, reqId?: string, traceId?: string): void {
    this.log.error({ reqId, traceId, err }, "A request failed");
  }
}

/** An address to call this process by: "all interfaces" is a place to listen on, not to go to. */
function reachable(host: string, { url, port }: Listening): string {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  return host === "::" ? `http://[::1]:${port}` : url;
}
