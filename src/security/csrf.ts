/**
 * Cross-site request forgery: who may send a mutation. Pure decisions; reading cookies and fields is the caller's.
 *
 * Signed double submit (OWASP CSRF cheat sheet): the cookie holds a random session id with its signature, the token is
 * another signature over that id. A site that can set our cookie (a sibling subdomain) can't make the matching token,
 * and the origin checks come first. Contract section 5.
 */
import { createSalt, randomHex } from "./random.ts";
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

/** Of a signature in base64url (secrets.ts). */
const SIGNATURE_LENGTH = 43;

/**
 * A token that belongs to a cookie: another one each time. Pages are compressed, and of a secret that stood unchanged in
 * page after page, whoever can choose text beside it and see lengths would learn letter by letter (BREACH, decision 011).
 */
export function csrfToken(secret: string, cookie: string): string {
  const salt = createSalt();
  return salt + sign(secret, TOKEN_PURPOSE, salt + cookie);
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
  // A cookie's length is fixed, so no other salt and cookie make the same text.
  const salt = rawToken.slice(0, -SIGNATURE_LENGTH);
  const signature = rawToken.slice(-SIGNATURE_LENGTH);
  return isSigned(secret, TOKEN_PURPOSE, salt + rawCookie, signature) ? undefined : "wrong-token";
}
