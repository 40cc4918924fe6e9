/**
 * A page within the answer to another request: the page that a form was sent from, shown again with what became of it. Its route is
 * asked as for a GET, with its middleware and loaders, for the same visitor; cookies and session are those of one answer.
 */
import type { RequestContext, Source } from "../../platform/http/request/context.ts";
import type { Router } from "../../platform/http/routing/router.ts";
import { asData, MAX_TARGET_LENGTH, readTarget } from "../../platform/http/request/target.ts";
import type { Context, Result } from "../../platform/http/types.ts";
import { toResult } from "../../platform/http/response/write-response.ts";
import { BASE_PATH } from "../../platform/shared/wire.ts";
import { Redirect } from "../pipeline/outcome.ts";
import { noteSubmitted, type Submitted } from "./submit.ts";

/** Headers of a body that the page is not asked with. */
const BODYS = /^(?:content-|transfer-encoding$|expect$|if-|range$|accept$)/;

/** @returns undefined where no page is at `target` */
export async function rerenderForm(
  outer: RequestContext,
  router: Router,
  target: string,
  refusal: Submitted,
): Promise<Result | undefined> {
  const inner = outer.within(asked(outer, target), readTarget(target));
  const match = router.match("GET", inner.routed);
  if (match.kind !== "found") return undefined;
  inner.route = match.route;
  inner.params = inner.routed === inner.path ? match.params : asData(match.params);
  noteSubmitted(inner, refusal);
  try {
    const result = toResult(await match.route.handler(inner));
    // Where its policy names scripts by their hash, so does that of the answer.
    outer.scriptHashes = inner.scriptHashes;
    return result.status === 200 ? { ...result, status: refusal.status } : result;
  } catch (error) {
    if (error instanceof Redirect) return error.result;
    throw error;
  }
}

function asked({ source, signal }: RequestContext, target: string): Source {
  const header = (name: string): string | undefined => {
    if (name === "accept") return "text/html";
    return BODYS.test(name) ? undefined : source.header(name);
  };
  return {
    method: "GET",
    target,
    header,
    host: source.host,
    clientIp: source.clientIp,
    secure: source.secure,
    readBody: async () => new Uint8Array(),
    signal: () => signal,
    toRequest: (url) => new Request(url, { headers: { accept: "text/html", cookie: source.header("cookie") ?? "" } }),
  };
}

/**
 * The page that a form stands in, as path and query: what its field says, else where the request came from, else the front page.
 * Whoever asks for another site, or for what is no page of the app's, gets the front page.
 */
export function pageOf(ctx: Context, field: string | undefined): string {
  const given = field ?? ctx.header("referer");
  if (given === undefined || !URL.canParse(given, ctx.url)) return "/";
  const { origin, pathname, search } = new URL(given, ctx.url);
  if (origin !== ctx.url.origin || pathname.startsWith(`${BASE_PATH}/`)) return "/";
  // A second slash would begin the name of another host.
  const target = pathname.replace(/^\/+/, "/") + search;
  return target.length > MAX_TARGET_LENGTH ? "/" : target;
}
