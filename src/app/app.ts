/**
 * The app that `createApp` returns. Owns its life cycle (configure, boot once, serve, drain) and its entry points; http-pipeline.ts
 * handles requests, routes.ts registers routes, boot.ts composes the layers.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http, RequestOrigin } from "../platform/http/http.ts";
import { Router } from "../platform/http/routing/router.ts";
import { SiteRules } from "../platform/security/site-rules.ts";
import type { SocketTarget } from "../platform/http/bind.ts";
import { listen, type Listening } from "../platform/http/server.ts";
import type { Result } from "../platform/http/types.ts";
import { Registry } from "../graphs/engine/registry.ts";
import type { GraphDefinition } from "../graphs/definition/definition-types.ts";
import type { Engine } from "../graphs/engine/engine-types.ts";
import { systemClock, type Clock, type Duration } from "../platform/shared/clock.ts";
import { SvcError } from "../platform/shared/errors.ts";
import type { Json } from "../platform/shared/json.ts";
import type { Log } from "../platform/shared/log.ts";
import { requireRuntime } from "../platform/security/require-runtime.ts";
import { BASE_PATH, PATHS, VARIABLES } from "../platform/shared/wire.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { App, Started, StartOptions } from "./app-types.ts";
import type { DiscoveredAction } from "./actions/discovered-actions.ts";
import { boot } from "./lifecycle/boot.ts";
import { environmentOf, readConfig, retiredVariables, siteUrlOf, type Config } from "./lifecycle/config.ts";
import { bootWarnings } from "./lifecycle/unsafe-settings.ts";
import { issueCsrfToken, issueToken, type CsrfIssuer, type IssuedCsrfToken } from "./pipeline/csrf-issuer.ts";
import { closedPipeline, openPipeline, RETRY_S } from "./pipeline/http-pipeline.ts";
import { takeInheritedSocket } from "./lifecycle/inherited-socket.ts";
import { Drain, keptAlive, type Drained } from "./lifecycle/drain.ts";
import { isDemoOn } from "./demo/demo.ts";
import { healthEndpoints } from "./api/health.ts";
import { LogRedaction, secretsOf } from "./observability/log-redaction.ts";
import { graphToken, mayRead } from "./api/graphs.ts";
import { processLog } from "./observability/log.ts";
import { Metrics } from "./observability/metrics/metrics.ts";
import { SecurityLog } from "./observability/security-log.ts";
import { Readiness } from "./lifecycle/readiness.ts";
import type { AppOptions, BootOptions } from "./options.ts";
import { addRoutes, placeApp } from "./pages/routes.ts";
import { operationsOf } from "./observability/operations.ts";
import type { Operations } from "./observability/operations-types.ts";
import { sealFor, unsealFor } from "./pipeline/seals.ts";
import type { Services } from "./services.ts";
import type { Listens } from "./lifecycle/settings.ts";
import { exportPages, type ExportStep } from "./pages/static-export.ts";
import { openTracing, type Tracing } from "./observability/tracing/open-tracing.ts";

/**
 * Creates an app. Reads and opens nothing before `start`, `boot` or the first request.
 * @param discovered actions that handlers import, passed by the compiler
 * @example
 * export default createApp({
 *   pages: [page("/", { title: "Hello", view: () => <h1>Hello</h1> })],
 *   routes: [route("GET", "/time", () => json({ now: Date.now() }))],
 * });
 */
export function createApp(options: AppOptions, discovered: readonly DiscoveredAction[] = []): App {
  return new SvcApp(options, discovered);
}

const SITE_URL_GUESSED = `${VARIABLES.siteUrl} is not set: sitemaps and other absolute links use the address that this process listens on. Set it to the public URL of the site`;

/** Longest time to send the last traces. */
const FLUSH_MS = 3000;

class SvcApp implements App, CsrfIssuer {
  readonly #options: AppOptions;
  readonly #discovered: readonly DiscoveredAction[];
  readonly #router = new Router(BASE_PATH);
  readonly #closing = new AbortController();
  readonly #metrics: Metrics;
  readonly #ending: Drain;
  #config: Config | undefined;
  #bootClock: Clock | undefined;
  #siteRules: SiteRules | undefined;
  #ownLog: Log | undefined;
  #ownSecurityLog: SecurityLog | undefined;
  #values: LogRedaction | undefined;
  #openTracing: Tracing | undefined;
  #http: Http | undefined;
  #services: Services | undefined;
  #notFoundPages: Router | undefined;
  #booting: Promise<void> | undefined;
  #listens: Listens | undefined;
  #readiness: Readiness | undefined;
  /** Replaces SVC_SITE_URL if that had to be guessed. */
  #guessedUrl: string | undefined;
  /** Whether it has warned about the guess. */
  #hasWarned = false;
  #isDraining = false;
  /** Its store is closing, or closed. */
  #hasEnded = false;
  /** Whether `onBoot` has succeeded and `onClose` has not run since. */
  #isOpen = false;
  #closed: Promise<void> | undefined;

  constructor(options: AppOptions, discovered: readonly DiscoveredAction[]) {
    this.#options = options;
    this.#discovered = discovered;
    // The boot may replace the clock.
    const clock: Clock = {
      now: () => this.#clock.now(),
      elapsed: () => this.#clock.elapsed(),
      schedule: (delayMs, run) => this.#clock.schedule(delayMs, run),
    };
    this.#metrics = new Metrics(clock);
    this.#ending = new Drain(options.drain ?? {}, clock);
    healthEndpoints(this.#router, () => this.#readinessFailures());
  }

  get config(): Config {
    return (this.#config ??= readConfig(environmentOf(this.#options.env)));
  }

  get #site(): SiteRules {
    return (this.#siteRules ??= new SiteRules(this.config));
  }

  get #hidden(): LogRedaction {
    return (this.#values ??= new LogRedaction(secretsOf(this.config)));
  }

  get log(): Log {
    return (this.#ownLog ??= this.#options.log ?? processLog(this.config, this.#clock, this.#hidden));
  }

  get #security(): SecurityLog {
    return (this.#ownSecurityLog ??= new SecurityLog(this.log, this.#clock));
  }

  get #tracing(): Tracing | undefined {
    const { otlp } = this.config;
    return otlp && (this.#openTracing ??= openTracing(otlp, this.#clock, this.log, this.#metrics));
  }

  get #clock(): Clock {
    return this.#bootClock ?? this.#options.clock ?? systemClock;
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
    if (this.#guessedUrl === undefined) return siteUrlOf(this.config, this.#services?.ownUrl);
    // If no host is allowed either, the warnings of the boot say it already.
    const isReported = this.#hasWarned || this.config.allowedHosts.length === 0;
    if (!isReported) this.log.warn({ siteUrl: this.#guessedUrl }, SITE_URL_GUESSED);
    this.#hasWarned = true;
    return siteUrlOf(this.config, this.#guessedUrl, true);
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

  boot(where: BootOptions = {}): Promise<void> {
    // Nobody would close what it opens now.
    if (!this.#booting && this.#closing.signal.aborted)
      return Promise.reject(new SvcError("SVC_UNAVAILABLE", "The app has been closed and can't boot again"));
    return (this.#booting ??= this.#boot(where).catch((error: unknown) => {
      // With another server, the next request retries. `start` reports the error to its caller and leaves nothing behind.
      if (!this.#listens && !this.#closing.signal.aborted) this.#booting = undefined;
      throw error;
    }));
  }

  async [issueCsrfToken](request: Request): Promise<IssuedCsrfToken> {
    await this.boot();
    return issueToken(request, this.config, this.#booted("csrfToken"));
  }

  async fetch(request: Request, origin?: RequestOrigin): Promise<Response> {
    if (!this.#hasEnded) await this.#ready(new URL(request.url).pathname);
    return this.#pipeline.fetch(request, origin);
  }

  handler = async (
    message: IncomingMessage,
    reply: ServerResponse,
    next?: (error?: unknown) => void,
  ): Promise<void> => {
    try {
      // An app that never booted does not know its routes, so the framework around it gets the error.
      if (!this.#hasEnded || next) await this.#ready(message.url ?? "/");
    } catch (error) {
      if (next) return next(error);
      this.#fault(error);
      // Without a booted app there is no error page.
      return void reply.writeHead(503, { "retry-after": RETRY_S }).end();
    }
    return this.#pipeline.handler(message, reply, next);
  };

  /** Like `handler`, synchronous where nothing must be awaited. */
  #serve = (message: IncomingMessage, reply: ServerResponse): Promise<void> | void =>
    this.#services ? this.#pipeline.handler(message, reply) : this.handler(message, reply);

  exportPages(dist: string): AsyncIterable<ExportStep> {
    return exportPages(this, placeApp(this.#options), dist);
  }

  refuse = (error: SvcError): Result => this.#pipeline.refuse(error);

  async start({ host, port, ...where }: StartOptions = {}): Promise<Started> {
    requireRuntime();
    const { config } = this;
    const address = { host: host ?? config.host, port: port ?? config.port };
    const canFallBack = port === undefined && !config.isPortFixed;
    const socket = host === undefined && port === undefined ? socketOf(config) : undefined;
    // Requests wait for the boot; health and readiness answer at once.
    const listening = await listen(
      this.#serve,
      {
        ...address,
        canFallBack,
        socket,
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

  async #readinessFailures(): Promise<readonly string[]> {
    if (this.#isDraining || this.#closing.signal.aborted) return ["draining"];
    if (!this.#services) return ["booting"];
    this.#readiness ??= new Readiness(this.#services.readyChecks, this.#clock, this.log);
    return this.#readiness.failed();
  }

  /** With another server, or none: running requests came through `handler` and `fetch`. */
  async #closeMounted(): Promise<void> {
    this.#closing.abort();
    const { deadlineMs } = this.#ending;
    // An edit takes effect at once, even if requests still wait for the old app.
    if (!this.#services?.site.dev) await this.#metrics.requests.idle(deadlineMs);
    await this.#close(deadlineMs);
  }

  async #close(deadlineMs: number): Promise<void> {
    this.#closing.abort();
    this.#hasEnded = true;
    this.#http = undefined;
    // A failed boot has reported its error and closed what it opened.
    await this.#booting?.catch(() => undefined);
    this.#metrics.process.stop();
    if (this.#services) await this.#ending.work(this.#services, deadlineMs);
    await this.#openTracing?.close(FLUSH_MS);
    await this.#closeOwn();
  }

  /** Lets the author close what `onBoot` opened. */
  async #closeOwn(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      await this.#options.onClose?.();
    } catch (err) {
      this.log.error({ err }, "onClose failed");
    }
  }

  get #pipeline(): Http {
    return (this.#http ??= this.#createPipeline());
  }

  async #boot(where: BootOptions): Promise<void> {
    requireRuntime();
    const { config } = this;
    this.#bootClock = where.clock;
    for (const text of retiredVariables(environmentOf(this.#options.env))) this.log.warn({}, text);
    for (const text of bootWarnings(config, this.#listens !== undefined)) this.log.warn({}, text);
    if (where.url !== undefined) this.#site.listensAt(where.url);
    if (where.canGuessSiteUrl && config.isProduction && config.siteOrigin === undefined) this.#guessedUrl = where.url;
    await this.#options.onBoot?.();
    this.#isOpen = true;
    const failed = new AbortController();
    const closing = AbortSignal.any([this.#closing.signal, failed.signal]);
    const watchers = { log: this.log, security: this.#security, metrics: this.#metrics, tracer: this.#tracing?.tracer };
    const around = {
      where,
      discovered: this.#discovered,
      listens: this.#listens,
      clock: this.#clock,
      closing,
      ...watchers,
    };
    // Without a key nobody can read them.
    if (config.execApiKey !== undefined) this.#metrics.process.start();
    const middleware = this.#options.middleware ?? [];
    let services: Services | undefined;
    try {
      services = await boot({ app: this.#options, self: this, config, siteRules: this.#site, ...around });
      this.#notFoundPages = addRoutes(this.#options, { router: this.#router, services, middleware });
      this.#services = services;
      // A secret that was created at the first start is in no variable.
      this.#hidden.add(services.secrets);
    } catch (error) {
      failed.abort();
      this.#metrics.process.stop();
      if (services) await this.#ending.work(services, 0);
      await this.#closeOwn();
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

  #createPipeline(): Http {
    const options = {
      app: this.#options,
      config: this.config,
      site: this.#site,
      router: this.#router,
      services: () => this.#services,
      notFoundPages: () => this.#notFoundPages,
      sessionKeys: () => this.#booted("session"),
      log: this.log,
      security: this.#security,
      metrics: this.#metrics,
      tracer: this.#tracing?.tracer,
      closing: this.#closing.signal,
      onFault: (error: unknown, requestId?: string, traceId?: string) => this.#fault(error, requestId, traceId),
    };
    return this.#hasEnded ? closedPipeline(options, () => this.#readinessFailures()) : openPipeline(options);
  }

  #fault(err: unknown, reqId?: string, traceId?: string): void {
    this.log.error({ reqId, traceId, err }, "A request failed");
  }
}

/** The socket that replaces host and port. */
function socketOf({ socket }: Config): SocketTarget | undefined {
  return takeInheritedSocket(process.env, process.pid) ?? (socket === undefined ? undefined : { path: socket });
}

/** An address for calling this process: "all interfaces" is only for listening. */
function reachable(host: string, { url, port }: Listening): string {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  return host === "::" ? `http://[::1]:${port}` : url;
}
