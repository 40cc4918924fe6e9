/** Decides what an attempt means for its delivery and its registration. Pure (docs/reference/http.md). */
import type { DeliveryStatus } from "../../storage/contract/webhook-rows.ts";
import type { AttemptResult } from "./attempt.ts";
import { afterFailure, afterSuccess, DISABLED, type Health } from "../registration/breaker.ts";
import { nextAttemptMs } from "./retry-schedule.ts";

interface DeliveryChange {
  status: DeliveryStatus;
  dueMs?: number;
  deliveredMs?: number;
}

export interface Outcome {
  delivery: DeliveryChange;
  health: (health: Health) => Health;
}

export interface OutcomeInput {
  result: AttemptResult;
  /** Number of this attempt, from 1. */
  number: number;
  delaysMs: readonly number[];
  nowMs: number;
  random: number;
}

/** 2xx: delivered; 410: fails the delivery and disables the registration; all else: a failed attempt. */
export function outcomeOf({ result, number, delaysMs, nowMs, random }: OutcomeInput): Outcome {
  const { statusCode, startedMs } = result;
  if (statusCode !== undefined && statusCode >= 200 && statusCode < 300)
    return { delivery: { status: "delivered", deliveredMs: nowMs }, health: afterSuccess };
  if (statusCode === 410)
    return {
      delivery: { status: "failed" },
      health: (health) => (health.enabled ? { ...health, ...DISABLED, disabledReason: "gone" } : health),
    };
  const dueMs = nextAttemptMs(delaysMs, { number, nowMs, retryAfterMs: result.retryAfterMs, random });
  return {
    delivery: dueMs === undefined ? { status: "failed" } : { status: "pending", dueMs },
    health: (health) => afterFailure(health, startedMs, nowMs),
  };
}
