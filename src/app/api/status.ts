/** The state of the process: JSON for people and scripts, Prometheus text for monitoring. Both contain the same data. */
import { json } from "../../platform/http/response/response.ts";
import type { Result } from "../../platform/http/types.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import { operatorOnly } from "../pipeline/operator-auth.ts";
import { EXPOSITION_TYPE, exposition, type Family, type Labels } from "../observability/metrics/exposition.ts";
import type { Endpoints, Services } from "../services.ts";
import { VERSION } from "../../platform/package/manifest.ts";
import { deliveriesByStatus, statusOf } from "../observability/operations.ts";

export function statusEndpoints({ router, services }: Endpoints): void {
  const guard = [operatorOnly(services)];
  router.add("GET", PATHS.status, async () => json(await statusOf(services)), guard);
  router.add("GET", PATHS.metrics, () => metrics(services), guard);
}

async function metrics(services: Services): Promise<Result> {
  const body = exposition([
    ...(await stateFamilies(services)),
    ...services.metrics.families(),
    ...services.ownMetrics(),
  ]);
  return { status: 200, headers: ["content-type", EXPOSITION_TYPE, "cache-control", "no-store"], body };
}

/** Metrics that are read from store and engine on request. */
async function stateFamilies(services: Services): Promise<Family[]> {
  const { store, engine, clock, startedMs } = services;
  const queueReports = engine.queueReports();
  const byWorker = (count: "running" | "waiting"): [Labels, number][] =>
    queueReports.map((queueReport) => [{ worker: queueReport.worker }, queueReport[count]]);
  return [
    gauge("svc_build_info", "Always 1; the versions are labels", [[{ version: VERSION, node: process.version }, 1]]),
    gauge("svc_uptime_seconds", "Time since the app booted", [[{}, (clock.now() - startedMs) / 1000]]),
    gauge("svc_graphs", "Graphs by status", byStatus(await store.graphs.countByStatus())),
    gauge("svc_nodes_running", "Running attempts in this process, by worker", byWorker("running")),
    gauge("svc_nodes_waiting", "Nodes queued for a slot in this process, by worker", byWorker("waiting")),
    gauge("svc_deliveries", "Webhook deliveries by status", byStatus(await deliveriesByStatus(services))),
    gauge("svc_deliveries_under_way", "Delivery attempts in progress", [[{}, services.webhooks.activeCount()]]),
    gauge("svc_delivery_oldest_waiting_seconds", "Delay of the most overdue waiting delivery", [
      [{}, (await services.webhooks.oldestWaitingMs()) / 1000],
    ]),
    gauge("svc_webhooks", "Webhook registrations", [[{}, store.webhooks.known().size]]),
  ];
}

function byStatus(counts: Readonly<Record<string, number>>): [Labels, number][] {
  return Object.entries(counts).map(([status, count]) => [{ status }, count]);
}

function gauge(name: string, help: string, values: readonly (readonly [Labels, number])[]): Family {
  return { name, type: "gauge", help, samples: values.map(([labels, value]) => ({ labels, value })) };
}
