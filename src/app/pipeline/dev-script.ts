/** Development only: adds the script that follows the source to every page, including error pages. */
import type { ResponseStep } from "../../platform/http/pipeline.ts";
import { remembered } from "../../platform/shared/collections/memoize.ts";
import type { Body } from "../../platform/http/types.ts";
import type { Services } from "../services.ts";
import { caughtIn } from "./caught-error.ts";

export function addDevScript(services: () => Services | undefined): ResponseStep {
  return (ctx, result) => {
    const dev = services()?.site.dev;
    if (!dev || !isHtml(result.headers)) return result;
    return { ...result, body: appended(result.body, () => dev.script(ctx.nonce, caughtIn(ctx))) };
  };
}

/** The parser puts an element after the end of the document into the body (WHATWG HTML 13.2.6.4.19). */
function appended(body: Body, scriptOf: () => string): Body {
  if (typeof body === "string") {
    const script = scriptOf();
    // The fault page has the script in its head.
    return body.includes(script) ? body : body + script;
  }
  if (body === null || body instanceof Uint8Array) return body;
  return (async function* () {
    yield* body;
    // Content that was deferred may have failed until here.
    yield scriptOf();
  })();
}

/** Media types are case-insensitive (RFC 9110 section 8.3.1); of several values, browsers use the last. */
const HTML = /(?:^|,)\s*(?:text\/html|application\/xhtml\+xml)\s*(?:[;,]|$)/i;

const isHtmlType = remembered((type) => HTML.test(type));

export function isHtml(headers: readonly string[]): boolean {
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === "content-type" && isHtmlType(headers[at + 1] as string)) return true;
  }
  return false;
}
