/**
 * Whether caches that visitors share may keep an answer (RFC 9111), and what is said so that they don't. Those in front of a site
 * are also told by fields of their own, which they go by before `Cache-Control` (RFC 9213, and what some have had for longer).
 */
import type { Result } from "../types.ts";
import { withHeaders } from "./with-headers.ts";

/** What has caches that others share keep an answer (RFC 9111 section 3); `immutable` is taken for a lifetime by some. */
const SHAREABLE = /public|max-?age|immutable/i;

const PRIVATE = /\b(?:private|no-store)\b(?!-)/i;

/** Whether a header has caches in front keep an answer whatever `Cache-Control` says. @param name in lower case */
export function isForShared(name: string, value: string): boolean {
  switch (name) {
    case "cache-control":
      return false;
    case "surrogate-control":
    case "edge-control":
      // They may be about something else: a surrogate that puts pages together.
      return SHAREABLE.test(value);
    case "x-accel-expires":
      // 0 and "off" keep nothing.
      return /^[@1-9]/.test(value);
    default:
      // `CDN-Cache-Control` and its kin stand in the place of `Cache-Control`, so what they don't forbid is allowed.
      return name.endsWith("-cache-control") && !PRIVATE.test(value);
  }
}

/** Whether it says of itself that caches may share it. */
export function isShareable({ headers }: Result): boolean {
  return headers.some((name, at) => {
    if (at % 2 === 1) return false;
    const value = headers[at + 1] ?? "";
    return name === "expires" || (name === "cache-control" && SHAREABLE.test(value)) || isForShared(name, value);
  });
}

/** The same answer, for one visitor: what says that it is for more is taken back. */
export function keptPrivate(result: Result): Result {
  const { headers } = result;
  const changed: Record<string, string | undefined> = { "cache-control": "private, no-store" };
  for (let at = 0; at < headers.length; at += 2) {
    const [name = "", value = ""] = [headers[at], headers[at + 1]];
    if (name === "cache-control" && PRIVATE.test(value)) delete changed[name];
    else if (isForShared(name, value)) changed[name] = undefined;
  }
  return Object.keys(changed).length === 0 ? result : withHeaders(result, changed);
}
