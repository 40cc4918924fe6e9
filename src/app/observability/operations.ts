/**
 * Implements `Operations`: data and operations for operators beyond graphs and webhooks, for the endpoints and for operators' screens.
 * Callers check access.
 */
import { hostname } from "node:os";
import type { ProcessView } from "../../graphs/cluster/membership.ts";
import { auditOf } from "../../graphs/machine/audit.ts";
import { EMPTY_MANIFEST } from "../../platform/shared/manifest.ts";
import { VERSION } from "../../platform/package/manifest.ts";
import { environmentOf } from "../lifecycle/config.ts";
import { freeDiskOf } from "../lifecycle/disk.ts";
import type { AppOptions } from "../options.ts";
import type { RecentActivity } from "./metrics/recent-activity.ts";
import type { ClusterQueue, Operations, RequestView, Status } from "./operations-types.ts";
import type { Services } from "../services.ts";
import { settingsOf } from "../lifecycle/settings.ts";

const DELIVERY_STATUSES = ["pending", "delivered", "failed"];

export function operationsOf(services: Services, app: AppOptions): Operations {
  const { store, clock, config, metrics, activity } = services;
  return {
    status: () => statusOf(services),
    processes: () => processesOf(services),
    nowMs: () => clock.now(),
    onChange: (listener) => services.changes.follow(listener),
    requests: () => requestsOf(services),
    refusedCallers: () => metrics.refusedCallers.read(),
    recent: async () => recentOf(services, await services.store.graphs.countByStatus()),
    activity: async (range = "hour") => {
      await activity.refresh();
      return metrics.recent.activity(range);
    },
    queues: () => queuesOf(services),
    settings: () => settingsOf(config, environmentOf(app.env), app, services.listens),
    isOperator: (proof, text, clientIp) => services.operatorAccess.accepts(proof, text, clientIp),
    requireAttempt: (clientIp) => services.operatorAccess.requireAttempt(clientIp),
    hasProof: (proof) => services.operatorAccess.sessionPurpose(proof) !== undefined,
    signIn: async (proof, text, role, clientIp) => {
      if (services.operatorAccess.accepts(proof, text, clientIp)) return services.operatorSessions.open(proof, role);
      services.security.note("sign-in-failed", { clientIp });
      return undefined;
    },
    operatorSession: (rawCookie) => services.operatorSessions.find(rawCookie),
    signOut: (rawCookie) => services.operatorSessions.close(rawCookie),
    hold: (delay, run) => services.deferred.hold(delay, run),
    undo: (id) => services.deferred.undo(id),
    progressOf: (id) => services.deferred.progressOf(id),
    audit: (query = {}) => store.audit.list(query),
    record: (operation, target, auditContext, data) =>
      store.audit.add(auditOf(operation, target, clock.now(), auditContext, data)),
  };
}

function requestsOf({ metrics, clock }: Services): RequestView[] {
  const [nowMs, now] = [clock.now(), performance.now()];
  return [...metrics.activeRequests].map((ctx) => ({
    ...ctx.unseen(() => ({ request_id: ctx.requestId, client: ctx.clientIp })),
    method: ctx.method,
    route: ctx.route?.pattern ?? null,
    since_ms: Math.round(nowMs - (now - ctx.startedMs)),
    is_stream: ctx.isStreamed,
  }));
}

async function recentOf({ activity, metrics }: Services, graphs: Status["graphs"]): Promise<RecentActivity> {
  await activity.refresh();
  return metrics.recent.read(graphs.running + graphs.pending + graphs.queued + graphs.paused + graphs.parked);
}

/** Queues over all processes that share the database. */
export async function queuesOf({ activity, metrics, engine, clock }: Services): Promise<ClusterQueue[]> {
  const [queues] = await Promise.all([engine.queues.list(), activity.refresh()]);
  const queueReports = new Map(activity.queueReports().map((queueReport) => [queueReport.worker, queueReport]));
  const [ready, ended] = [metrics.recent.readyPerMinute(), metrics.recent.attemptsPerMinute()];
  return queues.map((queue) => {
    const { running, waiting, sinceMs } = queueReports.get(queue.worker) ?? { ...queue, sinceMs: undefined };
    return {
      ...queue,
      running,
      waiting,
      oldest_ms: sinceMs === undefined ? queue.oldest_ms : Math.max(0, clock.now() - sinceMs),
      ready_per_minute: ready.get(queue.worker) ?? 0,
      ended_per_minute: ended.get(queue.worker) ?? 0,
    };
  });
}

async function processesOf({ cluster, config, engine, site, startedMs, figures }: Services): Promise<ProcessView[]> {
  if (cluster) return cluster.processes();
  return [
    {
      id: "this",
      host: `${hostname()}/${process.pid}`,
      role: config.role,
      workers: (await engine.queues.list()).map(({ worker }) => worker),
      build: await buildOf(site),
      started_ms: startedMs,
      silent_ms: 0,
      ...figures(),
    },
  ];
}

/** Build id of `svc build`, or the version for an app that was never built. */
async function buildOf(site: Services["site"]): Promise<string> {
  const { build } = await site.manifest();
  return build === EMPTY_MANIFEST.build ? VERSION : build;
}

export async function statusOf(services: Services): Promise<Status> {
  const { store, engine, clock, startedMs, metrics: counted, closing } = services;
  const graphs = await store.graphs.countByStatus();
  return {
    status: closing.aborted ? "draining" : "ready",
    version: VERSION,
    uptime_ms: clock.now() - startedMs,
    graphs,
    queues: engine.queueReports(),
    node_attempts: counted.attempts.by("outcome"),
    webhooks: store.webhooks.known().size,
    deliveries: await deliveriesByStatus(services),
    delivery_attempts: counted.deliveries.attempts.by("outcome"),
    delivery: { ...(await deliveryState(services)), ...counted.deliveries.summary() },
    requests: { in_flight: counted.requests.inFlight, by_status: counted.requests.totals() },
    actions: counted.actions.by("outcome"),
    refusals: counted.refusals.by("reason"),
    event_streams: counted.eventStreams,
    memory_bytes: process.memoryUsage.rss(),
    loop_p99_ms: services.figures().loop_p99_ms,
    processes: await processesOf(services),
    disk_free_bytes: await freeDiskOf(services.config.databaseUrl),
    database_bytes: (await store.sizeBytes?.()) ?? null,
    recent: await recentOf(services, graphs),
  };
}

export async function deliveriesByStatus({ webhooks }: Services): Promise<Record<string, number>> {
  const counts = DELIVERY_STATUSES.map(async (status): Promise<[string, number]> => {
    const { total } = await webhooks.deliveries(new URLSearchParams({ status, limit: "1" }));
    return [status, total];
  });
  return Object.fromEntries(await Promise.all(counts));
}

/** Running deliveries, and the delay of the most overdue one. */
async function deliveryState({ webhooks }: Services): Promise<{ under_way: number; oldest_waiting_ms: number }> {
  return { under_way: webhooks.activeCount(), oldest_waiting_ms: await webhooks.oldestWaitingMs() };
}
