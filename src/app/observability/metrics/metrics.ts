/** The metrics of an app: other modules add to them, the status endpoints read them. */
import type { RequestContext } from "../../../platform/http/request/context.ts";
import type { Observer } from "../../../platform/http/observer.ts";
import type { Result } from "../../../platform/http/types.ts";
import type { Clock } from "../../../platform/shared/clock.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { CsrfRefusal } from "../../pipeline/csrf-guard.ts";
import { ActiveRequests } from "./active-requests.ts";
import { Counter } from "./counter.ts";
import { DeliveryMetrics } from "./deliveries.ts";
import type { Family } from "./exposition.ts";
import { ProcessMetrics } from "./process-metrics.ts";
import { RecentMinutes } from "./recent-activity.ts";
import { RefusedCallers } from "./refused-callers.ts";
import { RequestMetrics } from "./requests.ts";

export class Metrics implements Observer {
  readonly requests = new RequestMetrics();
  /** Running requests. */
  readonly activeRequests = new ActiveRequests();
  readonly process = new ProcessMetrics();
  readonly actions = new Counter("svc_actions_total", "Calls of actions by outcome", ["action", "outcome"]);
  readonly submits = new Counter("svc_submits_total", "Form submits by outcome", ["submit", "outcome"]);
  readonly refusals = new Counter("svc_refusals_total", "Refused requests by reason", ["reason"]);
  /** Refusals by rate limits in the last hour. */
  readonly refusedCallers: RefusedCallers;
  readonly attempts = new Counter("svc_node_attempts_total", "Attempts of graph nodes", ["worker", "outcome"]);
  /** A worker may be one of several that ran. */
  readonly stillMs = new Counter(
    "svc_worker_blocking_milliseconds_total",
    "Time that the event loop was blocked while the worker ran",
    ["worker"],
  );
  readonly deliveries = new DeliveryMetrics();
  readonly spans = new Counter("svc_spans_total", "Trace spans by outcome", ["outcome"]);
  /** Open event streams. */
  eventStreams = 0;
  /** Called with the first change of `recent` since it was saved. */
  onRecent: () => void = () => undefined;
  /** Activity of runs. */
  readonly recent: RecentMinutes;

  constructor(clock: Clock) {
    this.refusedCallers = new RefusedCallers(clock);
    this.recent = new RecentMinutes(clock, () => this.onRecent());
  }

  began(): void {
    this.requests.inFlight++;
  }

  answering(ctx: RequestContext): void {
    this.activeRequests.add(ctx);
  }

  ended(ctx: RequestContext, result: Result, durationMs: number, isCut: boolean): void {
    this.activeRequests.remove(ctx);
    this.requests.ended(ctx, result, durationMs, isCut);
  }

  /** Counts client errors; server errors are no refusals. */
  refused(error: unknown): void {
    if (error instanceof CsrfRefusal) this.refusals.add("csrf");
    else if (error instanceof SvcError && error.status < 500)
      this.refusals.add(error.code.slice("SVC_".length).toLowerCase());
  }

  families(): Family[] {
    return [
      ...this.requests.families(),
      this.actions.family(),
      this.submits.family(),
      this.refusals.family(),
      {
        name: "svc_event_streams",
        type: "gauge",
        help: "Open event streams",
        samples: [{ value: this.eventStreams }],
      },
      this.attempts.family(),
      this.stillMs.family(),
      ...this.deliveries.families(),
      this.spans.family(),
      ...this.process.families(),
    ];
  }
}
