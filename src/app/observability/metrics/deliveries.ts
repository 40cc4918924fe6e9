/** Metrics of webhook deliveries in this process: attempts by outcome, durations, and ages of events. */
import type { DeliveryReport } from "../../../webhooks/delivery/delivery-loop.ts";
import { Counter } from "./counter.ts";
import type { Family } from "./exposition.ts";
import { Histogram } from "./histogram.ts";

export class DeliveryMetrics {
  readonly attempts = new Counter("svc_delivery_attempts_total", "Delivery attempts of webhooks", ["outcome"]);
  readonly disabled = new Counter("svc_webhooks_disabled_total", "Webhooks that deliveries disabled", ["reason"]);
  readonly #durations = new Histogram();
  /** Ages at first attempts; those of retries depend on the schedule. */
  readonly #ages = new Histogram();

  ended({ status, attempt, createdMs, startedMs, endedMs }: DeliveryReport): void {
    this.attempts.add(status === "pending" ? "retrying" : status);
    this.#durations.observe((endedMs - startedMs) / 1000);
    if (attempt === 1) this.#ages.observe(Math.max(0, endedMs - createdMs) / 1000);
  }

  /** Median and p99 for people. */
  summary(): Record<"attempt_ms" | "first_attempt_age_ms", { p50: number; p99: number }> {
    return { attempt_ms: quantilesOf(this.#durations), first_attempt_age_ms: quantilesOf(this.#ages) };
  }

  families(): Family[] {
    return [
      this.attempts.family(),
      this.disabled.family(),
      histogram("svc_delivery_attempt_seconds", "Duration of delivery attempts", this.#durations),
      histogram(
        "svc_delivery_first_attempt_age_seconds",
        "Time from an event to the end of its first delivery attempt",
        this.#ages,
      ),
    ];
  }
}

function quantilesOf(lengths: Histogram): { p50: number; p99: number } {
  const ms = (part: number): number => Math.round(lengths.quantile(part) * 1000);
  return { p50: ms(0.5), p99: ms(0.99) };
}

function histogram(name: string, help: string, lengths: Histogram): Family {
  return { name, type: "histogram", help, samples: lengths.samples() };
}
