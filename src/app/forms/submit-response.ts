/** The response to a submit, by client: an envelope, a redirect, or the page with the errors. */
import { RequestContext } from "../../platform/http/request/context.ts";
import { CLIENT_LEFT, isLeaving } from "../../platform/http/client-disconnect.ts";
import { readQualities } from "../../platform/http/request/weighted-list.ts";
import { json, redirectTo } from "../../platform/http/response/response.ts";
import type { Answer, Context, Result } from "../../platform/http/types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { HEADERS, type ActionReply } from "../../platform/shared/wire.ts";
import { answerError, prefersHtml } from "../pipeline/error-page.ts";
import { rerenderForm, pageOf } from "./rerender-form.ts";
import type { Services } from "../services.ts";
import { withoutSecrets } from "./submit.ts";
import type { Call, Outcome, Read } from "./submit-call.ts";

/** The outcome for this client. @param body undefined if it could not be read completely */
export async function shown(call: Call, body: Read | undefined, { status, reply, headers }: Outcome): Promise<Answer> {
  const { ctx } = call;
  const all = [...call.headers, ...headers];
  const isTakenIn = ctx.header(HEADERS.swap) !== undefined;
  const page = pageOf(ctx, body?.page);
  // Nobody is there to see a page.
  if (status === CLIENT_LEFT || wantsEnvelope(ctx)) return json(reply, status, all);
  if (reply.ok) {
    const location = reply.redirect ?? page;
    return isTakenIn ? json({ ...reply, redirect: location }, 200, all) : added(redirectTo(location, 303), all);
  }
  const isForPage = !isTakenIn && prefersHtml(ctx.header("accept"));
  const asFault = isForPage ? afterFault : undefined;
  const again = await (status < 500 ? againOn : asFault)?.(call, body, page, { status, reply });
  if (again) return added(again, all);
  return isForPage
    ? added(errorPage(ctx, call.endpoints.services, status, reply.error), all)
    : json(reply, status, all);
}

interface Refused {
  readonly status: number;
  readonly reply: ActionReply & { ok: false };
}

async function againOn(
  { ctx, endpoints, name, definition }: Call,
  body: Read | undefined,
  page: string,
  { status, reply }: Refused,
): Promise<Result | undefined> {
  if (!(ctx instanceof RequestContext)) return undefined;
  const fields = body ? withoutSecrets(body, definition) : [];
  const refusal = { name, form: body?.form, status, message: reply.error, issues: reply.issues ?? [], fields };
  return rerenderForm(ctx, endpoints.router, page, refusal);
}

/**
 * The page after a server error, whose key returns this answer for a day (decision 014): its form has a new key, so that the visitor can
 * submit again. Only if the form names its page, which shows the error.
 */
async function afterFault(
  call: Call,
  body: Read | undefined,
  page: string,
  refused: Refused,
): Promise<Result | undefined> {
  if (body?.page === undefined) return undefined;
  try {
    const again = await againOn(call, body, page, refused);
    return again?.status === refused.status ? again : undefined;
  } catch (err) {
    const { ctx, endpoints } = call;
    if (isLeaving(err, ctx)) throw err;
    endpoints.services.log.warn({ reqId: ctx.requestId, err }, "Failed to render the page of a failed form");
    return undefined;
  }
}

export function added(result: Result, headers: readonly string[]): Result {
  return { ...result, headers: [...result.headers, ...headers] };
}

/** Programs request it explicitly; old browsers and curl accept any type and are redirected. */
function wantsEnvelope(ctx: Context): boolean {
  const accept = ctx.header("accept");
  if (accept === undefined || prefersHtml(accept)) return false;
  return (readQualities(accept).get("application/json") ?? 0) > 0;
}

export function errorPage(ctx: Context, services: Services, status: number, message: string): Result {
  const asked = { requestId: ctx.requestId, header: (name: string) => ctx.header(name), path: "/" };
  const code = status >= 500 ? "SVC_INTERNAL" : "SVC_INVALID";
  return answerError(new SvcError(code, message, { status }), asked, services.config.exposes.errorDetails);
}
