/** Steps of the pipeline that depend on HTTP only: session, cookies, buffering, compression. */
import type { CookieJar } from "../sessions/cookie-jar.ts";
import type { RequestContext } from "../request/context.ts";
import type { Result } from "../types.ts";
import type { ErrorHandler, ResponseStep } from "../pipeline.ts";
import { settled } from "./buffer-ready-stream.ts";
import { endBody } from "./close-iterator.ts";
import { compressed, isDocument } from "./compress.ts";
import { isShareable, asPrivate } from "./shared-caching.ts";
import { isBodyless, isStream } from "./write-response.ts";

/** Saves the session that a handler has opened, whatever the status: a sign-in ends with a redirect. */
export function saveSession(onError: ErrorHandler): ResponseStep {
  return (ctx, result) => {
    const { jar } = ctx;
    return jar?.hasOpened && !ctx.hasClosedHead ? save(ctx, jar, result, onError) : result;
  };
}

async function save(ctx: RequestContext, jar: CookieJar, result: Result, onError: ErrorHandler): Promise<Result> {
  try {
    await jar.save();
    return asPrivate(result);
  } catch (error) {
    endBody(result.body);
    return asPrivate(onError(error, ctx));
  }
}

/** A cookie belongs to one visitor: a shared cache would give it to all. */
export const keepCookiesPrivate: ResponseStep = ({ jar }, result) => {
  const hasCookies = jar?.isEmpty === false || result.headers.includes("set-cookie");
  return hasCookies && isShareable(result) ? asPrivate(result) : result;
};

/** Sends a streamed document in one piece if all of it is already available: it then has a length and compresses better. */
export const bufferReadyDocument: ResponseStep = ({ method }, result) => {
  const { status, headers, body } = result;
  if (!isStream(body) || method === "HEAD" || isBodyless(status) || !isDocument(headers)) return result;
  return settled(body).then((whole) => ({ status, headers, body: whole }));
};

export const compressBody: ResponseStep = compressed;
