/** Cookies as RFC 6265bis has them: reading the `Cookie` header, writing `Set-Cookie`. */
import type { CookieOptions } from "./types.ts";

/** @returns names and values on a null prototype; of a name sent twice the first, as browsers order the most specific first. */
export function parseCookies(header: string | undefined): Record<string, string> {
  const cookies: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const pair of header?.split(";") ?? []) {
    const equals = pair.indexOf("=");
    if (equals < 0) continue;
    const name = pair.slice(0, equals).trim();
    const raw = pair
      .slice(equals + 1)
      .trim()
      .replace(/^"(.*)"$/, "$1");
    if (name !== "" && !(name in cookies)) cookies[name] = decoded(raw);
  }
  return cookies;
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

/**
 * A `Set-Cookie` value; the value is percent-encoded. Defaults: `Path=/`, `HttpOnly`, `SameSite=Lax`, no `Secure`.
 * @throws TypeError when the name is not a token (RFC 9110 section 5.6.2), and for what browsers would drop unseen: a
 * prefix whose promise is not kept, `SameSite=None` without `Secure` (RFC 6265bis sections 4.1.2.7 and 4.1.3).
 */
export function serializeCookie(name: string, value: string, options: CookieOptions = {}): string {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new TypeError(`"${name}" is not a cookie name`);
  requireKeptPromises(name, options);
  let text = `${name}=${encodeURIComponent(value)}; Path=${options.path ?? "/"}`;
  if (options.maxAgeSeconds !== undefined) text += `; Max-Age=${Math.floor(options.maxAgeSeconds)}`;
  if (options.httpOnly ?? true) text += "; HttpOnly";
  if (options.secure) text += "; Secure";
  return `${text}; SameSite=${options.sameSite ?? "Lax"}`;
}

function requireKeptPromises(name: string, { secure, path = "/", sameSite, maxAgeSeconds }: CookieOptions): void {
  const refuse = (what: string): never => {
    throw new TypeError(`Cookie "${name}" ${what}`);
  };
  const prefix = /^__(?:secure|host)-/i.exec(name)?.[0].toLowerCase();
  if (prefix !== undefined && !secure) refuse("has a prefix that needs { secure: true }");
  if (prefix === "__host-" && path !== "/") refuse(`has a prefix that needs the path "/", not "${path}"`);
  if (sameSite === "None" && !secure) refuse("is SameSite=None, which needs { secure: true }");
  if (!/^\/[\x20-\x3a\x3c-\x7e]*$/.test(path))
    refuse(`has the path ${JSON.stringify(path)}; it starts with a slash, without ";"`);
  if (maxAgeSeconds !== undefined && !Number.isFinite(maxAgeSeconds))
    refuse(`lives ${maxAgeSeconds} seconds; give a number`);
}
