/** What the endpoints show of registrations and deliveries (contract section 3). Secrets are never among it. */
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
  /** Whether deliveries are signed, by a secret of its own or by the common one. */
  secret_set: boolean;
  /** Names of the graphs or workers it hears of; absent where it hears of all. */
  workers?: string[];
  /** Names of the headers it adds, if any; their values may be credentials, and are not shown. */
  header_names?: string[];
  /** Present where deliveries of one graph wait for those before them. */
  ordered?: true;
  /** Why deliveries disabled it: answered 410, or nothing but failures for 120 h. Absent when an operator did. */
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
  /** When a pending delivery is tried next. */
  next_attempt_ms: number | null;
  delivered_ms: number | null;
}

interface AttemptView {
  number: number;
  started_ms: number;
  duration_ms: number;
  status_code: number | null;
  /** First 2 KB of the answer. */
  response: string | null;
  /** Headers of the answer by name in lower case, 4 KB at most; `[hidden]` stands for what may be a credential. */
  response_headers: Readonly<Record<string, string>>;
  error: string | null;
  /** Milliseconds: `dns`, `connect` and `tls` of an attempt that made a connection, `first_byte` of one with an answer. */
  timings: AttemptTimings;
}

export interface DeliveryDetail extends DeliveryView {
  payload: Json;
  /** The exact text that is sent, and signed. */
  body: string;
  attempts: AttemptView[];
}

/** What became of a webhook's deliveries. */
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
  // Our own text: not read by the rules for input from outside, which a worker's result need not keep.
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
