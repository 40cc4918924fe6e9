/** Conditional requests: whether the client already has the current representation (RFC 9110 section 13). Pure functions. */

/** The current version of a representation. */
export interface Version {
  /** Strong: `"abc"`. */
  etag: string;
  /** Time of the last change in milliseconds; undefined if unknown. */
  modifiedMs?: number | undefined;
}

type Header = (name: string) => string | undefined;

/**
 * @returns the status to send instead of the representation; undefined: send the representation. Evaluates in the order of section
 * 13.2.2, for GET and HEAD.
 */
export function judgePreconditions(header: Header, version: Version): 304 | 412 | undefined {
  const wanted = header("if-match");
  if (wanted === undefined ? isNewer(header("if-unmodified-since"), version) : !isMatch(wanted, version)) return 412;
  const known = header("if-none-match");
  if (known !== undefined) return isKnown(known, version.etag) ? 304 : undefined;
  const since = header("if-modified-since");
  return since !== undefined && isNewer(since, version) === false ? 304 : undefined;
}

/** Strong comparison: the bytes must match, which a weak tag does not guarantee. */
function isMatch(list: string, { etag }: Version): boolean {
  return list.trim() === "*" || tagsOf(list).includes(etag);
}

/** Weak comparison: an equivalent representation need not be sent again. */
function isKnown(list: string, etag: string): boolean {
  if (list === etag) return true;
  return list.trim() === "*" || tagsOf(list).some((tag) => tag.replace(/^W\//, "") === etag);
}

/** Commas inside quotes belong to a tag. */
function tagsOf(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

/**
 * Undefined if unknown: an invalid date, a format that HTTP does not allow, or a file without a time. Dates have a resolution of seconds.
 */
function isNewer(date: string | undefined, { modifiedMs }: Version): boolean | undefined {
  if (date === undefined || modifiedMs === undefined || !DATE.test(date)) return undefined;
  const sinceMs = Date.parse(date);
  return Number.isNaN(sinceMs) ? undefined : Math.floor(modifiedMs / 1000) * 1000 > sinceMs;
}

/** IMF-fixdate, the only date format in current use (section 5.6.7). */
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
