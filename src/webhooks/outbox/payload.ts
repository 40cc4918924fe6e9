/**
 * The body of a delivery (docs/reference/http.md): created once when the run changes state and stored as text, so that every retry sends
 * and signs the same bytes.
 */
import type { Json } from "../../platform/shared/json.ts";
import { PATHS, type GraphStatus, type WebhookEvent } from "../../platform/shared/wire.ts";
import type { Failure } from "../../storage/contract/graph-rows.ts";

/** The payload that a receiver gets. */
export interface WebhookPayload {
  event: WebhookEvent | "ping";
  /** Starts with `g_`. */
  graph_id: string;
  /** Name of the started graph or worker. */
  worker: string;
  /** `done`, `failed` or `paused`; a cancelled run is `failed`. */
  status: GraphStatus;
  /** Unix milliseconds of the change of state. */
  timestamp_ms: number;
  /** Milliseconds since the first start, including pauses. */
  duration_ms: number;
  /** Always an object: other values are wrapped as `{ "value": … }`, an absent one is `{}`. */
  result: { [key: string]: Json };
  /** Only with `graph.failed`. */
  error?: Failure;
  /** Where to fetch a result that was too large to send. */
  result_url?: string;
}

/** Data for a payload. */
export interface PayloadSource {
  event: WebhookEvent | "ping";
  graphId: string;
  worker: string;
  status: GraphStatus;
  timestampMs: number;
  durationMs: number;
  result: Json | undefined;
  error: Failure | undefined;
}

/** Largest body with its result: the default (docs/reference/http.md) and the limit of the option. */
export const MAX_PAYLOAD_BYTES = 256 * 1024;
export const PAYLOAD_BYTES = { min: 1024, max: 16 * 1024 * 1024 } as const;
/** Longest error message. Without the result, only this could still be large. */
const MAX_ERROR_LENGTH = 16 * 1024;

/** URL of a run's snapshot, with a result that was too large to send. */
export type ResultUrl = (graphId: string) => string;

export const defaultResultUrl: ResultUrl = (graphId) => `${PATHS.graphs}/${graphId}`;

/** The exact text to send. */
export function payloadText(source: PayloadSource, resultUrl: ResultUrl, maxBytes = MAX_PAYLOAD_BYTES): string {
  const text = JSON.stringify(payloadOf(source));
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const error = source.error && { ...source.error, message: source.error.message.slice(0, MAX_ERROR_LENGTH) };
  const cut: WebhookPayload = {
    ...payloadOf({ ...source, result: undefined, error }),
    result_url: resultUrl(source.graphId),
  };
  return JSON.stringify(cut);
}

function payloadOf(source: PayloadSource): WebhookPayload {
  const isFailure = source.event === "graph.failed" && source.error !== undefined;
  return {
    event: source.event,
    graph_id: source.graphId,
    worker: source.worker,
    status: source.status,
    timestamp_ms: source.timestampMs,
    duration_ms: Math.round(source.durationMs),
    result: asObject(source.result),
    ...(isFailure && source.error ? { error: errorOf(source.error) } : {}),
  };
}

function errorOf({ message, reason, node }: Failure): Failure {
  return node === undefined ? { message, reason } : { message, reason, node };
}

function asObject(result: Json | undefined): { [key: string]: Json } {
  if (result === undefined) return {};
  return result !== null && typeof result === "object" && !Array.isArray(result) ? result : { value: result };
}
