/** Tracing, for an app whose operator has configured a collector. */
import type { Clock } from "../../../platform/shared/clock.ts";
import type { Log } from "../../../platform/shared/log.ts";
import type { OtlpConfig } from "../../lifecycle/config.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { Exporter } from "./exporter.ts";
import { Tracer } from "./tracer.ts";

export interface Tracing {
  tracer: Tracer;
  /** Sends the remaining spans, and drops those that are unsent after `deadlineMs`. */
  close(deadlineMs: number): Promise<void>;
}

export function openTracing(config: OtlpConfig, clock: Clock, log: Log, metrics: Metrics): Tracing {
  const count = (outcome: string, spans: number): void => metrics.spans.addMany(spans, outcome);
  const { url, headers, serviceName, ratio } = config;
  const exporter = new Exporter({ url, headers, serviceName, clock, log, count, random: Math.random });
  return { tracer: new Tracer(exporter, clock, ratio), close: (deadlineMs) => exporter.close(deadlineMs) };
}
