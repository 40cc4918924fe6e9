/**
 * Decides who may see the operator screens: first the app's own `authorize`, then a session that began with the operator key or, under `svc
 * dev`, with its one-time link. The network address never grants access, because it cannot be proven.
 */
import type { App, Context } from "../index.ts";
import { BASE_PATH } from "../internal.ts";
import type { Role } from "./roles.ts";

export type Authorize = (ctx: Context) => Role | undefined | Promise<Role | undefined>;

export interface Visitor {
  role: Role;
  /** The name in the audit trail. */
  name: string;
  /** Whether the visitor signed in here, and can therefore sign out. */
  hasSignedIn: boolean;
}

/**
 * Why access is denied. `sign-in`: the operator key is required; `link`: the one-time link that `svc dev` printed is required; `closed`:
 * the app must be configured first; `forbidden`: the app's `authorize` refused.
 */
export type Denial = "sign-in" | "link" | "closed" | "forbidden";

/** The proof that a visitor signs in with. */
type Proof = "key" | "link";

export type Access = { visitor: Visitor } | { denial: Denial };

/** The session cookie. It is sent to svc's own paths only: to the screens and to their streams. */
const COOKIE = "svc-operator";
const COOKIE_PATH = BASE_PATH;
export const OPS_PATH = `${BASE_PATH}/ops`;
export const RUNS_PATH = `${OPS_PATH}/runs`;

/** Sessions by which requests got access, for the streams of their pages. */
const sessionsOfRequests = new WeakMap<Context, string>();

/** The inputs of the decision. */
export interface AccessFacts {
  /** Result of the app's `authorize`; absent if the app has none. */
  own?: { role: Role | undefined };
  /** The session of a valid cookie. */
  signedIn: Pick<Visitor, "role" | "name"> | undefined;
  hasKey: boolean;
  /** Whether `svc dev` has printed a one-time link. */
  hasLink: boolean;
}

export function decideAccess({ own, signedIn, hasKey, hasLink }: AccessFacts): Access {
  if (own?.role) return { visitor: { role: own.role, name: own.role, hasSignedIn: false } };
  if (signedIn) return { visitor: { ...signedIn, hasSignedIn: true } };
  if (hasKey) return { denial: "sign-in" };
  if (own) return { denial: "forbidden" };
  return { denial: hasLink ? "link" : "closed" };
}

export class OperatorGate {
  readonly #app: () => App;
  readonly #authorize: Authorize | undefined;

  constructor(app: () => App, authorize: Authorize | undefined) {
    this.#app = app;
    this.#authorize = authorize;
  }

  async access(ctx: Context): Promise<Access> {
    const { operations } = this.#app();
    const own = this.#authorize && { role: await this.#authorize(ctx) };
    const session = await operations.operatorSession(ctx.cookies[COOKIE]);
    const access = decideAccess({
      ...(own && { own }),
      signedIn: session && { role: session.role, name: session.proof === "key" ? session.role : "developer" },
      hasKey: operations.hasProof("key"),
      hasLink: operations.hasProof("link"),
    });
    if (session && "visitor" in access && access.visitor.hasSignedIn) sessionsOfRequests.set(ctx, session.id);
    return access;
  }

  /** @returns whether the key or token was correct @throws SvcError `SVC_RATE_LIMIT` after too many wrong ones */
  async signIn(ctx: Context, proof: Proof, text: string, role: Role): Promise<boolean> {
    const opened = await this.#app().operations.signIn(proof, text, role, ctx.clientIp);
    if (!opened) return false;
    // A session that the browser still has would otherwise stay valid without its cookie.
    await this.#app().operations.signOut(ctx.cookies[COOKIE]);
    const { cookie, maxAgeSeconds } = opened;
    ctx.setCookie(COOKIE, cookie, { path: COOKIE_PATH, sameSite: "Strict", maxAgeSeconds });
    return true;
  }

  async signOut(ctx: Context): Promise<void> {
    await this.#app().operations.signOut(ctx.cookies[COOKIE]);
    ctx.deleteCookie(COOKIE, { path: COOKIE_PATH });
  }
}

/** Id of the operator session by which the gate let this request in; undefined for access by `authorize`. */
export function operatorSessionOf(ctx: Context): string | undefined {
  return sessionsOfRequests.get(ctx);
}

/** Whether the request comes from the browser of this operator session, and the session has not ended. */
export async function hasOperatorSession(app: App, ctx: Context, id: string): Promise<boolean> {
  return (await app.operations.operatorSession(ctx.cookies[COOKIE]))?.id === id;
}

/** The URL to return to after a form. Rejects everything except screens, to prevent open redirects. */
export function backOf(given: string | undefined): string {
  const isOurs =
    given !== undefined &&
    (given === OPS_PATH || [`${OPS_PATH}/`, `${OPS_PATH}?`].some((start) => given.startsWith(start)));
  return isOurs && !/[\\\s]/.test(given) ? given : OPS_PATH;
}
