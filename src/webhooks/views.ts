/** Views of registrations and deliveries for the endpoints (docs/reference/http.md). They never contain secrets. */
import type { Json } from "../platform/shared/json.ts";
import type { WebhookEvent } from "../platform/shared/wire.ts";
import type {
  AttemptRow,
  AttemptTimings,
  DeliveryRow,
  DeliveryStatus,
  DeliveryTally,
  RegistrationRow,
} from "../storage/contract/webhook-rows.ts";

export interface RegistrationView {
  id: string;
  url: string;
  events: WebhookEvent[];
  enabled: boolean;
  description: string;
  state: "active" | "failing" | "disabled";
  created_ms: number;
  updated_ms: number;
  /** Whether deliveries are signed, by its own secret or the common one. */
  secret_set: boolean;
  /** Names of its graphs or workers; absent: all. */
  workers?: string[];
  /** Names of its headers, if any. Values may be credentials, and are not shown. */
  header_names?: string[];
  /** Present if deliveries of a run wait for earlier ones. */
  ordered?: true;
  /** Why deliveries disabled it: a 410 response, or only failures for 120 h. Absent if an operator did. */
  disabled_reason?: "gone" | "failing";
}

export interface DeliveryView {
  id: string;
  webhook_id: string;
  event: WebhookEvent | "ping";
  graph_id: string;
  status: DeliveryStatus;
  attempt_count: number;
  created_ms: number;
  /** Time of the next attempt of a pending delivery. */
  next_attempt_ms: number | null;
  delivered_ms: number | null;
}

interface AttemptView {
  number: number;
  started_ms: number;
  duration_ms: number;
  status_code: number | null;
  /** First 2 KB of the response. */
  response: string | null;
  /** Response headers by lower-case name, at most 4 KB; `[hidden]` replaces possible credentials. */
  response_headers: Readonly<Record<string, string>>;
  error: string | null;
  /** Milliseconds: `dns`, `connect` and `tls` of an attempt with a new connection, `first_byte` of one with a response. */
  timings: AttemptTimings;
}

export interface DeliveryDetail extends DeliveryView {
  payload: Json;
  /** The exact text that is sent and signed. */
  body: string;
  attempts: AttemptView[];
}

/** Outcomes of a webhook's deliveries. */
export interface WebhookTally {
  webhook_id: string;
  delivered: number;
  failed: number;
  pending: number;
}

export function tallyView({ registrationId, ...counts }: DeliveryTally): WebhookTally {
  return { webhook_id: registrationId, ...counts };
}

export function registrationView(row: RegistrationRow, hasCommonSecret: boolean): RegistrationView {
  return {
    id: row.id,
    url: row.url,
    events: [...row.events],
    enabled: row.enabled,
    description: row.description,
    state: row.state,
    created_ms: row.createdMs,
    updated_ms: row.updatedMs,
    secret_set: row.secret !== undefined || hasCommonSecret,
    ...(row.workers.length > 0 ? { workers: [...row.workers] } : {}),
    ...(Object.keys(row.headers).length > 0 ? { header_names: Object.keys(row.headers) } : {}),
    ...(row.ordered ? { ordered: true } : {}),
    ...(row.disabledReason === undefined ? {} : { disabled_reason: row.disabledReason }),
  };
}

export function deliveryView(row: DeliveryRow): DeliveryView {
  return {
    id: row.id,
    webhook_id: row.registrationId,
    event: row.event,
    graph_id: row.graphId,
    status: row.status,
    attempt_count: row.attempts,
    created_ms: row.createdMs,
    next_attempt_ms: row.status === "pending" ? row.dueMs : null,
    delivered_ms: row.deliveredMs ?? null,
  };
}

export function deliveryDetail(row: DeliveryRow, attempts: readonly AttemptRow[]): DeliveryDetail {
  // Text of svc itself: the rules for external input do not apply to a worker's result.
  const payload = JSON.parse(row.body) as Json;
  return { ...deliveryView(row), payload, body: row.body, attempts: attempts.map(attemptView) };
}

function attemptView(row: AttemptRow): AttemptView {
  return {
    number: row.number,
    started_ms: row.startedMs,
    duration_ms: row.durationMs,
    status_code: row.statusCode ?? null,
    response: row.response ?? null,
    response_headers: row.responseHeaders ?? {},
    error: row.error ?? null,
    timings: row.timings ?? {},
  };
}
