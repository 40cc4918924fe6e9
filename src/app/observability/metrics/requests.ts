/**
 * Requests by the pattern of their route: patterns are few and contain no secret, unlike paths. Every request passes here, so counts are
 * plain numbers, found by the route's object.
 */
import type { RequestContext } from "../../../platform/http/request/context.ts";
import type { Route } from "../../../platform/http/routing/router.ts";
import type { Result } from "../../../platform/http/types.ts";
import type { Family, Sample } from "./exposition.ts";
import { Histogram } from "./histogram.ts";

const CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"];
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Requests without a route: public files, unknown paths, refusals. */
const UNROUTED = "unrouted";

interface RouteCounts {
  route: string;
  method: string;
  byClass: Float64Array;
  durations: Histogram;
}

export class RequestMetrics {
  inFlight = 0;
  /** Requests whose client left before the end. */
  cut = 0;
  readonly #onIdle: (() => void)[] = [];
  readonly #routed = new Map<Route, RouteCounts>();
  readonly #unrouted = new Map<string, RouteCounts>();

  ended(ctx: RequestContext, { status }: Result, durationMs: number, isCut: boolean): void {
    this.inFlight--;
    if (this.#onIdle.length > 0 && this.inFlight === 0) for (const report of this.#onIdle.splice(0)) report();
    if (isCut) this.cut++;
    const counts = this.#countsOf(ctx);
    const at = Math.floor(status / 100) - 1;
    counts.byClass[at] = (counts.byClass[at] ?? 0) + 1;
    counts.durations.observe(durationMs / 1000);
  }

  /** Resolves when every request has its response, or after `limitMs`. */
  idle(limitMs: number): Promise<void> {
    if (this.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onIdle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #countsOf(ctx: RequestContext): RouteCounts {
    const route = ctx.route;
    if (route) {
      const known = this.#routed.get(route);
      if (known) return known;
      const counts = countsFor(route.pattern, route.method);
      this.#routed.set(route, counts);
      return counts;
    }
    const method = METHODS.has(ctx.method) ? ctx.method : "other";
    let counts = this.#unrouted.get(method);
    if (!counts) this.#unrouted.set(method, (counts = countsFor(UNROUTED, method)));
    return counts;
  }

  /** All requests by status class. */
  totals(): Record<string, number> {
    const totals: Record<string, number> = {};
    for (const { byClass } of this.#all())
      CLASSES.forEach((name, at) => (byClass[at] ? (totals[name] = (totals[name] ?? 0) + byClass[at]) : 0));
    return totals;
  }

  families(): Family[] {
    return [
      {
        name: "svc_http_requests_total",
        type: "counter",
        help: "Requests by route, method and status class",
        samples: this.#all().flatMap(samplesByClass),
      },
      {
        name: "svc_http_request_duration_seconds",
        type: "histogram",
        help: "Time from a request to the end of its response, by route",
        samples: this.#all().flatMap(({ route, method, durations }) => durations.samples({ route, method })),
      },
      {
        name: "svc_http_requests_in_flight",
        type: "gauge",
        help: "Requests without a complete response",
        samples: [{ value: this.inFlight }],
      },
      {
        name: "svc_http_requests_cut_total",
        type: "counter",
        help: "Requests whose client disconnected before the end of the response",
        samples: [{ value: this.cut }],
      },
    ];
  }

  #all(): RouteCounts[] {
    return [...this.#routed.values(), ...this.#unrouted.values()];
  }
}

function countsFor(route: string, method: string): RouteCounts {
  return { route, method, byClass: new Float64Array(CLASSES.length), durations: new Histogram() };
}

function samplesByClass({ route, method, byClass }: RouteCounts): Sample[] {
  return CLASSES.flatMap((status, at) =>
    byClass[at] ? [{ labels: { route, method, status }, value: byClass[at] }] : [],
  );
}
