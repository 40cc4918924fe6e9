/** The state of the process in one look: JSON for people and scripts, Prometheus text for monitoring. */
import { json } from "../../http/response.ts";
import type { Result } from "../../http/types.ts";
import { PATHS } from "../../shared/wire.ts";
import { operatorOnly } from "../auth.ts";
import type { Endpoints, Services } from "../services.ts";

/** Prometheus text exposition format 0.0.4. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export function statusEndpoints({ router, services }: Endpoints): void {
  const guard = [operatorOnly(services)];
  router.add("GET", PATHS.status, () => json(summary(services)), guard);
  router.add("GET", PATHS.metrics, () => metrics(services), guard);
}

function summary({ store, webhooks, clock, startedMs }: Services) {
  const count = (status: string): number => webhooks.deliveries(new URLSearchParams({ status, limit: "1" })).total;
  return {
    status: "ready",
    uptime_ms: clock.now() - startedMs,
    graphs: store.graphs.countByStatus(),
    webhooks: store.webhooks.registrations().length,
    deliveries: { pending: count("pending"), delivered: count("delivered"), failed: count("failed") },
    memory_bytes: process.memoryUsage.rss(),
  };
}

function metrics(services: Services): Result {
  const { graphs, deliveries, webhooks, uptime_ms: uptimeMs, memory_bytes: memoryBytes } = summary(services);
  const body = [
    ...family("svc_graphs", "gauge", "Graphs by status", Object.entries(graphs), "status"),
    ...family("svc_deliveries", "gauge", "Webhook deliveries by status", Object.entries(deliveries), "status"),
    ...family("svc_webhooks", "gauge", "Webhook registrations", [["", webhooks]]),
    ...family("svc_uptime_seconds", "gauge", "Time since the app booted", [["", uptimeMs / 1000]]),
    ...family("process_resident_memory_bytes", "gauge", "Resident memory", [["", memoryBytes]]),
  ];
  const headers = ["content-type", METRICS_TYPE, "cache-control", "no-store"];
  return { status: 200, headers, body: `${body.join("\n")}\n` };
}

function family(name: string, type: string, help: string, values: [string, number][], label?: string): string[] {
  const lines = values.map(([key, value]) => `${name}${label ? `{${label}="${key}"}` : ""} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}
