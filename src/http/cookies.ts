/** Cookies as RFC 6265 has them: reading the `Cookie` header, writing `Set-Cookie`. */
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

/** @throws TypeError when the name is not a token (RFC 9110 section 5.6.2). */
export function serializeCookie(name: string, value: string, options: CookieOptions = {}): string {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new TypeError(`"${name}" is not a cookie name`);
  let text = `${name}=${encodeURIComponent(value)}; Path=${options.path ?? "/"}`;
  if (options.maxAgeSeconds !== undefined) text += `; Max-Age=${Math.floor(options.maxAgeSeconds)}`;
  if (options.httpOnly ?? true) text += "; HttpOnly";
  if (options.secure) text += "; Secure";
  return `${text}; SameSite=${options.sameSite ?? "Lax"}`;
}
