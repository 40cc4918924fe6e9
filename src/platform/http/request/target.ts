/**
 * The request target, validated and normalized once, so that later code sees only one spelling of a path.
 * Contract section 1, "refused at the door".
 */
import { SvcError } from "../../shared/errors.ts";
import { remembered } from "../../shared/collections/memoize.ts";

export interface Target {
  /** Decoded path: starts with one slash, contains no `..`, `//` or NUL. An encoded slash stays `%2F`. */
  path: string;
  /** Path for route lookup: `path`, with `ENCODED_SLASH` for each encoded slash. */
  routed: string;
  /** Raw text after `?`. */
  queryText: string;
}

/**
 * Represents an encoded slash during route lookup. An encoded slash is data and does not separate segments (RFC 3986 section 2.2). A path
 * contains no other NUL.
 */
const ENCODED_SLASH = "\0";

/** Longest accepted target, in bytes (it is ASCII). */
export const MAX_TARGET_LENGTH = 8192;

/** Target of a request that was rejected before, or because of, its target. */
export const NO_TARGET: Target = { path: "", routed: "", queryText: "" };

/** Characters that a target can't contain (RFC 9112 section 3.2): bytes outside of visible ASCII, and a fragment. */
const NOT_A_TARGET = /[^\x21-\x7e]|#/;

/** Characters that require decoding or normalization; few paths have any. */
const NEEDS_CARE = /[%\\]|\/\/|\/\.{1,2}(?:\/|$)/;

/** @throws SvcError `SVC_URL_TOO_LONG`, `SVC_BAD_REQUEST` */
export function readTarget(rawTarget: string): Target {
  if (rawTarget.length > MAX_TARGET_LENGTH) {
    throw new SvcError(
      "SVC_URL_TOO_LONG",
      `The URL has ${rawTarget.length} bytes; at most ${MAX_TARGET_LENGTH} are allowed`,
    );
  }
  if (rawTarget.charCodeAt(0) !== 47) throw refused("must start with a slash");
  if (NOT_A_TARGET.test(rawTarget)) throw refused("contains a character that must be percent-encoded");
  const mark = rawTarget.indexOf("?");
  const rawPath = mark < 0 ? rawTarget : rawTarget.slice(0, mark);
  const queryText = mark < 0 ? "" : rawTarget.slice(mark + 1);
  const routed = NEEDS_CARE.test(rawPath) ? carefully(rawPath) : rawPath;
  return { path: withSlashes(routed, "%2F"), routed, queryText };
}

/** Route parameters as data: encoded slashes become slashes. */
export function asData(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const data: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(params)) data[name] = withSlashes(value, "/");
  return data;
}

function withSlashes(routed: string, slash: string): string {
  return routed.includes(ENCODED_SLASH) ? routed.replaceAll(ENCODED_SLASH, slash) : routed;
}

/** Format of a `Host` header; international names arrive as Punycode (RFC 9110 section 7.2). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;

/** Cached, because a site has few names and each request contains one. */
export const isHost: (text: string) => boolean = remembered((text) => HOST.test(text));

/** @returns the path with `ENCODED_SLASH` for each encoded slash. */
function carefully(rawPath: string): string {
  if (rawPath.includes("//")) throw refused("contains an empty segment");
  let routed: string;
  try {
    routed = rawPath
      .split(/%2f/i)
      .map((part) => {
        const decoded = decodeURIComponent(part);
        if (decoded.includes("\0")) throw refused("contains a NUL");
        return decoded;
      })
      .join(ENCODED_SLASH);
  } catch (error) {
    throw error instanceof SvcError ? error : refused("contains an invalid percent escape");
  }
  if (routed.includes("\\")) throw refused("contains a backslash");
  // Also after encoded slashes, because a handler may use its parameter as a file name.
  const segments = routed.split(/[/\0]/);
  if (segments.includes("..") || segments.includes(".")) throw refused("contains a dot segment");
  return routed;
}

function refused(what: string): SvcError {
  return new SvcError("SVC_BAD_REQUEST", `The request target ${what}`);
}
