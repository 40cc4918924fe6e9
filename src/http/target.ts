/**
 * The request target, refused or normalised once, so that nothing behind sees two spellings of one path.
 * Contract section 1, "refused at the door".
 */
import { SvcError } from "../shared/errors.ts";

export interface Target {
  /** Decoded path: starts with one slash, holds no `..`, no `//`, no NUL. */
  path: string;
  /** Raw text behind `?`, without it. */
  queryText: string;
}

/** Longest target accepted, in bytes (it is ASCII). */
export const MAX_TARGET_LENGTH = 8192;

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
  return { path: NEEDS_CARE.test(rawPath) ? carefully(rawPath) : rawPath, queryText };
}

/** What a `Host` may look like; names in other scripts arrive as Punycode (RFC 9110 section 7.2). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;

export function isHost(text: string): boolean {
  return HOST.test(text);
}

function carefully(rawPath: string): string {
  if (rawPath.startsWith("//")) throw refused("must not start with two slashes");
  let path: string;
  try {
    path = decodeURIComponent(rawPath);
  } catch {
    throw refused("holds a broken percent escape");
  }
  if (path.includes("\0")) throw refused("holds a NUL");
  const segments = path.split(/[/\\]/);
  if (segments.includes("..") || segments.includes(".")) throw refused("holds a dot segment");
  if (path.includes("\\") || path.includes("//")) throw refused("holds an empty segment or a backslash");
  return path;
}

function refused(what: string): SvcError {
  return new SvcError("SVC_BAD_REQUEST", `The request target ${what}`);
}
