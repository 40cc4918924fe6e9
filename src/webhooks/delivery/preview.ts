/**
 * Previews: the request of one delivery as it would be sent now, and the deliveries that a `recover` would send. Sends and writes
 * nothing. Contains no secrets; headers of a registration may be credentials and are hidden.
 */
import { createHash } from "node:crypto";
import type { DeliveryRow, FailedRow, RegistrationRow } from "../../storage/contract/webhook-rows.ts";
import { phaseOf } from "../registration/breaker.ts";
import { requestHeaders, type Target } from "./request-headers.ts";
import { deliveryView, type DeliveryView, type RegistrationView } from "../views.ts";

/** Whether a webhook receives deliveries at present. */
export interface Readiness {
  /**
   * `closed`: deliveries are sent at once; `probing`: one at a time, until one arrives; `open`: none before `open_until_ms`; `disabled`:
   * none, and replays are refused.
   */
  breaker: "closed" | "probing" | "open" | "disabled";
  open_until_ms: number | null;
}

export interface RequestHeader {
  name: string;
  /** null: a hidden header of the registration. */
  value: string | null;
}

/** One delivery, as it would be sent now. */
export interface ReplayPreview extends Readiness {
  webhook: RegistrationView;
  delivery: DeliveryView;
  /** Number over all attempts, from 1. */
  attempt: number;
  /** Whether it would be signed. */
  is_signed: boolean;
  /** The exact request, with a signature of this moment: each attempt makes its own. */
  request: { method: "POST"; url: string; headers: RequestHeader[]; body: string };
}

/** The failed deliveries that would be sent again. */
export interface RecoverPreview extends Readiness {
  webhook: RegistrationView;
  since_ms: number;
  count: number;
  /** Their number by event. */
  events: Record<string, number>;
  /** The newest of them. */
  deliveries: DeliveryView[];
  /** Identifies this set of deliveries: `recover` with it sends exactly these or nothing. */
  digest: string;
}

/** Deliveries that a preview lists. The total is given as a number. */
export const MAX_LISTED = 100;

function readinessOf(row: RegistrationRow, nowMs: number): Readiness {
  const breaker = phaseOf(row, nowMs);
  return { breaker, open_until_ms: breaker === "open" ? (row.openUntilMs ?? null) : null };
}

export function replayPreview(
  delivery: DeliveryRow,
  row: RegistrationRow,
  webhook: RegistrationView,
  target: Target,
  nowMs: number,
): ReplayPreview {
  return {
    webhook,
    delivery: deliveryView(delivery),
    attempt: delivery.attempts + 1,
    is_signed: target.secrets.current !== undefined,
    request: { method: "POST", url: row.url, headers: headersOf(delivery, target, nowMs), body: delivery.body },
    ...readinessOf(row, nowMs),
  };
}

/** Includes headers that the connection adds. */
function headersOf(delivery: DeliveryRow, target: Target, nowMs: number): RequestHeader[] {
  const flat = requestHeaders(delivery, target, nowMs);
  const own = new Set(Object.keys(target.headers));
  const headers: RequestHeader[] = [
    { name: "host", value: new URL(target.rawUrl).host },
    { name: "connection", value: "keep-alive" },
  ];
  for (let at = 0; at < flat.length; at += 2) {
    const name = flat[at] ?? "";
    headers.push({ name, value: own.has(name) ? null : (flat[at + 1] ?? "") });
  }
  return [...headers, { name: "content-length", value: String(Buffer.byteLength(delivery.body)) }];
}

export interface RecoverFindings {
  failed: readonly FailedRow[];
  /** The newest, at most {@link MAX_LISTED}. */
  newest: readonly DeliveryRow[];
  row: RegistrationRow;
  webhook: RegistrationView;
  sinceMs: number;
  nowMs: number;
}

export function recoverPreview(findings: RecoverFindings): RecoverPreview {
  const { failed, newest, row, webhook, sinceMs, nowMs } = findings;
  const events: Record<string, number> = {};
  for (const { event } of failed) events[event] = (events[event] ?? 0) + 1;
  return {
    webhook,
    since_ms: sinceMs,
    count: failed.length,
    events,
    deliveries: newest.map(deliveryView),
    digest: digestOf(failed),
    ...readinessOf(row, nowMs),
  };
}

/** The same for the same deliveries in any order. */
export function digestOf(deliveries: readonly Pick<FailedRow, "id">[]): string {
  const ids = deliveries.map(({ id }) => id).sort();
  return createHash("sha256").update(ids.join(" ")).digest("base64url").slice(0, 22);
}
