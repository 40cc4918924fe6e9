/** Cookies as RFC 6265bis has them: reading the `Cookie` header, writing `Set-Cookie`. */
import { isMadeOf } from "../../shared/flatten-string.ts";
import { remembered } from "../../shared/memoize.ts";
import type { CookieOptions } from "../types.ts";

/** A pair whose value percent-encoding would leave as it is: names hold no `=`, so all behind the first is value. */
const PLAIN_PAIR = /^[^=]+=[\w.~-]*$/;

/** @returns names and values on a null prototype; of a name sent twice the first, as browsers order the most specific first. */
export function parseCookies(header: string | undefined): Record<string, string> {
  const cookies: Record<string, string> = Object.create(null) as Record<string, string>;
  if (header === undefined) return cookies;
  for (let start = 0; start <= header.length;) {
    const semicolon = header.indexOf(";", start);
    const end = semicolon < 0 ? header.length : semicolon;
    const pair = header.slice(start, end);
    const equals = pair.indexOf("=");
    const name = pair.slice(0, Math.max(equals, 0)).trim();
    if (name !== "" && !(name in cookies)) cookies[name] = decoded(unquoted(pair.slice(equals + 1).trim()));
    start = end + 1;
  }
  return cookies;
}

/** Value of one cookie: as `parseCookies` would have it, without making anything of the others. */
export function cookieNamed(header: string | undefined, name: string): string | undefined {
  if (header === undefined || name === "") return undefined;
  for (let at = header.indexOf(name); at >= 0; at = header.indexOf(name, at + 1)) {
    const start = header.lastIndexOf(";", at) + 1;
    const equals = header.indexOf("=", start);
    const semicolon = header.indexOf(";", at);
    const end = semicolon < 0 ? header.length : semicolon;
    if (equals >= at && equals < end && header.slice(start, equals).trim() === name)
      return decoded(unquoted(header.slice(equals + 1, end).trim()));
  }
  return undefined;
}

function unquoted(raw: string): string {
  return raw.length > 1 && raw.startsWith('"') && raw.endsWith('"') ? raw.slice(1, -1) : raw;
}

function decoded(raw: string): string {
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    // Not ours: other software on the same host may set cookies that are not percent-encoded.
    return raw;
  }
}

/** Longest name and value together that browsers keep, and longest attribute (RFC 6265bis section 5.6). */
const MAX_PAIR_BYTES = 4096;
const MAX_ATTRIBUTE_BYTES = 1024;

/**
 * A `Set-Cookie` value, ASCII without line ends, whatever it is given; the cookie's own is percent-encoded. Defaults: `Path=/`, `HttpOnly`, `SameSite=Lax`, no `Secure`.
 * @throws TypeError when the name is not a token (RFC 9110 section 5.6.2), and for what browsers would drop unseen: a
 * prefix whose promise is not kept, `SameSite=None` or `Partitioned` without `Secure`, more than 4096 bytes.
 */
export function serializeCookie(name: string, value: string, options: CookieOptions = {}): string {
  requireKeptPromises(name, options);
  requireAttributes(name, options);
  const given = `${name}=${value}`;
  const pair = isMadeOf(PLAIN_PAIR, given) ? given : `${name}=${encodeURIComponent(value)}`;
  if (pair.length > MAX_PAIR_BYTES)
    throw refused(name, `takes ${pair.length} bytes, encoded; browsers keep ${MAX_PAIR_BYTES}`);
  const {
    path = "/",
    domain,
    maxAgeSeconds,
    expires,
    httpOnly = true,
    secure,
    sameSite = "Lax",
    partitioned,
  } = options;
  let text = `${pair}; Path=${path}`;
  if (domain !== undefined) text += `; Domain=${domain}`;
  if (maxAgeSeconds !== undefined) text += `; Max-Age=${Math.floor(maxAgeSeconds)}`;
  if (expires !== undefined) text += `; Expires=${expires.toUTCString()}`;
  if (httpOnly) text += "; HttpOnly";
  if (secure) text += "; Secure";
  if (partitioned) text += "; Partitioned";
  return `${text}; SameSite=${sameSite}`;
}

/** What tells cookies apart in a browser (RFC 6265bis section 5.7). */
export function cookieKey(name: string, { path = "/", domain = "" }: CookieOptions = {}): string {
  // No name holds a semicolon.
  if (path === "/" && domain === "") return name;
  return `${name};${domain.toLowerCase()};${path}`;
}

/** Needs of each prefix of a name, and what is said when one is not met (RFC 6265bis section 4.1.3). */
const SECURE = [(options: CookieOptions) => options.secure === true, "{ secure: true }"] as const;
const HOST_ONLY = [(options: CookieOptions) => options.domain === undefined, "no domain"] as const;
const ROOT = [({ path = "/" }: CookieOptions) => path === "/", 'the path "/"'] as const;
const UNSCRIPTED = [({ httpOnly = true }: CookieOptions) => httpOnly, "{ httpOnly: true }"] as const;
const PREFIXES = [
  ["__secure-", [SECURE]],
  ["__host-http-", [SECURE, HOST_ONLY, ROOT, UNSCRIPTED]],
  ["__host-", [SECURE, HOST_ONLY, ROOT]],
  ["__http-", [SECURE, UNSCRIPTED]],
] as const;

/** Browsers compare prefixes without case. */
const needsOf = remembered((name) => {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new TypeError(`"${name}" is not a cookie name`);
  return PREFIXES.find(([prefix]) => name.toLowerCase().startsWith(prefix))?.[1] ?? [];
});

/** Anything else is none to a browser, and what a line end in it adds would be a header. */
const SAME_SITES: ReadonlySet<string> = new Set(["Strict", "Lax", "None"]);

function requireKeptPromises(name: string, options: CookieOptions): void {
  for (const [isMet, need] of needsOf(name))
    if (!isMet(options)) throw refused(name, `has a prefix that needs ${need}`);
  const { sameSite, secure, partitioned } = options;
  if (sameSite !== undefined && !SAME_SITES.has(sameSite))
    throw refused(name, `is SameSite=${JSON.stringify(sameSite)}; allowed: ${[...SAME_SITES].join(", ")}`);
  if (sameSite === "None" && !secure) throw refused(name, "is SameSite=None, which needs { secure: true }");
  if (partitioned && !secure) throw refused(name, "is partitioned, which needs { secure: true }");
}

function requireAttributes(name: string, { path = "/", domain, maxAgeSeconds, expires }: CookieOptions): void {
  if (path !== "/" && (!/^\/[\x20-\x3a\x3c-\x7e]*$/.test(path) || path.length > MAX_ATTRIBUTE_BYTES))
    throw refused(name, `has the path ${JSON.stringify(path)}; it starts with a slash, without ";"`);
  if (domain !== undefined && !/^(?=.{1,253}$)[a-z\d-]+(?:\.[a-z\d-]+)*$/i.test(domain))
    throw refused(name, `has the domain ${JSON.stringify(domain)}; give a host name such as "shop.example"`);
  if (maxAgeSeconds !== undefined && !Number.isFinite(maxAgeSeconds))
    throw refused(name, `lives ${maxAgeSeconds} seconds; give a number`);
  if (expires !== undefined && Number.isNaN(expires.getTime())) throw refused(name, "expires at no valid date");
}

function refused(name: string, what: string): TypeError {
  return new TypeError(`Cookie "${name}" ${what}`);
}
