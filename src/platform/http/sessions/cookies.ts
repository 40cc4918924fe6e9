/** Cookies by RFC 6265bis: parses the `Cookie` header, formats `Set-Cookie`. */
import { isMadeOf } from "../../shared/collections/flatten-string.ts";
import { remembered } from "../../shared/collections/memoize.ts";
import type { CookieOptions } from "../types.ts";

/** A pair whose value needs no percent-encoding. Names contain no `=`, so the value starts after the first one. */
const PLAIN_PAIR = /^[^=]+=[\w.~-]*$/;

/** @returns names and values on a null prototype; for a repeated name the first value, because browsers send the most specific first. */
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

/** Value of one cookie, as in `parseCookies`, without parsing the others. */
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

/** Longest name and value together, and longest attribute, that browsers accept (RFC 6265bis section 5.6). */
const MAX_PAIR_BYTES = 4096;
const MAX_ATTRIBUTE_BYTES = 1024;

/**
 * Formats a `Set-Cookie` value as ASCII without line ends; percent-encodes the cookie's value. Defaults: `Path=/`, `HttpOnly`,
 * `SameSite=Lax`, no `Secure`.
 * @throws TypeError for a name that is not a token (RFC 9110 section 5.6.2), and for cookies that browsers would silently reject: a name
 * prefix without its conditions, `SameSite=None` or `Partitioned` without `Secure`, more than 4096 bytes.
 */
export function serializeCookie(name: string, value: string, options: CookieOptions = {}): string {
  requireKeptPromises(name, options);
  requireAttributes(name, options);
  const given = `${name}=${value}`;
  const pair = isMadeOf(PLAIN_PAIR, given) ? given : `${name}=${encodeURIComponent(value)}`;
  if (pair.length > MAX_PAIR_BYTES)
    throw refused(name, `has ${pair.length} bytes when encoded; browsers accept at most ${MAX_PAIR_BYTES}`);
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

/** Identity of a cookie in a browser (RFC 6265bis section 5.7). */
export function cookieKey(name: string, { path = "/", domain = "" }: CookieOptions = {}): string {
  // Names contain no semicolon.
  if (path === "/" && domain === "") return name;
  return `${name};${domain.toLowerCase()};${path}`;
}

/** Conditions of name prefixes, with the text for an unmet one (RFC 6265bis section 4.1.3). */
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

/** Browsers compare prefixes case-insensitively. */
const needsOf = remembered((name) => {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new TypeError(`"${name}" is not a cookie name`);
  return PREFIXES.find(([prefix]) => name.toLowerCase().startsWith(prefix))?.[1] ?? [];
});

/** Browsers ignore other values, and a value with a line end would inject a header. */
const SAME_SITES: ReadonlySet<string> = new Set(["Strict", "Lax", "None"]);

function requireKeptPromises(name: string, options: CookieOptions): void {
  for (const [isMet, need] of needsOf(name))
    if (!isMet(options)) throw refused(name, `has a name prefix that requires ${need}`);
  const { sameSite, secure, partitioned } = options;
  if (sameSite !== undefined && !SAME_SITES.has(sameSite))
    throw refused(name, `has SameSite=${JSON.stringify(sameSite)}; allowed values are ${[...SAME_SITES].join(", ")}`);
  if (sameSite === "None" && !secure) throw refused(name, "has SameSite=None, which requires { secure: true }");
  if (partitioned && !secure) throw refused(name, "is partitioned, which requires { secure: true }");
}

function requireAttributes(name: string, { path = "/", domain, maxAgeSeconds, expires }: CookieOptions): void {
  if (path !== "/" && (!/^\/[\x20-\x3a\x3c-\x7e]*$/.test(path) || path.length > MAX_ATTRIBUTE_BYTES))
    throw refused(
      name,
      `has the invalid path ${JSON.stringify(path)}; it must be ASCII, start with a slash and not contain ";"`,
    );
  if (domain !== undefined && !/^(?=.{1,253}$)[a-z\d-]+(?:\.[a-z\d-]+)*$/i.test(domain))
    throw refused(name, `has the invalid domain ${JSON.stringify(domain)}; use a host name such as "shop.example"`);
  if (maxAgeSeconds !== undefined && !Number.isFinite(maxAgeSeconds))
    throw refused(name, `has maxAgeSeconds ${maxAgeSeconds}; it must be a finite number`);
  if (expires !== undefined && Number.isNaN(expires.getTime())) throw refused(name, "has an invalid expiry date");
}

function refused(name: string, what: string): TypeError {
  return new TypeError(`Cookie "${name}" ${what}`);
}
