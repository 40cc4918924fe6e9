/** The headers that every response gets: the security headers, the mark of a page, the token of a new session. */
import type { RequestContext } from "../../platform/http/request/context.ts";
import type { ResponseStep } from "../../platform/http/pipeline.ts";
import type { Result } from "../../platform/http/types.ts";
import { SecurityHeaders, type AnswerFacts } from "../../platform/security/headers.ts";
import { randomHex } from "../../platform/security/random.ts";
import { HEADERS } from "../../platform/shared/wire.ts";
import type { AppOptions } from "../options.ts";
import type { Services } from "../services.ts";
import { tokenFor } from "./csrf-guard.ts";
import { settlePageMark } from "./page-mark.ts";
import { policyFacts } from "./policy-facts.ts";

/** A sign-in or sign-out invalidates the tokens of its page, which continues with this one (docs/resume-protocol.md). */
export function renewCsrfToken(services: () => Services | undefined): ResponseStep {
  return (ctx, result) => {
    const booted = services();
    if (!booted || !ctx.jar?.hasNewSession || ctx.method === "GET" || ctx.method === "HEAD") return result;
    return { ...result, headers: [...result.headers, HEADERS.csrf, tokenFor(ctx, booted)] };
  };
}

interface ResponseHeaders {
  /** Adds the security headers; the policy with its nonce on HTML. */
  add: ResponseStep;
  /** The same for a response without a request. */
  addUnparsed: (result: Result) => Result;
}

export function responseHeaders(
  security: AppOptions["security"],
  services: () => Services | undefined,
): ResponseHeaders {
  const headers = new SecurityHeaders(security);
  // Development tools write HTML.
  const inDevelopment = new SecurityHeaders({ ...security, trustedTypes: false });
  const current = (): SecurityHeaders => (services()?.site.dev ? inDevelopment : headers);
  return {
    add: (ctx, result) => withHeaders(current(), ctx, result),
    addUnparsed: (result) => {
      const facts = policyFacts(undefined, result.headers);
      const all = current().complete(result.headers, facts);
      return { ...result, headers: [...all, HEADERS.requestId, randomHex(16)] };
    },
  };
}

function withHeaders(headers: SecurityHeaders, ctx: RequestContext, given: Result): Result {
  const facts = policyFacts(ctx, given.headers);
  const result = withSettledMark(given, facts);
  const lines = headers.lines(result.headers, facts);
  ctx.readyLines = lines ?? "";
  if (lines !== undefined) return result;
  return { status: result.status, headers: headers.complete(result.headers, facts), body: result.body };
}

function withSettledMark(result: Result, { nonce, hashes }: AnswerFacts): Result {
  const headers = settlePageMark(result.headers, nonce !== undefined || hashes !== undefined);
  return headers === result.headers ? result : { status: result.status, headers, body: result.body };
}
