/** Issues CSRF tokens without rendering a page. A test client that holds the app itself uses it; it is no part of the public `App`. */
import { RequestContext } from "../../platform/http/request/context.ts";
import { FetchSource } from "../../platform/http/request/fetch-source.ts";
import { readTarget } from "../../platform/http/request/target.ts";
import type { Config } from "../lifecycle/config.ts";
import { tokenFor } from "./csrf-guard.ts";
import type { Services } from "../services.ts";

export interface IssuedCsrfToken {
  token: string;
  /** Values of `Set-Cookie`: the cookie that the token belongs to, where the request has none. */
  setCookies: string[];
}

/** Registered for all copies of svc: a test and the app that it tests may load different ones. */
export const issueCsrfToken: unique symbol = Symbol.for("svc.issueCsrfToken");

export interface CsrfIssuer {
  [issueCsrfToken](request: Request): Promise<IssuedCsrfToken>;
}

export function isCsrfIssuer(app: object): app is CsrfIssuer {
  return issueCsrfToken in app;
}

/** @param request its cookies identify visitor and session */
export function issueToken(request: Request, config: Config, services: Services): IssuedCsrfToken {
  const source = new FetchSource(request, config.trustedProxies, undefined);
  const ctx = new RequestContext(source, readTarget(source.target), () => services, services.siteRules);
  const token = tokenFor(ctx, services);
  return { token, setCookies: [...(ctx.jar?.lines ?? [])] };
}
