/**
 * What those who run an app see and do beyond graphs and webhooks: one object, behind the endpoints and behind whatever
 * screens an app gives its operators. Who may ask is for the caller to judge.
 */
import { hostname } from "node:os";
import type { ProcessView } from "../cluster/membership.ts";
import type { Json } from "../shared/json.ts";
import type { Steering } from "../graph/steering-types.ts";
import type { QueueView } from "../graph/queue-types.ts";
import { auditOf } from "../graph/audit.ts";
import { isEqualSecret } from "../security/secrets.ts";
import type { GraphStatus } from "../shared/wire.ts";
import type { AuditQuery, AuditRow } from "../store/control.ts";
import type { Page } from "../store/queries.ts";
import type { LaneReport } from "../graph/report-types.ts";
import { VERSION } from "../webhooks/user-agent.ts";
import type { DeliveryMetrics } from "./metrics/deliveries.ts";
import type { AppOptions } from "./options.ts";
import type { Activity, ActivityRange, Recent } from "./metrics/recent.ts";
import type { Services } from "./services.ts";
import { settingsOf, type Setting } from "./settings.ts";

/** The state of this process in one look, as the status endpoint answers it. Counts of attempts and requests begin with the process. */
export interface Status {
  status: "ready" | "draining";
  version: string;
  uptime_ms: number;
  graphs: Record<GraphStatus, number>;
  queues: LaneReport[];
  node_attempts: Record<string, number>;
  /** How many are registered. */
  webhooks: number;
  deliveries: Record<string, number>;
  delivery_attempts: Record<string, number>;
  delivery: { under_way: number; oldest_waiting_ms: number } & ReturnType<DeliveryMetrics["summary"]>;
  requests: { in_flight: number; by_status: Record<string, number> };
  actions: Record<string, number>;
  refusals: Record<string, number>;
  event_streams: number;
  memory_bytes: number;
  /** What graphs did in the last hour, and in the one before. */
  recent: Recent;
}

export interface Operations {
  status(): Promise<Status>;
  /** The processes that share the database, the longest there first; this one alone, where it has it to itself. */
  processes(): Promise<ProcessView[]>;
  /** The app's clock, Unix milliseconds. */
  nowMs(): number;
  /** What graphs did in the last hour, in all processes that share the database. */
  recent(): Promise<Recent>;
  /** The same by the name they were started by: each minute of the last hour, or each quarter of an hour of the last day. */
  activity(range?: ActivityRange): Promise<Activity>;
  /** What waits for each worker in all processes that share the database; what others say is up to five seconds old. */
  queues(): Promise<FleetQueue[]>;
  /** Every variable, with the value in force; secrets only as set or not. */
  settings(): Setting[];
  /** Whether this is `SVC_EXEC_API_KEY`, in constant time; never where that is not set. */
  isOperatorKey(text: string): boolean;
  /** Who did what by hand, newest first. */
  audit(query?: AuditQuery): Promise<Page<AuditRow>>;
  /**
   * Keeps in the audit trail that somebody has done something that no graph's transition tells of.
   * @param operation such as `webhook.ping` @param target what it was done to: an id, a name, `*`
   */
  record(operation: string, target: string, steering?: Steering, data?: Json): Promise<void>;
}

/** A queue over all processes. */
export interface FleetQueue extends QueueView {
  /** Attempts that end in a minute at present. */
  ended_per_minute: number;
}

const DELIVERY_STATUSES = ["pending", "delivered", "failed"];

export function operationsOf(services: Services, app: AppOptions): Operations {
  const { store, clock, config, metrics, activity } = services;
  return {
    status: () => statusOf(services),
    processes: () => processesOf(services),
    nowMs: () => clock.now(),
    recent: () => recentOf(services),
    activity: async (range = "hour") => {
      await activity.refresh();
      return metrics.recent.activity(range);
    },
    queues: () => queuesOf(services),
    settings: () => settingsOf(config, app.env ?? process.env, app),
    isOperatorKey: (text) => config.execApiKey !== undefined && isEqualSecret(text, config.execApiKey),
    audit: (query = {}) => store.audit.list(query),
    record: (operation, target, steering, data) =>
      store.audit.add(auditOf(operation, target, clock.now(), steering, data)),
  };
}

async function recentOf({ activity, metrics }: Services): Promise<Recent> {
  await activity.refresh();
  return metrics.recent.read();
}

async function queuesOf({ activity, metrics, engine, clock }: Services): Promise<FleetQueue[]> {
  const [queues] = await Promise.all([engine.queues.list(), activity.refresh()]);
  const lanes = new Map(activity.lanes().map((lane) => [lane.worker, lane]));
  const rates = metrics.recent.attemptsPerMinute();
  return queues.map((queue) => {
    const { running, waiting, sinceMs } = lanes.get(queue.worker) ?? { ...queue, sinceMs: undefined };
    return {
      ...queue,
      running,
      waiting,
      oldest_ms: sinceMs === undefined ? queue.oldest_ms : Math.max(0, clock.now() - sinceMs),
      ended_per_minute: rates.get(queue.worker) ?? 0,
    };
  });
}

async function processesOf({ cluster, config, engine, startedMs }: Services): Promise<ProcessView[]> {
  if (cluster) return cluster.processes();
  return [
    {
      id: "this",
      host: `${hostname()}/${process.pid}`,
      role: config.role,
      workers: (await engine.queues.list()).map(({ worker }) => worker),
      build: VERSION,
      started_ms: startedMs,
      silent_ms: 0,
    },
  ];
}

export async function statusOf(services: Services): Promise<Status> {
  const { store, engine, clock, startedMs, metrics: counted, closing } = services;
  return {
    status: closing.aborted ? "draining" : "ready",
    version: VERSION,
    uptime_ms: clock.now() - startedMs,
    graphs: await store.graphs.countByStatus(),
    queues: engine.lanes(),
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
    recent: await recentOf(services),
  };
}

export async function deliveriesByStatus({ webhooks }: Services): Promise<Record<string, number>> {
  const counts = DELIVERY_STATUSES.map(async (status): Promise<[string, number]> => {
    const { total } = await webhooks.deliveries(new URLSearchParams({ status, limit: "1" }));
    return [status, total];
  });
  return Object.fromEntries(await Promise.all(counts));
}

/** What waits past its time, and what is under way. */
async function deliveryState({ webhooks }: Services): Promise<{ under_way: number; oldest_waiting_ms: number }> {
  return { under_way: webhooks.underWay(), oldest_waiting_ms: await webhooks.oldestWaitingMs() };
}
