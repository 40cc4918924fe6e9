/**
 * The circuit breaker of a registration. Pure. Ten failures in a row open it; then one probe at a time is sent, after 60 s, then after
 * twice as long, up to 15 min; waiting deliveries use no attempts meanwhile. A success closes it. After 120 h of failures only, the
 * registration is disabled.
 */
import type { RegistrationRow } from "../../storage/contract/webhook-rows.ts";

/** Columns of a registration that deliveries change. */
export type Health = Pick<
  RegistrationRow,
  "enabled" | "state" | "disabledReason" | "consecutiveFailures" | "openUntilMs" | "failingSinceMs"
>;

const OPEN_AFTER_FAILURES = 10;
const FIRST_PROBE_MS = 60_000;
const LAST_PROBE_MS = 15 * 60_000;
const DISABLE_AFTER_MS = 120 * 3_600_000;

/** Health of a new or re-enabled registration, and after a success. */
export const HEALTHY: Health = {
  enabled: true,
  state: "active",
  disabledReason: undefined,
  consecutiveFailures: 0,
  openUntilMs: undefined,
  failingSinceMs: undefined,
};

export const DISABLED: Pick<Health, "enabled" | "state" | "disabledReason" | "openUntilMs"> = {
  enabled: false,
  state: "disabled",
  disabledReason: undefined,
  openUntilMs: undefined,
};

/** `closed`: deliver freely; `probing`: one at a time; `open`: wait until `openUntilMs`; `disabled`: send nothing. */
export function phaseOf(health: Health, nowMs: number): "closed" | "probing" | "open" | "disabled" {
  if (!health.enabled) return "disabled";
  if (health.consecutiveFailures < OPEN_AFTER_FAILURES) return "closed";
  return health.openUntilMs !== undefined && health.openUntilMs > nowMs ? "open" : "probing";
}

/**
 * Health after a failed attempt.
 * @param startedMs start of the attempt: one that began before the breaker opened says nothing new about the endpoint
 */
export function afterFailure(health: Health, startedMs: number, nowMs: number): Health {
  const isLate = health.openUntilMs !== undefined && startedMs < health.openUntilMs;
  if (isLate || !health.enabled) return health;
  const failingSinceMs = health.failingSinceMs ?? nowMs;
  const consecutiveFailures = health.consecutiveFailures + 1;
  const failing = { ...health, consecutiveFailures, failingSinceMs };
  if (nowMs - failingSinceMs >= DISABLE_AFTER_MS) return { ...failing, ...DISABLED, disabledReason: "failing" };
  if (consecutiveFailures < OPEN_AFTER_FAILURES) return failing;
  const waitMs = Math.min(FIRST_PROBE_MS * 2 ** (consecutiveFailures - OPEN_AFTER_FAILURES), LAST_PROBE_MS);
  return { ...failing, state: "failing", openUntilMs: nowMs + waitMs };
}

/** Health after a success; the same object if nothing changes, so that a success costs no write. */
export function afterSuccess(health: Health): Health {
  if (!health.enabled) return health;
  return health.consecutiveFailures === 0 && health.failingSinceMs === undefined ? health : HEALTHY;
}
