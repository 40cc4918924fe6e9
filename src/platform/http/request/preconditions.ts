/** Conditional requests: whether an answer is needed at all (RFC 9110 section 13). A pure decision. */

/** What there is. */
export interface Version {
  /** Strong: `"abc"`. */
  etag: string;
  /** When it was last changed, in milliseconds; undefined where nobody knows. */
  modifiedMs?: number | undefined;
}

type Header = (name: string) => string | undefined;

/**
 * @returns what to answer with instead of the representation; undefined: with it. In the order of section 13.2.2, for GET
 * and HEAD.
 */
export function judgePreconditions(header: Header, version: Version): 304 | 412 | undefined {
  const wanted = header("if-match");
  if (wanted === undefined ? isNewer(header("if-unmodified-since"), version) : !isMatch(wanted, version)) return 412;
  const known = header("if-none-match");
  if (known !== undefined) return isKnown(known, version.etag) ? 304 : undefined;
  const since = header("if-modified-since");
  return since !== undefined && isNewer(since, version) === false ? 304 : undefined;
}

/** Strong comparison: bytes are meant, and a weak tag says nothing of them. */
function isMatch(list: string, { etag }: Version): boolean {
  return list.trim() === "*" || tagsOf(list).includes(etag);
}

/** Weak comparison: what reads the same need not be sent again. */
function isKnown(list: string, etag: string): boolean {
  if (list === etag) return true;
  return list.trim() === "*" || tagsOf(list).some((tag) => tag.replace(/^W\//, "") === etag);
}

/** Commas inside quotes belong to a tag. */
function tagsOf(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

/** Undefined where it can't be told: no date, not one that HTTP knows, or nothing known of the file. Dates count seconds. */
function isNewer(date: string | undefined, { modifiedMs }: Version): boolean | undefined {
  if (date === undefined || modifiedMs === undefined || !DATE.test(date)) return undefined;
  const sinceMs = Date.parse(date);
  return Number.isNaN(sinceMs) ? undefined : Math.floor(modifiedMs / 1000) * 1000 > sinceMs;
}

/** IMF-fixdate, the only form that anyone writes now (section 5.6.7). */
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
