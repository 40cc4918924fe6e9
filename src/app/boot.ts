/** Puts the layers together once: store, engine, webhooks, files. Order matters and is told step by step. */
import { Sessions } from "../http/sessions.ts";
import { createEngine, type EngineOptions } from "../graph/engine.ts";
import type { Engine } from "../graph/engine-types.ts";
import type { LaneReport } from "../graph/machine/report-types.ts";
import type { Worker } from "../graph/definition/definition-types.ts";
import { loadOrCreateSecret, type Secrets } from "../security/secrets.ts";
import { durationMs, type Clock, type Duration } from "../shared/clock.ts";
import { SvcError } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import { traceparent } from "../shared/trace.ts";
import type { Store } from "../store/contract.ts";
import type { SessionRows } from "../store/visitors.ts";
import { openStore } from "../store/open.ts";
import { createWebhooks, type Webhooks, type WebhooksOptions } from "../webhooks/webhooks.ts";
import type { App } from "./app-face.ts";
import { isAction, specOf, type AnyAction } from "./action.ts";
import { Answers } from "./answers.ts";
import { Held } from "./held.ts";
import { createFleet, jobFor } from "./fleet.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { ProcessFigures } from "../cluster/membership.ts";
import { Changes } from "./changes.ts";
import { currentOrigin } from "./current.ts";
import { isShared, type Config } from "./config.ts";
import { DatabaseSessions } from "./database-sessions.ts";
import { inboxUrl } from "./endpoints/demo.ts";
import { ActivityLog } from "./activity.ts";
import { figuresOf } from "./figures.ts";
import { Limits } from "./limits.ts";
import { keptOf } from "./cached-page.ts";
import { followInvalidations, tellInvalidations } from "./invalidate.ts";
import { LoopWatch } from "./loop-watch.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { AppOptions, SessionOptions, Surroundings } from "./options.ts";
import { PageCache } from "./page-cache.ts";
import { Phases } from "./phases.ts";
import type { Services } from "./services.ts";
import { deliveryTrace, type Tracer } from "./tracing/tracer.ts";
import type { Listens } from "./settings.ts";
import { loadSite, type Site } from "./site.ts";
import { readSubmits } from "./submit.ts";

/** Some thousand pages. */
const PAGE_CACHE_BYTES = 64 * 1024 * 1024;
/** Over a weekend away and back. */
const SESSION_LIFETIME = "14d";
/** As often as people may be asked to sign in without being surprised. */
const SESSION_LONGEST_MS = durationMs("90d");

export interface BootOptions {
  app: AppOptions;
  /** The app itself. */
  face: App;
  config: Config;
  where: Surroundings;
  clock: Clock;
  closing: AbortSignal;
  log: Log;
  metrics: Metrics;
  /** Undefined where traces go nowhere. */
  tracer: Tracer | undefined;
  /** Undefined without a socket of its own. */
  listens: Listens | undefined;
}

/** @throws SvcError `SVC_CONFIG`, `SVC_STORE`, `SVC_DEFINITION`; what was opened until then is closed again. */
export async function boot(options: BootOptions): Promise<Services> {
  const { config, clock, where, app } = options;
  const actions = readActions(app.actions ?? {});
  const submits = readSubmits(app.submits ?? {});
  const site = loadSite(where);
  await requireActions(site, actions);
  const secrets: Secrets = [config.secret ?? loadOrCreateSecret(config.dataDir), ...config.previousSecrets];
  const pageCache = new PageCache({ maxBytes: app.pageCache?.bytes ?? PAGE_CACHE_BYTES, clock });
  followInvalidations(pageCache, options.closing);
  pageCache.seed(site.exported.map((page) => keptOf(page, clock.now())));
  const store = await openStore(config.databaseUrl, { jobOf: jobFor });
  const shared = store.rates;
  const limits = await Limits.open({ config, clock, actions, submits, shared }).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  try {
    const changes = new Changes();
    const { webhooks, engine, cluster, figures } = await startWork(options, store, pageCache, changes);
    const activity = keptActivity(options, store, engine);
    return {
      app: options.face,
      config,
      clock,
      store,
      engine,
      webhooks,
      cluster,
      changes,
      figures,
      activity,
      site,
      secrets,
      sessions: createSessions(app.session, { secrets, clock, rows: store.sessions }),
      actions,
      submits,
      limits,
      pageCache,
      hasCompression: app.compress ?? true,
      answers: new Answers({ store: store.answers, clock, log: options.log }),
      held: new Held({ store: store.answers, clock, log: options.log }),
      stylesheets: app.stylesheets ?? [],
      hasTrustedTypes: Boolean(app.security?.trustedTypes),
      hasThemes: app.themes === true,
      startedMs: clock.now(),
      ownUrl: where.url,
      listens: options.listens,
      closing: options.closing,
      log: options.log,
      metrics: options.metrics,
      phases: new Phases(options.tracer !== undefined || site.dev !== undefined),
      ownMetrics: app.metrics ?? (() => []),
    };
  } catch (error) {
    await store.close();
    limits.close();
    throw error;
  }
}

function keptActivity({ config, clock, log, metrics }: BootOptions, store: Store, engine: Engine): ActivityLog {
  const activity = new ActivityLog({
    rows: store.activity,
    recent: metrics.recent,
    clock,
    log,
    lanes: () => engine.lanes(),
    isShared: isShared(config),
  });
  metrics.onRecent = () => activity.changed();
  // Graphs that went on at once have been counted before.
  activity.changed();
  return activity;
}

/** Registrations go first: a graph that recovery finishes at once must find its listeners. */
async function startWork(
  { app, config, where, clock, closing, log, metrics, tracer }: BootOptions,
  store: Store,
  pageCache: PageCache,
  changes: Changes,
): Promise<{ webhooks: Webhooks; engine: Engine; cluster: Cluster | undefined; figures: () => ProcessFigures }> {
  let fleet: Cluster | undefined;
  store.graphs.onAnyEvents((id) => changes.tellGraph(id));
  store.webhooks.onOutbox(() => changes.tell({ of: "webhooks" }));
  const webhooks = createWebhooks({
    store,
    clock,
    secret: config.webhookSecret,
    allowCidrs: config.webhookAllowCidrs,
    // Only the demo's inbox is exempt from the rules, so without the demo nothing is.
    exemptUrl: () => (isDemoOn(app, config) ? inboxUrl(where.url) : undefined),
    log,
    onAttempt: (report) => {
      metrics.deliveries.ended(report);
      tracer?.delivery(report);
    },
    onChange: () => {
      changes.tell({ of: "webhooks" });
      fleet?.webhooksChanged();
    },
    traceparent: ({ id, graphId }, attempt) =>
      traceparent(deliveryTrace(graphId, id, attempt, config.otlp?.ratio ?? 0)),
    onDisabled: (webhook) => {
      metrics.deliveries.disabled.add(webhook.disabled_reason ?? "");
      app.onWebhookDisabled?.(webhook);
    },
    ...webhookLimits(app, config),
    ...(app.webhookSchedule === undefined ? {} : { schedule: app.webhookSchedule }),
  });
  await webhooks.registerAtBoot(config.webhookUrls);
  const watch = loopWatch(app, metrics, log, () => engine.lanes());
  const figures = (): ProcessFigures => figuresOf(watch);
  const onInvalidated = (names: readonly string[]): void => pageCache.invalidate(names);
  const cluster = await createFleet({ app, config, clock, log, store, onInvalidated, changes, figures });
  fleet = cluster;
  if (cluster) tellInvalidations((names) => cluster.invalidated(names), closing);
  const engine: Engine = createEngine({
    store,
    fleet: cluster,
    onControls: () => changes.tell({ of: "controls" }),
    clock,
    log,
    onAttempt: (report) => {
      watch.ended(report.worker);
      metrics.attempts.add(report.worker, report.outcome);
      metrics.recent.attempted(report.worker);
      tracer?.attempt(report);
    },
    origin: currentOrigin,
    onStart: (worker) => metrics.recent.started(worker),
    outboxRows: (event, isAgain = false) => {
      if (!isAgain) tracer?.graph(event);
      if (!isAgain && event.event !== "graph.paused")
        metrics.recent.ended(event.worker, event.event === "graph.done" ? "done" : "failed", event.durationMs);
      return webhooks.outboxRows(event);
    },
    workers: app.workers ?? [],
    graphs: app.graphs ?? [],
    schedules: app.schedules ?? [],
    ...(app.tools && { tools: app.tools }),
    ...retentionOf(app, config),
    ...graphLimits(app, config),
  });
  watch.start(closing);
  await engine.recover();
  await cluster?.start();
  if (config.role !== "web") webhooks.start();
  return { webhooks, engine, cluster, figures };
}

/** Variables are the operator's word, and stand above the app's. */
function retentionOf({ graphRetention }: AppOptions, config: Config): { retention?: Duration } {
  const retention = config.retention ?? graphRetention;
  return retention === undefined ? {} : { retention };
}

function graphLimits(app: AppOptions, config: Config): Pick<EngineOptions, "limits" | "concurrency"> {
  const concurrency = config.graphConcurrency ?? app.graphConcurrency;
  return {
    limits: { ...app.graphLimits, ...config.graphLimits },
    ...(concurrency !== undefined && { concurrency }),
  };
}

function webhookLimits(app: AppOptions, config: Config): Pick<WebhooksOptions, "connections" | "payloadBytes"> {
  const { webhookConnections: total, webhookPayloadBytes: payloadBytes = app.webhookPayloadBytes } = config;
  return {
    connections: { ...app.webhookConnections, ...(total !== undefined && { total }) },
    ...(payloadBytes !== undefined && { payloadBytes }),
  };
}

function loopWatch(app: AppOptions, metrics: Metrics, log: Log, lanes: () => LaneReport[]): LoopWatch {
  const nodes = (app.graphs ?? []).flatMap((graph) => graph.nodes.map(({ worker }) => worker));
  const isolated = new Set([...(app.workers ?? []), ...nodes].filter(isIsolated).map(({ name }) => name));
  return new LoopWatch({
    nowMs: () => performance.now(),
    running: () => lanes().flatMap((lane) => (lane.running > 0 ? [lane.worker] : [])),
    isIsolated: (worker) => isolated.has(worker),
    onStill: (stillMs, workers) => {
      for (const worker of workers) metrics.stillMs.addMany(stillMs, worker);
      const text = `The event loop stood still for ${stillMs} ms while these workers ran: ${workers.join(", ")}`;
      log.warn({ stillMs, workers }, text);
    },
  });
}

function isIsolated({ options }: Worker<never, unknown>): boolean {
  return options.isolate !== undefined;
}

/** @throws SvcError `SVC_CONFIG` for a lifetime that is none */
function createSessions(
  { lifetime = SESSION_LIFETIME, longest, store: given }: SessionOptions = {},
  { secrets, clock, rows }: { secrets: Secrets; clock: Clock; rows: SessionRows },
): Sessions {
  const store = given === "database" ? new DatabaseSessions(rows, clock) : given;
  const lifetimeMs = lifeOf("lifetime", lifetime);
  const longestMs = longest === undefined ? Math.max(SESSION_LONGEST_MS, lifetimeMs) : lifeOf("longest", longest);
  return new Sessions({ secrets, clock, lifetimeMs, longestMs, store });
}

function lifeOf(option: keyof SessionOptions, given: Duration): number {
  const ms = durationMs(given);
  if (ms >= 1000) return ms;
  throw new SvcError(
    "SVC_CONFIG",
    `session.${option} is ${JSON.stringify(given)}; give a second or more, such as "14d"`,
  );
}

export function isDemoOn(app: AppOptions, config: Config): boolean {
  return app.demo ?? !config.isProduction;
}

function readActions(given: Readonly<Record<string, AnyAction>>): Map<string, AnyAction> {
  const actions = new Map(Object.entries(given));
  for (const [name, value] of actions) {
    if (!isAction(value)) {
      throw new SvcError("SVC_DEFINITION", `actions.${name} is not an action; make it with action(…) from "svc"`);
    }
  }
  return actions;
}

/** A call that could only ever be answered "Unknown action", or not as it is read, is found here, not by the first user. */
async function requireActions(site: Site, actions: ReadonlyMap<string, AnyAction>): Promise<void> {
  const manifest = await site.manifest();
  const missing = manifest.actions.filter((name) => !actions.has(name));
  if (missing.length > 0) {
    throw new SvcError(
      "SVC_DEFINITION",
      `Browser code calls ${missing.join(", ")}, but createApp was not given ${missing.length === 1 ? "it" : "them"}: ` +
        `add createApp({ actions: { ${missing.join(", ")} } })`,
    );
  }
  const unlike = manifest.actions.find((name) => {
    const target = actions.get(name);
    return target && specOf(target).isStream !== (manifest.streams ?? []).includes(name);
  });
  if (unlike === undefined) return;
  throw new SvcError(
    "SVC_DEFINITION",
    `The action "${unlike}" is not the one that browser code calls by that name, or its file does not show that it streams: ` +
      "write action(async function* (…) { … }) there, and give createApp that very action",
  );
}
