/**
 * Records spans of the app's operations. A request belongs to the trace in its `traceparent`. A run has its own trace, whose id is
 * derived from the run's id. So attempts and deliveries of one run share one trace, even after restarts, and nothing has to be stored.
 *
 * A span has the route instead of the path, and contains no query, header or payload, because those may be secrets.
 */
import { hash } from "node:crypto";
import type { AttemptReport, LifecycleEvent, StartReport, StepReport } from "../../../graphs/machine/report-types.ts";
import type { RequestContext } from "../../../platform/http/request/context.ts";
import type { Result } from "../../../platform/http/types.ts";
import type { Clock } from "../../../platform/shared/clock.ts";
import { isSampledBy, type Trace } from "../../../platform/shared/trace.ts";
import type { DeliveryReport } from "../../../webhooks/delivery/delivery-loop.ts";
import type { Phase } from "../../pipeline/timing.ts";
import type { Exporter } from "./exporter.ts";

export class Tracer {
  readonly #exporter: Exporter;
  readonly #clock: Clock;
  readonly #ratio: number;

  /** @param ratio share of the traces starting here that are recorded, 0 to 1 */
  constructor(exporter: Exporter, clock: Clock, ratio: number) {
    this.#exporter = exporter;
    this.#clock = clock;
    this.#ratio = ratio;
  }

  /** @param phases the request's phases with their durations */
  request(ctx: RequestContext, { status }: Result, durationMs: number, isCut: boolean, phases: readonly Phase[]): void {
    const { trace, method, route } = ctx;
    if (!trace.isSampled) return;
    const endMs = this.#clock.now();
    const startMs = endMs - durationMs;
    const { traceId, spanId, parentId, state } = trace;
    this.#exporter.add({
      traceId,
      spanId,
      parentId,
      state,
      name: route ? `${method} ${route.pattern}` : method,
      kind: "server",
      startMs,
      endMs,
      attributes: {
        "http.request.method": method,
        "http.route": route?.pattern,
        "http.response.status_code": status,
        "svc.request_id": ctx.requestId,
        "svc.client_left": isCut || undefined,
        "error.type": status >= 500 ? String(status) : undefined,
      },
      error: status >= 500 ? `answered ${status}` : undefined,
    });
    phases.forEach((phase, at) => {
      const phaseStartMs = startMs + (phase.startMs - ctx.startedMs);
      this.#exporter.add({
        traceId,
        spanId: hex(`${spanId}/${at}`, 16),
        parentId: spanId,
        state,
        name: phase.name,
        kind: "internal",
        startMs: phaseStartMs,
        endMs: phaseStartMs + phase.durationMs,
        attributes: {},
        error: phase.hasFailed ? `${phase.name} failed` : undefined,
      });
    });
  }

  /** Records a run that has ended. */
  graph({ event, graphId, worker, status, epoch, timestampMs, durationMs, error }: LifecycleEvent): void {
    if (event === "graph.paused") return;
    const trace = this.#graphTrace(graphId, epoch);
    if (!trace.isSampled) return;
    this.#exporter.add({
      ...trace,
      name: `graph ${worker}`,
      kind: "internal",
      startMs: timestampMs - durationMs,
      endMs: timestampMs,
      attributes: { "svc.graph_id": graphId, "svc.graph_status": status, "svc.epoch": epoch },
      error: error?.message,
    });
  }

  attempt(report: AttemptReport): void {
    const { graphId, epoch, node, worker, attempt, startedMs, endedMs, outcome, message } = report;
    const parent = this.#graphTrace(graphId, epoch);
    if (!parent.isSampled) return;
    this.#exporter.add({
      traceId: parent.traceId,
      spanId: attemptSpan(graphId, epoch, node, attempt),
      parentId: parent.spanId,
      state: undefined,
      name: `worker ${worker}`,
      kind: "internal",
      startMs: startedMs,
      endMs: endedMs,
      attributes: { "svc.graph_id": graphId, "svc.node": node, "svc.attempt": attempt, "svc.outcome": outcome },
      error: message,
    });
  }

  /** A step, sleep or wait inside an attempt. A wait belongs to the attempt in which it ended. */
  step({ graphId, epoch, node, attempt, step, kind, startedMs, endedMs, message }: StepReport): void {
    const { traceId, isSampled } = this.#graphTrace(graphId, epoch);
    if (!isSampled) return;
    this.#exporter.add({
      traceId,
      spanId: hex(`${graphId}/${epoch}/${node}#${step}/${endedMs}`, 16),
      parentId: attemptSpan(graphId, epoch, node, attempt),
      state: undefined,
      name: `${kind} ${step}`,
      kind: "internal",
      startMs: startedMs,
      endMs: endedMs,
      attributes: { "svc.graph_id": graphId, "svc.node": `${node}#${step}`, "svc.kind": kind },
      error: message,
    });
  }

  /**
   * Links a run with the request that started it: a span in each of the two traces names the other one.
   * @param request trace of the request; undefined: the run was started outside of a request.
   */
  started({ graphId, worker, epoch, startedMs }: StartReport, request: Trace | undefined): void {
    if (!request) return;
    const run = this.#graphTrace(graphId, epoch);
    const spans = [
      { from: run, to: request },
      { from: request, to: run },
    ];
    for (const { from, to } of spans) {
      if (!from.isSampled) continue;
      this.#exporter.add({
        traceId: from.traceId,
        spanId: hex(`${from.traceId}/start ${graphId}`, 16),
        parentId: from.spanId,
        state: from.state,
        name: `start ${worker}`,
        kind: "internal",
        startMs: startedMs,
        endMs: startedMs,
        attributes: { "svc.graph_id": graphId },
        links: [{ traceId: to.traceId, spanId: to.spanId }],
        error: undefined,
      });
    }
  }

  delivery(report: DeliveryReport): void {
    const { deliveryId, graphId, epoch, event, attempt, startedMs, endedMs, statusCode, status, error } = report;
    const trace = deliveryTrace(graphId, deliveryId, attempt, this.#ratio);
    if (!trace.isSampled) return;
    this.#exporter.add({
      ...trace,
      parentId: this.#graphTrace(graphId, epoch).spanId,
      name: `deliver ${event}`,
      kind: "client",
      startMs: startedMs,
      endMs: endedMs,
      attributes: {
        "http.request.method": "POST",
        "http.response.status_code": statusCode,
        "svc.delivery_id": deliveryId,
        "svc.attempt": attempt,
        "svc.outcome": status === "pending" ? "retrying" : status,
      },
      error,
    });
  }

  /** The root span of a run's trace. */
  #graphTrace(graphId: string, epoch: number): Trace {
    return rooted(graphId, `${graphId}/${epoch}`, this.#ratio);
  }
}

/**
 * The span of a delivery attempt; its receiver gets it as `traceparent`.
 * @param ratio 0 if nothing is recorded; the ids stay the same, so a receiver can still correlate deliveries
 */
export function deliveryTrace(graphId: string, deliveryId: string, attempt: number, ratio: number): Trace {
  return rooted(graphId, `${deliveryId}/${attempt}`, ratio);
}

/** A span in the trace of a run. */
function rooted(graphId: string, of: string, ratio: number): Trace {
  const traceId = graphTraceId(graphId);
  return {
    traceId,
    spanId: hex(of, 16),
    parentId: undefined,
    isSampled: isSampledBy(ratio, traceId),
    state: undefined,
  };
}

function attemptSpan(graphId: string, epoch: number, node: string, attempt: number): string {
  return hex(`${graphId}/${epoch}/${node}/${attempt}`, 16);
}

function graphTraceId(graphId: string): string {
  return hex(`svc graph ${graphId}`, 32);
}

function hex(text: string, digits: number): string {
  return hash("sha256", text).slice(0, digits);
}
