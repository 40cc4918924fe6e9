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

/** The session cookie, which is sent to the screens only. */
const COOKIE = "svc-ops";
export const OPS_PATH = `${BASE_PATH}/ops`;
export const RUNS_PATH = `${OPS_PATH}/runs`;
/** Session lifetime: a working day. */
const LIFETIME = "8h";
const LIFETIME_SECONDS = 8 * 3600;

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
    return decideAccess({
      ...(own && { own }),
      signedIn: this.#signedIn(ctx),
      hasKey: operations.sessionPurpose("key") !== undefined,
      hasLink: operations.sessionPurpose("link") !== undefined,
    });
  }

  /** @returns whether the key or token was correct @throws SvcError `SVC_RATE_LIMIT` after too many wrong ones */
  signIn(ctx: Context, proof: Proof, text: string, role: Role): boolean {
    const app = this.#app();
    const purpose = app.operations.sessionPurpose(proof);
    if (purpose === undefined || !app.operations.isOperator(proof, text, ctx.clientIp)) return false;
    ctx.setCookie(COOKIE, app.seal(purpose, role, LIFETIME), {
      path: OPS_PATH,
      sameSite: "Strict",
      maxAgeSeconds: LIFETIME_SECONDS,
    });
    return true;
  }

  signOut(ctx: Context): void {
    ctx.deleteCookie(COOKIE, { path: OPS_PATH });
  }

  #signedIn(ctx: Context): AccessFacts["signedIn"] {
    const role = this.#unsealed(ctx, "key");
    if (role) return { role, name: role };
    return this.#unsealed(ctx, "link") && { role: "operator", name: "developer" };
  }

  #unsealed(ctx: Context, proof: Proof): Role | undefined {
    const [app, given] = [this.#app(), ctx.cookies[COOKIE]];
    const purpose = app.operations.sessionPurpose(proof);
    const role = given === undefined || purpose === undefined ? undefined : app.unseal(purpose, given);
    return role === "read" || role === "operator" ? role : undefined;
  }
}

/** The URL to return to after a form. Rejects everything except screens, to prevent open redirects. */
export function backOf(given: string | undefined): string {
  const isOurs =
    given !== undefined &&
    (given === OPS_PATH || [`${OPS_PATH}/`, `${OPS_PATH}?`].some((start) => given.startsWith(start)));
  return isOurs && !/[\\\s]/.test(given) ? given : OPS_PATH;
}
