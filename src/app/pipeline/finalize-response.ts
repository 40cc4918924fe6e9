/** The last touch to every answer: the token of a new session, and the headers that all have. */
import type { Result } from "../../platform/http/types.ts";
import type { RequestContext } from "../../platform/http/request/context.ts";
import { SecurityHeaders, type AnswerFacts } from "../../platform/security/headers.ts";
import { randomHex } from "../../platform/security/random.ts";
import { HEADERS } from "../../platform/shared/wire.ts";
import { tokenFor } from "./csrf-guard.ts";
import { settlePageMark } from "./page-mark.ts";
import { policyFacts } from "./policy-facts.ts";
import type { Services } from "../services.ts";

/** What has signed in or out voids the tokens of its page, which goes on with this one (docs/resume-protocol.md). */
export function withNewToken(ctx: RequestContext | undefined, result: Result, services: Services | undefined): Result {
  if (!services || !ctx?.jar?.hasNewSession || ctx.method === "GET" || ctx.method === "HEAD") return result;
  return { ...result, headers: [...result.headers, HEADERS.csrf, tokenFor(ctx, services)] };
}

function withSettledMark(result: Result, { nonce, hashes }: AnswerFacts): Result {
  const headers = settlePageMark(result.headers, nonce !== undefined || hashes !== undefined);
  return headers === result.headers ? result : { ...result, headers: [...headers] };
}

/** The headers every answer has; the policy with its nonce on HTML. */
export function finalizeResponse(headers: SecurityHeaders, ctx: RequestContext | undefined, given: Result): Result {
  const facts = policyFacts(ctx, given.headers);
  const result = withSettledMark(given, facts);
  if (ctx) {
    const lines = headers.lines(result.headers, facts);
    ctx.readyLines = lines ?? "";
    if (lines !== undefined) return result;
  }
  const all = headers.complete(result.headers, facts);
  if (!ctx) all.push(HEADERS.requestId, randomHex(16));
  return { status: result.status, headers: all, body: result.body };
}
