/**
 * Decides who may see the operator screens. In order: the app's own `authorize`; a session that began with the operator key or, under
 * `svc dev`, with its one-time link. Nobody else: a request can't prove where it comes from.
 */
import type { App, Context } from "../index.ts";
import { BASE_PATH } from "../internal.ts";
import type { Role } from "./roles.ts";

export type Authorize = (ctx: Context) => Role | undefined | Promise<Role | undefined>;

export interface Visitor {
  role: Role;
  /** As the audit trail names them. */
  name: string;
  /** Whether they have signed in here, and so may sign out. */
  hasSignedIn: boolean;
}

/**
 * `sign-in`: the key opens; `link`: the one-time link that `svc dev` printed does; `closed`: nothing does, until the app is configured;
 * `forbidden`: the app has said no.
 */
export type Denial = "sign-in" | "link" | "closed" | "forbidden";

/** How somebody signs in. */
type Proof = "key" | "link";

export type Access = { visitor: Visitor } | { denial: Denial };

/** Sent to the screens alone. */
const COOKIE = "svc-ops";
export const OPS_PATH = `${BASE_PATH}/ops`;
export const RUNS_PATH = `${OPS_PATH}/runs`;
/** A day at work; then the key is asked for again. */
const LIFETIME = "8h";
const LIFETIME_SECONDS = 8 * 3600;

/** What a decision is made of. */
export interface AccessFacts {
  /** What the app says of this request; absent where it says nothing at all. */
  own?: { role: Role | undefined };
  /** Of the cookie, where it is valid. */
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

  /** @returns whether the text was right @throws SvcError `SVC_RATE_LIMIT` after too many wrong ones */
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

/** What a form says of where it stood: another place than a screen is none to go back to. */
export function backOf(given: string | undefined): string {
  const isOurs =
    given !== undefined &&
    (given === OPS_PATH || [`${OPS_PATH}/`, `${OPS_PATH}?`].some((start) => given.startsWith(start)));
  return isOurs && !/[\\\s]/.test(given) ? given : OPS_PATH;
}
