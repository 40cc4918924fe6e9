/**
 * Who may see the operators' screens. In order: what the app itself says; whoever has signed in with the operators' key; in
 * development, whoever sits at this very machine. In production, with neither a key nor a word of the app, nobody.
 */
import { createHash } from "node:crypto";
import { BASE_PATH, type App, type Context } from "../../index.ts";
import type { Role } from "./roles.ts";

export type Authorize = (ctx: Context) => Role | undefined | Promise<Role | undefined>;

export interface Visitor {
  role: Role;
  /** As the audit trail names them. */
  name: string;
  /** Whether they have signed in here, and so may sign out. */
  hasSignedIn: boolean;
}

/** `sign-in`: the key opens; `closed`: nothing does, until the app is told how; `forbidden`: the app has said no. */
export type Denial = "sign-in" | "closed" | "forbidden";

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
  /** Of the cookie, where it is good. */
  signedIn: Role | undefined;
  hasKey: boolean;
  isProduction: boolean;
  /** Whether client and address are this machine, with nobody in between. */
  isLocal: boolean;
}

export function judge({ own, signedIn, hasKey, isProduction, isLocal }: AccessFacts): Access {
  if (own?.role) return { visitor: { role: own.role, name: own.role, hasSignedIn: false } };
  if (signedIn) return { visitor: { role: signedIn, name: signedIn, hasSignedIn: true } };
  if (own) return { denial: hasKey ? "sign-in" : "forbidden" };
  if (!isProduction && isLocal) return { visitor: { role: "operator", name: "developer", hasSignedIn: false } };
  return { denial: hasKey ? "sign-in" : "closed" };
}

export class Doorkeeper {
  readonly #app: () => App;
  readonly #authorize: Authorize | undefined;

  constructor(app: () => App, authorize: Authorize | undefined) {
    this.#app = app;
    this.#authorize = authorize;
  }

  async access(ctx: Context): Promise<Access> {
    const { config } = this.#app();
    const own = this.#authorize && { role: await this.#authorize(ctx) };
    return judge({
      ...(own && { own }),
      signedIn: this.#signedIn(ctx),
      hasKey: config.execApiKey !== undefined,
      isProduction: config.isProduction,
      isLocal: isLocal(ctx),
    });
  }

  /** @returns whether it was the key */
  signIn(ctx: Context, key: string, role: Role): boolean {
    const app = this.#app();
    if (!app.operations.isOperatorKey(key)) return false;
    ctx.setCookie(COOKIE, app.seal(this.#purpose(), role, LIFETIME), {
      path: OPS_PATH,
      sameSite: "Strict",
      maxAgeSeconds: LIFETIME_SECONDS,
    });
    return true;
  }

  signOut(ctx: Context): void {
    ctx.deleteCookie(COOKIE, { path: OPS_PATH });
  }

  #signedIn(ctx: Context): Role | undefined {
    const given = ctx.cookies[COOKIE];
    const role = given === undefined ? undefined : this.#app().unseal(this.#purpose(), given);
    return role === "read" || role === "operator" ? role : undefined;
  }

  /** A new key signs everybody out who came in with the old one. */
  #purpose(): string {
    const key = this.#app().config.execApiKey ?? "";
    return `ops ${createHash("sha256").update(key).digest("base64url")}`;
  }
}

const LOCAL_CLIENT = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const LOCAL_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** A name in the address that leads here is not enough (DNS rebinding), nor is a proxy on this machine that somebody else speaks through. */
function isLocal(ctx: Context): boolean {
  const isForwarded = ctx.header("x-forwarded-for") !== undefined || ctx.header("forwarded") !== undefined;
  return !isForwarded && LOCAL_CLIENT.test(ctx.clientIp) && LOCAL_HOST.test(ctx.url.hostname);
}

/** What a form says of where it stood: another place than a screen is none to go back to. */
export function backOf(given: string | undefined): string {
  const isOurs =
    given !== undefined &&
    (given === OPS_PATH || [`${OPS_PATH}/`, `${OPS_PATH}?`].some((start) => given.startsWith(start)));
  return isOurs && !/[\\\s]/.test(given) ? given : OPS_PATH;
}
