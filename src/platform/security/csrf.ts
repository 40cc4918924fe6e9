/**
 * Cross-site request forgery: who may send a mutation. Pure decisions; reading cookies and fields is the caller's.
 *
 * Signed double submit (OWASP CSRF cheat sheet): the cookie holds a random id with its signature, the token is another
 * signature over that id and the session it was given in. A site that can set our cookie (a sibling subdomain) can't make
 * the matching token, a token from before a sign-in is void after it, and the origin checks come first. Contract section 5.
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

/** A value for the cookie: `<32 hex>.<signature>`. @param id a fresh one, or that of a cookie signed with a previous secret. */
export function createCsrfCookie(secrets: Secrets, id: string): string {
  return `${id}.${sign(secrets, COOKIE_PURPOSE, id)}`;
}

/** The id in a cookie's value, if it is one that we made. */
export function csrfId(secrets: Secrets, rawCookie: string | undefined): string | undefined {
  if (rawCookie?.length !== COOKIE_LENGTH || rawCookie[ID_LENGTH] !== ".") return undefined;
  const id = rawCookie.slice(0, ID_LENGTH);
  const isOurs = ID.test(id) && isSigned(secrets, COOKIE_PURPOSE, id, rawCookie.slice(ID_LENGTH + 1));
  return isOurs ? id : undefined;
}

/**
 * A token that belongs to a cookie's id in a session, or in none: another one each time. Pages are compressed, and of a secret
 * that stood unchanged in page after page, whoever can choose text beside it and see lengths would learn letter by letter
 * (BREACH, decision 011).
 */
export function csrfToken(secrets: Secrets, id: string, sessionId: string | undefined): string {
  const salt = createSalt();
  return salt + sign(secrets, TOKEN_PURPOSE, salt + boundTo(id, sessionId));
}

/** Ids are hex of a fixed length, so one text has no other salt, id and session for its parts. */
function boundTo(id: string, sessionId = ""): string {
  return `${id}.${sessionId}`;
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

/** What a token is held against. */
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

/** Of a process's own secrets: what was right with those is not with others. */
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
