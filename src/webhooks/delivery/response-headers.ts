/**
 * Headers of a receiver's answer as they are kept with an attempt: pure. Bounded, and without what may be a credential, which is
 * left out before anything is written: who reads the database, a backup of it or the API finds its name alone.
 */

/** What receivers send is a dozen; servers refuse more than a hundred. */
const MAX_HEADERS = 32;
/** A name and its value, in characters; the rest of a value is cut. */
const MAX_LENGTH = 512;
/** Of all of them, in characters: about what is kept of a body. */
const MAX_TOTAL = 4096;
export const HIDDEN_VALUE = "[hidden]";

/** Names of what lets somebody in. `WWW-Authenticate` only asks for it. */
const CREDENTIAL = /cookie|auth|token|secret|passw|session|credential|signature|jwt|api-?key|access-?key/;
const PLAIN = new Set(["www-authenticate", "proxy-authenticate"]);
/** In these stands an address. It may hold a token in its query or fragment, and a password before its host. */
const ADDRESSES = new Set(["location", "content-location", "link", "refresh"]);
const PASSWORD = /\/\/[^/?#\s<>]*@/g;
/** To the end, or that of a link: what separates parts may stand in it. */
const QUERY = /([?#])[^>]*/g;

/** Names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/**
 * @param headers names in lower case and values, in turn
 * @returns the first of them, with {@link HIDDEN_VALUE} for each that may be a credential
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

/** What came several times is one, as a list. */
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
