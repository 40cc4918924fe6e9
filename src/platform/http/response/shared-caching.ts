/**
 * Decides whether shared caches may store a response (RFC 9111), and makes a response private. CDNs and reverse proxies also read
 * headers that take precedence over `Cache-Control` (RFC 9213, and older vendor headers).
 */
import type { Result } from "../types.ts";
import { withHeaders } from "./with-headers.ts";

/** Directives that let shared caches store a response (RFC 9111 section 3). Some caches treat `immutable` as a lifetime. */
const SHAREABLE = /public|max-?age|immutable/i;

const PRIVATE = /\b(?:private|no-store)\b(?!-)/i;

/** Whether a header lets a shared cache store the response despite `Cache-Control`. @param name in lower case */
export function isForShared(name: string, value: string): boolean {
  switch (name) {
    case "cache-control":
      return false;
    case "surrogate-control":
    case "edge-control":
      // An edge that assembles pages also uses these headers for other directives.
      return SHAREABLE.test(value);
    case "x-accel-expires":
      // 0 and "off" disable caching.
      return /^[@1-9]/.test(value);
    default:
      // `CDN-Cache-Control` and similar headers replace `Cache-Control`: they allow everything that they don't forbid.
      return name.endsWith("-cache-control") && !PRIVATE.test(value);
  }
}

/** Whether the headers of a response let shared caches store it. */
export function isShareable({ headers }: Result): boolean {
  return headers.some((name, at) => {
    if (at % 2 === 1) return false;
    const value = headers[at + 1] ?? "";
    return name === "expires" || (name === "cache-control" && SHAREABLE.test(value)) || isForShared(name, value);
  });
}

/** A copy of the response for one visitor: removes the headers that let shared caches store it. */
export function asPrivate(result: Result): Result {
  const { headers } = result;
  const changed: Record<string, string | undefined> = { "cache-control": "private, no-store" };
  for (let at = 0; at < headers.length; at += 2) {
    const [name = "", value = ""] = [headers[at], headers[at + 1]];
    if (name === "cache-control" && PRIVATE.test(value)) delete changed[name];
    else if (isForShared(name, value)) changed[name] = undefined;
  }
  return Object.keys(changed).length === 0 ? result : withHeaders(result, changed);
}
