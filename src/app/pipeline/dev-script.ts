/** Development only: puts the script that follows the source into every page, those of errors included. */
import type { RequestContext } from "../../platform/http/request/context.ts";
import { remembered } from "../../platform/shared/memoize.ts";
import type { Body, Result } from "../../platform/http/types.ts";
import type { DevSupport } from "../options.ts";

/** @param dev undefined in production, which leaves every answer alone. */
export function withScript(dev: DevSupport | undefined, ctx: RequestContext | undefined, result: Result): Result {
  if (!dev || !ctx || !isHtml(result.headers)) return result;
  return { ...result, body: appended(result.body, dev.script(ctx.nonce)) };
}

/** Behind the end of a document it still belongs to the body (WHATWG HTML 13.2.6.4.19). */
function appended(body: Body, script: string): Body {
  // A page that tells of a fault has the script in its head.
  if (typeof body === "string") return body.includes(script) ? body : body + script;
  if (body === null || body instanceof Uint8Array) return body;
  return (async function* () {
    yield* body;
    yield script;
  })();
}

/** However a handler spells it: media types know no case (RFC 9110 section 8.3.1), and of several browsers take the last. */
const HTML = /(?:^|,)\s*(?:text\/html|application\/xhtml\+xml)\s*(?:[;,]|$)/i;

const isHtmlType = remembered((type) => HTML.test(type));

export function isHtml(headers: readonly string[]): boolean {
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === "content-type" && isHtmlType(headers[at + 1] as string)) return true;
  }
  return false;
}
