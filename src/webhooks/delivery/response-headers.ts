/**
 * Response headers as stored with an attempt. Pure. Limited in size, and without possible credentials, which are removed before anything
 * is written: the database, its backups and the API contain only their names.
 */

/** Receivers send about a dozen; servers refuse more than a hundred. */
const MAX_HEADERS = 32;
/** Characters of a name with its value; the rest of a value is cut. */
const MAX_LENGTH = 512;
/** Characters of all of them: about as much as of a body. */
const MAX_TOTAL = 4096;
export const HIDDEN_VALUE = "[hidden]";

/** Names of credentials. `WWW-Authenticate` only asks for one. */
const CREDENTIAL = /cookie|auth|token|secret|passw|session|credential|signature|jwt|api-?key|access-?key/;
const PLAIN = new Set(["www-authenticate", "proxy-authenticate"]);
/** These contain a URL, which may have a token in its query or fragment, and a password before its host. */
const ADDRESSES = new Set(["location", "content-location", "link", "refresh"]);
const PASSWORD = /\/\/[^/?#\s<>]*@/g;
/** To the end, or to the end of a link: separators may be part of it. */
const QUERY = /([?#])[^>]*/g;

/** Names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/**
 * @param headers names in lower case and values, in turn
 * @returns the first of them, with {@link HIDDEN_VALUE} for possible credentials
 */
export function keptHeaders(headers: readonly string[]): ResponseHeaders {
  const kept: [name: string, value: string][] = [];
  let total = 0;
  for (const [name, given] of byName(headers)) {
    if (name.length > MAX_LENGTH) continue;
    const value = shownValue(name, given);
    total += name.length + value.length;
    if (kept.length === MAX_HEADERS || total > MAX_TOTAL) break;
    kept.push([name, value]);
  }
  return Object.fromEntries(kept);
}

/** Joins repeated headers into a list. */
function byName(headers: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < headers.length; at += 2) {
    const [name = "", value = ""] = [headers[at], headers[at + 1]];
    const before = found.get(name);
    found.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return found;
}

function shownValue(name: string, given: string): string {
  if (CREDENTIAL.test(name) && !PLAIN.has(name)) return HIDDEN_VALUE;
  const value = ADDRESSES.has(name) ? hideInAddresses(given) : given;
  return value.length > MAX_LENGTH - name.length ? `${value.slice(0, MAX_LENGTH - name.length)}…` : value;
}

function hideInAddresses(value: string): string {
  return value.replaceAll(PASSWORD, `//${HIDDEN_VALUE}@`).replaceAll(QUERY, `$1${HIDDEN_VALUE}`);
}
