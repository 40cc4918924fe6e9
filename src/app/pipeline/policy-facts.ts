/** The variable parts of a response's policy: a nonce, or for a shared page the hashes of its scripts. */
import type { RequestContext } from "../../platform/http/request/context.ts";
import type { AnswerFacts } from "../../platform/security/headers.ts";
import { createNonce } from "../../platform/security/random.ts";
import { isHtml } from "./dev-script.ts";

/** @param ctx undefined for a response without a request. */
export function policyFacts(ctx: RequestContext | undefined, headers: readonly string[]): AnswerFacts {
  const isSecure = ctx?.unseen(() => ctx.secure) === true;
  if (!isHtml(headers)) return { isSecure, nonce: undefined };
  const hashes = ctx?.scriptHashes;
  const nonce = hashes && !ctx?.nonceUsed ? undefined : (ctx?.unseen(() => ctx.nonce) ?? createNonce());
  return { isSecure, nonce, hashes };
}
