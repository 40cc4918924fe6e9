/** The request of an attempt, and its headers as they are shown beforehand. Pure but for the signatures. */
import { SvcError } from "../../platform/shared/errors.ts";
import { DELIVERY_HEADERS, TRACE_HEADERS } from "../../platform/shared/wire.ts";
import type { DeliveryRow } from "../../storage/contract/webhook-rows.ts";
import { signatureHeaders, type SigningSecrets } from "../signing/sign.ts";
import { USER_AGENT } from "./user-agent.ts";

/** Where a delivery goes, and what the registration adds to it. */
export interface Target {
  rawUrl: string;
  headers: Readonly<Record<string, string>>;
  secrets: SigningSecrets;
  /** Sent along where there is one. */
  traceparent: string | undefined;
}

/** Names and values in turn. The connection adds what is its own: host, length, keep-alive. */
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

/** Nothing that ends a line: it is checked where it comes in (custom-headers.ts), and once more where it goes out. */
const OF_A_LINE = /^[\x20-\x7e]*$/;

/**
 * All that goes over the connection: a head in ASCII, and the body as it is.
 * @throws SvcError where the head would hold another character: a header that is stored, though no registration may have it by now.
 */
export function requestText(host: string, path: string, delivery: DeliveryRow, target: Target, nowMs: number): string {
  const { body } = delivery;
  const headers = requestHeaders(delivery, target, nowMs);
  let checked = path + host;
  let text = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (let at = 0; at < headers.length; at += 2) {
    const [name = "", value = ""] = [headers[at], headers[at + 1]];
    checked += name + value;
    text += `${name}: ${value}\r\n`;
  }
  if (!OF_A_LINE.test(checked))
    throw new SvcError("SVC_INVALID", "a header of this webhook holds what no header may hold; give its headers anew");
  return `${text}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
