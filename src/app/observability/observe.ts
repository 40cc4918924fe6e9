/** Combines the observers of requests: metrics always, log and traces if configured. */
import type { Observer } from "../../platform/http/observer.ts";
import type { Log } from "../../platform/shared/log.ts";
import { logRequest } from "./access-log.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Phase } from "../pipeline/timing.ts";
import type { RequestContext } from "../../platform/http/request/context.ts";
import type { Tracer } from "./tracing/tracer.ts";

export interface Watchers {
  metrics: Metrics;
  /** Undefined: requests are not logged. */
  accessLog: Log | undefined;
  tracer: Tracer | undefined;
  phasesOf: (ctx: RequestContext) => readonly Phase[];
}

/** Metrics alone without other observers, which saves a call. */
export function observe({ metrics, accessLog, tracer, phasesOf }: Watchers): Observer {
  if (!accessLog && !tracer) return metrics;
  return {
    began: () => metrics.began(),
    answering: (ctx) => metrics.answering(ctx),
    ended: (ctx, result, durationMs, isCut) => {
      metrics.ended(ctx, result, durationMs, isCut);
      if (accessLog) logRequest(accessLog, ctx, result, durationMs, isCut);
      tracer?.request(ctx, result, durationMs, isCut, phasesOf(ctx));
    },
  };
}
