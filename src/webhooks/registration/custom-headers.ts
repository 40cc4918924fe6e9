/**
 * Headers that a registration adds to its deliveries. Pure checks (RFC 9110 sections 5.1 and 5.5). Owns the list of reserved names.
 * Values may be credentials, so they are never shown or logged.
 */
import { DELIVERY_HEADERS, TRACE_HEADERS } from "../../platform/shared/wire.ts";

const MAX_HEADERS = 20;
const MAX_NAME_LENGTH = 100;
const MAX_VALUE_LENGTH = 2048;

const TOKEN = /^[!#$%&'*+\-.^_\x60|~0-9A-Za-z]+$/;
/** Visible ASCII with inner spaces: a line break would start another header. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers of svc, and those that decide how the request is read: changed, they could redirect it or smuggle a second one. */
const RESERVED = new Set(
  [
    ...Object.values(DELIVERY_HEADERS),
    ...Object.values(TRACE_HEADERS),
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "cookie2",
    "date",
    "expect",
    "forwarded",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "via",
  ].map((name) => name.toLowerCase()),
);
const RESERVED_PREFIX = /^(?:x-svc-|webhook-|proxy-|sec-|x-forwarded-|x-real-ip$)/;

/** The problem with these headers, or undefined. Never contains a value. */
export function headersProblem(headers: Readonly<Record<string, unknown>>): string | undefined {
  const names = Object.keys(headers);
  if (names.length > MAX_HEADERS) return `has ${names.length} headers; at most ${MAX_HEADERS} are allowed`;
  const seen = new Set<string>();
  for (const name of names) {
    const problem = nameProblem(name) ?? valueProblem(name, headers[name]);
    if (problem !== undefined) return problem;
    if (seen.has(name.toLowerCase())) return `has "${name}" twice; the case of header names does not matter`;
    seen.add(name.toLowerCase());
  }
  return undefined;
}

function nameProblem(name: string): string | undefined {
  const shown = JSON.stringify(name.slice(0, MAX_NAME_LENGTH));
  if (name.length > MAX_NAME_LENGTH || !TOKEN.test(name))
    return `has the name ${shown}; a header name is 1 to ${MAX_NAME_LENGTH} letters, digits, "-" and "_"`;
  const lower = name.toLowerCase();
  if (!RESERVED.has(lower) && !RESERVED_PREFIX.test(lower)) return undefined;
  return `has ${shown}, which is reserved for svc or the connection; use another name`;
}

function valueProblem(name: string, value: unknown): string | undefined {
  if (typeof value === "string" && value.length <= MAX_VALUE_LENGTH && VALUE.test(value)) return undefined;
  return `has an invalid value for "${name}"; allowed are 1 to ${MAX_VALUE_LENGTH} visible ASCII characters, with spaces inside`;
}
