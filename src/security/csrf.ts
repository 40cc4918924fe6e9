/**
 * Cross-site request forgery: who may send a mutation. Pure decisions; reading cookies and fields is the caller's.
 *
 * Signed double submit (OWASP CSRF cheat sheet): the cookie holds a random session id with its signature, the token is
 * another signature over that id. A site that can set our cookie (a sibling subdomain) can't make the matching token,
 * and the origin checks come first. Contract section 5.
 */
import { randomHex } from "./random.ts";
import { isSigned, sign } from "./secrets.ts";

const COOKIE_PURPOSE = "csrf-cookie";
const TOKEN_PURPOSE = "csrf-token";

/** A fresh value for the cookie: `<32 hex>.<signature>`. */
export function createCsrfCookie(secret: string): string {
  const id = randomHex(16);
  return `${id}.${sign(secret, COOKIE_PURPOSE, id)}`;
}

/** Whether a cookie's value is one that we made. */
export function isCsrfCookie(secret: string, rawCookie: string | undefined): rawCookie is string {
  const [id = "", signature = "", ...rest] = (rawCookie ?? "").split(".");
  return /^[0-9a-f]{32}$/.test(id) && rest.length === 0 && isSigned(secret, COOKIE_PURPOSE, id, signature);
}

/** The token that belongs to a cookie. */
export function csrfToken(secret: string, cookie: string): string {
  return sign(secret, TOKEN_PURPOSE, cookie);
}

export interface OriginFacts {
  /** `Sec-Fetch-Site`, sent by every current browser. */
  fetchSite: string | undefined;
  /** `Origin`; on older browsers the only sign. */
  origin: string | undefined;
  /** Scheme, host and port that this site is reached by. */
  ownOrigin: string;
}

export type CsrfRefusal = "cross-site" | "foreign-origin" | "no-cookie" | "no-token" | "wrong-token";

/** Where the request comes from, judged before its body is read. */
export function judgeOrigin(facts: OriginFacts): CsrfRefusal | undefined {
  const { fetchSite, origin } = facts;
  // `none` is the user's own doing (address bar, bookmark); `same-site` is another subdomain, which may be someone else's.
  if (fetchSite !== undefined && fetchSite !== "same-origin" && fetchSite !== "none") return "cross-site";
  if (origin !== undefined && origin !== facts.ownOrigin) return "foreign-origin";
  return undefined;
}

/** Whether cookie and token belong together. */
export function judgeToken(
  secret: string,
  rawCookie: string | undefined,
  rawToken: string | undefined,
): CsrfRefusal | undefined {
  if (!isCsrfCookie(secret, rawCookie)) return "no-cookie";
  if (rawToken === undefined || rawToken === "") return "no-token";
  return isSigned(secret, TOKEN_PURPOSE, rawCookie, rawToken) ? undefined : "wrong-token";
}
