/**
 * The request target, refused or normalised once, so that nothing behind sees two spellings of one path.
 * Contract section 1, "refused at the door".
 */
import { SvcError } from "../../shared/errors.ts";
import { remembered } from "../../shared/memoize.ts";

export interface Target {
  /** Decoded path: starts with one slash, holds no `..`, no `//`, no NUL. An encoded slash stays `%2F`. */
  path: string;
  /** What routes are found by: `path`, with `ENCODED_SLASH` for each slash that was encoded. */
  routed: string;
  /** Raw text behind `?`, without it. */
  queryText: string;
}

/**
 * Stands for an encoded slash while a route is looked for. A slash that was encoded is data and separates nothing
 * (RFC 3986 section 2.2); no path holds a NUL otherwise.
 */
const ENCODED_SLASH = "\0";

/** Longest target accepted, in bytes (it is ASCII). */
export const MAX_TARGET_LENGTH = 8192;

/** Target of a request that was rejected before, or because of, its target. */
export const NO_TARGET: Target = { path: "", routed: "", queryText: "" };

/** What no target may hold (RFC 9112 section 3.2): raw bytes beyond visible ASCII, and a fragment. */
const NOT_A_TARGET = /[^\x21-\x7e]|#/;

/** Characters that make a path worth a second look; nearly no path has any. */
const NEEDS_CARE = /[%\\]|\/\/|\/\.{1,2}(?:\/|$)/;

/** @throws SvcError `SVC_URL_TOO_LONG`, `SVC_BAD_REQUEST` */
export function readTarget(rawTarget: string): Target {
  if (rawTarget.length > MAX_TARGET_LENGTH) {
    throw new SvcError("SVC_URL_TOO_LONG", `The URL has ${rawTarget.length} bytes; ${MAX_TARGET_LENGTH} are allowed`);
  }
  if (rawTarget.charCodeAt(0) !== 47) throw refused("must start with a slash");
  if (NOT_A_TARGET.test(rawTarget)) throw refused("holds a character that must be percent-encoded");
  const mark = rawTarget.indexOf("?");
  const rawPath = mark < 0 ? rawTarget : rawTarget.slice(0, mark);
  const queryText = mark < 0 ? "" : rawTarget.slice(mark + 1);
  const routed = NEEDS_CARE.test(rawPath) ? carefully(rawPath) : rawPath;
  return { path: withSlashes(routed, "%2F"), routed, queryText };
}

/** Route parameters as data: an encoded slash is a slash again. */
export function asData(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const data: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(params)) data[name] = withSlashes(value, "/");
  return data;
}

function withSlashes(routed: string, slash: string): string {
  return routed.includes(ENCODED_SLASH) ? routed.replaceAll(ENCODED_SLASH, slash) : routed;
}

/** What a `Host` may look like; names in other scripts arrive as Punycode (RFC 9110 section 7.2). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;

/** A site has few names, and each request has one of them. */
export const isHost: (text: string) => boolean = remembered((text) => HOST.test(text));

/** @returns the path with `ENCODED_SLASH` for each slash that was encoded. */
function carefully(rawPath: string): string {
  if (rawPath.includes("//")) throw refused("holds an empty segment");
  let routed: string;
  try {
    routed = rawPath
      .split(/%2f/i)
      .map((part) => {
        const decoded = decodeURIComponent(part);
        if (decoded.includes("\0")) throw refused("holds a NUL");
        return decoded;
      })
      .join(ENCODED_SLASH);
  } catch (error) {
    throw error instanceof SvcError ? error : refused("holds a broken percent escape");
  }
  if (routed.includes("\\")) throw refused("holds a backslash");
  // Behind encoded slashes too: what a handler makes of its parameter may be a file's name.
  const segments = routed.split(/[/\0]/);
  if (segments.includes("..") || segments.includes(".")) throw refused("holds a dot segment");
  return routed;
}

function refused(what: string): SvcError {
  return new SvcError("SVC_BAD_REQUEST", `The request target ${what}`);
}
