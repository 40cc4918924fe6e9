/** Security headers of a page or route that differ from the app's (platform/security/headers.ts). Adds them to its responses. */
import { RequestContext } from "../../platform/http/request/context.ts";
import type { Handler, Result } from "../../platform/http/types.ts";
import { toResult } from "../../platform/http/response/write-response.ts";
import { SecurityHeaders, withOwn, type OwnSecurityOptions } from "../../platform/security/headers.ts";
import type { AppOptions } from "../options.ts";
import { policyFacts } from "./policy-facts.ts";

/**
 * @param own undefined returns the handler unchanged.
 * @param isDev whether development tools, which write HTML, are active.
 * @throws SvcError `SVC_CONFIG` at boot for invalid options.
 */
export function withOwnHeaders(
  handler: Handler,
  own: OwnSecurityOptions | undefined,
  app: AppOptions,
  isDev: boolean,
): Handler {
  if (!own) return handler;
  const all = withOwn(app.security ?? {}, own);
  const headers = new SecurityHeaders(isDev ? { ...all, trustedTypes: false } : all);
  return async (ctx): Promise<Result> => {
    const result = toResult(await handler(ctx));
    const facts = policyFacts(ctx instanceof RequestContext ? ctx : undefined, result.headers);
    return { ...result, headers: headers.complete(result.headers, facts) };
  };
}
