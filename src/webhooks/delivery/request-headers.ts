/** The request of an attempt, also for previews. Pure except for the signatures. */
import { SvcError } from "../../platform/shared/errors.ts";
import { DELIVERY_HEADERS, TRACE_HEADERS } from "../../platform/shared/wire.ts";
import type { DeliveryRow } from "../../storage/contract/webhook-rows.ts";
import { signatureHeaders, type SigningSecrets } from "../signing/sign.ts";
import { USER_AGENT } from "./user-agent.ts";

/** URL of a delivery, and the registration's additions. */
export interface Target {
  rawUrl: string;
  headers: Readonly<Record<string, string>>;
  secrets: SigningSecrets;
  /** Sent if there is one. */
  traceparent: string | undefined;
}

/** Names and values in turn. The connection adds host, length and keep-alive. */
export function requestHeaders(
  delivery: DeliveryRow,
  { headers, secrets, traceparent }: Target,
  nowMs: number,
): string[] {
  const all: string[] = [];
  for (const name of Object.keys(headers)) all.push(name, headers[name] ?? "");
  all.push("Content-Type", "application/json", "User-Agent", USER_AGENT);
  all.push(DELIVERY_HEADERS.event, delivery.event, DELIVERY_HEADERS.delivery, delivery.id);
  all.push(DELIVERY_HEADERS.attempt, String(delivery.attempts + 1));
  if (traceparent !== undefined) all.push(TRACE_HEADERS.parent, traceparent);
  const signed = signatureHeaders(delivery.id, nowMs, delivery.body, secrets);
  for (const name of Object.keys(signed)) all.push(name, signed[name] ?? "");
  return all;
}

const HEADER_TEXT = /^[\x20-\x7e]*$/;

/**
 * Checks names and values again before they are sent; custom-headers.ts checks them when a registration is stored.
 * @throws SvcError for a character that is not printable ASCII, such as a line break that would start another header
 */
export function checkHeaders(headers: readonly string[]): void {
  if (HEADER_TEXT.test(headers.join(""))) return;
  throw new SvcError("SVC_INVALID", "a header of this webhook has an invalid character; set its headers again");
}
