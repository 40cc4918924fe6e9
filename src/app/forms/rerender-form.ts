/**
 * Renders a page within the response to another request: the page of a form, with the result of its submission. Runs the route as for a
 * GET, with its middleware and loaders, for the same visitor; cookies and session are shared with the response.
 */
import type { RequestContext, Source } from "../../platform/http/request/context.ts";
import type { Router } from "../../platform/http/routing/router.ts";
import { asData, MAX_TARGET_LENGTH, readTarget } from "../../platform/http/request/target.ts";
import type { Context, Result } from "../../platform/http/types.ts";
import { toResult } from "../../platform/http/response/write-response.ts";
import { BASE_PATH } from "../../platform/shared/wire.ts";
import { Redirect } from "../pipeline/outcome.ts";
import { noteSubmitted, type Submitted } from "./submit.ts";

/** Headers of the body, which do not apply to the page. */
const BODYS = /^(?:content-|transfer-encoding$|expect$|if-|range$|accept$)/;

/** @returns undefined if there is no page at `target` */
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
    // If its policy contains hashes of scripts, so must that of the response.
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
 * Path and query of the page with the form: from its field, else from the Referer, else the front page. Another site, or a path without a
 * page, becomes the front page.
 */
export function pageOf(ctx: Context, field: string | undefined): string {
  const given = field ?? ctx.header("referer");
  if (given === undefined || !URL.canParse(given, ctx.url)) return "/";
  const { origin, pathname, search } = new URL(given, ctx.url);
  if (origin !== ctx.url.origin || pathname.startsWith(`${BASE_PATH}/`)) return "/";
  // A second slash would begin another host.
  const target = pathname.replace(/^\/+/, "/") + search;
  return target.length > MAX_TARGET_LENGTH ? "/" : target;
}
