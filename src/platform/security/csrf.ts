/**
 * Cross-site request forgery: decides whether a request may change data. Pure functions; callers read cookies and fields.
 *
 * Signed double submit (OWASP CSRF cheat sheet): the cookie contains a random id with its signature; the token is another signature over
 * that id and the session. A site that can set the cookie (a sibling subdomain) can't create the matching token, and a token from before
 * a sign-in is invalid after it. The origin checks come first. Contract section 5.
 */
import { CsrfPairCache } from "./csrf-pair-cache.ts";
import { createId, createSalt, SALT_LENGTH } from "./random.ts";
import { isSigned, sign, SIGNATURE_LENGTH, type Secrets } from "./secrets.ts";

const COOKIE_PURPOSE = "csrf-cookie";
const TOKEN_PURPOSE = "csrf-token";

const ID_LENGTH = 32;
const ID = /^[0-9a-f]{32}$/;
/** Id, dot and signature. */
const COOKIE_LENGTH = ID_LENGTH + 1 + SIGNATURE_LENGTH;

const PAIR_LENGTHS = { cookie: COOKIE_LENGTH, id: ID_LENGTH, token: SALT_LENGTH + SIGNATURE_LENGTH };

export function createCsrfId(): string {
  return createId();
}

/** A value for the cookie: `<32 hex>.<signature>`. @param id a new one, or that of a cookie signed with a previous secret. */
export function createCsrfCookie(secrets: Secrets, id: string): string {
  return `${id}.${sign(secrets, COOKIE_PURPOSE, id)}`;
}

/** The id in a cookie's value, if svc signed it. */
export function csrfId(secrets: Secrets, rawCookie: string | undefined): string | undefined {
  if (rawCookie?.length !== COOKIE_LENGTH || rawCookie[ID_LENGTH] !== ".") return undefined;
  const id = rawCookie.slice(0, ID_LENGTH);
  const isOurs = ID.test(id) && isSigned(secrets, COOKIE_PURPOSE, id, rawCookie.slice(ID_LENGTH + 1));
  return isOurs ? id : undefined;
}

/**
 * A token for a cookie's id and its session, if any; different each time. Pages are compressed. If the same secret occurred in page after
 * page, an attacker who can insert text beside it and observe lengths could learn it letter by letter (BREACH, decision 011).
 */
export function csrfToken(secrets: Secrets, id: string, sessionId: string | undefined): string {
  const salt = createSalt();
  return salt + sign(secrets, TOKEN_PURPOSE, salt + boundTo(id, sessionId));
}

/** Unambiguous, because ids are hex of a fixed length. */
function boundTo(id: string, sessionId = ""): string {
  return `${id}.${sessionId}`;
}

export interface OriginFacts {
  /** `Sec-Fetch-Site`, sent by every current browser. */
  fetchSite: string | undefined;
  /** `Origin`; the only indication from older browsers. */
  origin: string | undefined;
  /** Scheme, host and port of this site. */
  ownOrigin: string;
}

export type CsrfRefusal = "cross-site" | "foreign-origin" | "no-cookie" | "no-token" | "wrong-token";

/** Checks the origin of a request before its body is read. */
export function judgeOrigin(facts: OriginFacts): CsrfRefusal | undefined {
  const { fetchSite, origin } = facts;
  // `none` means the user's own action (address bar, bookmark); `same-site` is another subdomain, which may belong to somebody else.
  if (fetchSite !== undefined && fetchSite !== "same-origin" && fetchSite !== "none") return "cross-site";
  if (origin !== undefined && origin !== facts.ownOrigin) return "foreign-origin";
  return undefined;
}

/** The values that a token is verified with. */
export interface TokenFacts {
  rawCookie: string | undefined;
  sessionId: string | undefined;
  rawToken: string | undefined;
}

/** Whether cookie, session and token belong together. */
export function judgeToken(secrets: Secrets, facts: TokenFacts): CsrfRefusal | undefined {
  const { rawCookie, sessionId, rawToken } = facts;
  if (rawCookie === undefined || rawToken === undefined) return judgeAnew(secrets, facts);
  const pairs = pairsOf(secrets);
  if (pairs.has(rawCookie, sessionId, rawToken)) return undefined;
  const refusal = judgeAnew(secrets, facts);
  if (refusal === undefined) pairs.keep(rawCookie, sessionId, rawToken);
  return refusal;
}

/** By the process's secrets: a verified pair is not valid for other secrets. */
const known = new WeakMap<Secrets, CsrfPairCache>();

function pairsOf(secrets: Secrets): CsrfPairCache {
  let pairs = known.get(secrets);
  if (!pairs) known.set(secrets, (pairs = new CsrfPairCache(PAIR_LENGTHS)));
  return pairs;
}

function judgeAnew(secrets: Secrets, { rawCookie, sessionId, rawToken }: TokenFacts): CsrfRefusal | undefined {
  const id = csrfId(secrets, rawCookie);
  if (id === undefined) return "no-cookie";
  if (rawToken === undefined || rawToken === "") return "no-token";
  const salt = rawToken.slice(0, -SIGNATURE_LENGTH);
  const signature = rawToken.slice(-SIGNATURE_LENGTH);
  return isSigned(secrets, TOKEN_PURPOSE, salt + boundTo(id, sessionId), signature) ? undefined : "wrong-token";
}
