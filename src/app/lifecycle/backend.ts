/**
 * The backend of an app: its database, engine, deliveries, and its membership in the cluster. Loaded when it is opened: at the boot, or
 * on first use (needs-backend.ts).
 */
import { createEngine, type EngineOptions } from "../../graphs/engine/engine.ts";
import type { Engine } from "../../graphs/engine/engine-types.ts";
import type { LifecycleEvent, QueueReport } from "../../graphs/machine/report-types.ts";
import type { Worker } from "../../graphs/definition/definition-types.ts";
import type { Clock, Duration } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import { traceparent } from "../../platform/shared/trace.ts";
import type { Store } from "../../storage/contract/contract.ts";
import { openStore } from "../../storage/open-store.ts";
import { createWebhooks, type WebhooksOptions } from "../../webhooks/webhooks.ts";
import type { ProcessFigures } from "../../graphs/cluster/membership.ts";
import type { ChangeFeed } from "./change-feed.ts";
import type { Config } from "./config.ts";
import { currentOrigin, currentTrace } from "../pipeline/current-request.ts";
import { startObjectSweep } from "./object-sweep.ts";
import { undoDeferred } from "./drain.ts";
import { inboxUrl, isDemoOn } from "../demo/demo.ts";
import { processStatsOf } from "./process-stats.ts";
import { createCluster, jobFor } from "./cluster-setup.ts";
import { onInvalidation } from "../pages/invalidate.ts";
import { LoopWatch } from "./loop-watch.ts";
import type { Metrics } from "../observability/metrics/metrics.ts";
import type { AppOptions, BootOptions } from "../options.ts";
import type { PageCache } from "../pages/page-cache.ts";
import type { Backend } from "./backend-types.ts";
import { deliveryTrace, type Tracer } from "../observability/tracing/tracer.ts";

export interface OpenBackendOptions {
  app: AppOptions;
  config: Config;
  where: BootOptions;
  clock: Clock;
  closing: AbortSignal;
  log: Log;
  metrics: Metrics;
  /** Undefined without an exporter. */
  tracer: Tracer | undefined;
  pageCache: PageCache;
  changes: ChangeFeed;
  /** Build id of the app's manifest. */
  build: string;
}

/** @throws SvcError `SVC_CONFIG`, `SVC_STORE`, `SVC_DEFINITION`; everything is closed again then */
export async function openBackend(options: OpenBackendOptions): Promise<Backend> {
  const { databaseUrl, payloadKeys, payloadBucket: bucket } = options.config;
  const store = await openStore(databaseUrl, { jobOf: jobFor, log: options.log, payloadKeys, bucket });
  const opened: Opened = { store };
  const failed = new AbortController();
  const closing = AbortSignal.any([options.closing, failed.signal]);
  try {
    return { store, ...(await startBackend({ ...options, closing }, store, opened)) };
  } catch (error) {
    failed.abort();
    await undoDeferred(opened, options.log);
    throw error;
  }
}

type Opened = Pick<Backend, "store"> & Partial<Backend>;

/**
 * Registers webhooks first: a run that ends during recovery must find its listeners.
 * @param opened called with each part as soon as it may be working.
 */
async function startBackend(
  { app, config, where, clock, closing, log, metrics, tracer, pageCache, changes, build }: OpenBackendOptions,
  store: Store,
  opened: { -readonly [Part in keyof Opened]: Opened[Part] },
): Promise<Omit<Backend, "store">> {
  store.graphs.onAnyEvents((id) => changes.reportGraph(id));
  store.webhooks.onOutbox(() => changes.notify({ of: "webhooks" }));
  const webhooks = createWebhooks({
    store,
    clock,
    secret: config.webhookSecret,
    allowCidrs: config.webhookAllowCidrs,
    // Only the demo's inbox is exempt from the rules.
    exemptUrl: () => (isDemoOn(app, config) ? inboxUrl(where.url) : undefined),
    log,
    onAttempt: (report) => {
      metrics.deliveries.ended(report);
      tracer?.delivery(report);
    },
    onChange: () => {
      changes.notify({ of: "webhooks" });
      opened.cluster?.webhooksChanged();
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
  opened.webhooks = webhooks;
  await webhooks.registerAtBoot(config.webhookUrls);
  const watch = loopWatch(app, metrics, log, () => engine.queueReports());
  const figures = (): ProcessFigures => processStatsOf(watch);
  const onInvalidated = (names: readonly string[]): void => pageCache.invalidate(names);
  const cluster = await createCluster({ app, build, config, clock, log, store, onInvalidated, changes, figures });
  opened.cluster = cluster;
  if (cluster) onInvalidation((names) => cluster.invalidated(names), closing);
  const engine: Engine = createEngine({
    store,
    cluster,
    onControls: () => changes.notify({ of: "controls" }),
    clock,
    log,
    onAttempt: (report) => {
      watch.ended(report.worker);
      metrics.attempts.add(report.worker, report.outcome);
      metrics.recent.attempted(report.worker);
      tracer?.attempt(report);
    },
    origin: currentOrigin,
    onStart: (run) => {
      metrics.recent.started(run.worker);
      tracer?.started(run, currentTrace());
    },
    ...(tracer && { onStep: (step) => tracer.step(step) }),
    onRetry: (worker) => metrics.recent.retried(worker),
    onReady: (worker) => metrics.recent.ready(worker),
    outboxRows: (event, isAgain = false) => {
      if (!isAgain) tracer?.graph(event);
      if (!isAgain && event.event !== "graph.paused")
        metrics.recent.ended(event.worker, outcomeOf(event), event.durationMs);
      return webhooks.outboxRows(event);
    },
    workers: app.workers ?? [],
    graphs: app.graphs ?? [],
    schedules: app.schedules ?? [],
    events: app.events ?? [],
    ...(app.eventRetention !== undefined && { eventRetention: app.eventRetention }),
    ...(app.tools && { tools: app.tools }),
    ...retentionOf(app, config),
    ...graphLimits(app, config),
  });
  opened.engine = engine;
  watch.start(closing);
  await engine.recover();
  await cluster?.start();
  if (config.role !== "web") {
    webhooks.start();
    startObjectSweep(store, clock, log, closing);
  }
  return { webhooks, engine, cluster, figures };
}

/** Variables are set by the operator, and override the app's options. */
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

function loopWatch(app: AppOptions, metrics: Metrics, log: Log, queueReports: () => QueueReport[]): LoopWatch {
  const nodes = (app.graphs ?? []).flatMap((graph) => graph.nodes.map(({ worker }) => worker));
  const isolated = new Set([...(app.workers ?? []), ...nodes].filter(isIsolated).map(({ name }) => name));
  return new LoopWatch({
    nowMs: () => performance.now(),
    running: () => queueReports().flatMap((taskQueue) => (taskQueue.running > 0 ? [taskQueue.worker] : [])),
    isIsolated: (worker) => isolated.has(worker),
    onStill: (stillMs, workers) => {
      for (const worker of workers) metrics.stillMs.addMany(stillMs, worker);
      const text = `The event loop was blocked for ${stillMs} ms while these workers ran: ${workers.join(", ")}`;
      log.warn({ stillMs, workers }, text);
    },
  });
}

function isIsolated({ options }: Worker<never, unknown>): boolean {
  return options.isolate !== undefined;
}

/** Outcome of an ended run for its counts, in which cancelled runs are not failures. */
function outcomeOf({ event, error }: LifecycleEvent): "done" | "failed" | "cancelled" {
  if (event === "graph.done") return "done";
  return error?.reason === "cancelled" ? "cancelled" : "failed";
}
