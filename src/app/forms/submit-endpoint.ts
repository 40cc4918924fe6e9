/**
 * `POST …/submit/:name`: a submitted form, with or without JavaScript. docs/reference/http.md, section 5, defines checks, statuses and
 * texts. Programs (`Accept: application/json`) get the envelope of actions and the redirect target; browsers are redirected (303), or get
 * the page with the errors (submit-response.ts). Exists only if the app has submits.
 */
import { requireMediaType } from "../../platform/http/body/read-body.ts";
import { compose } from "../../platform/http/routing/middleware.ts";
import { errorHeaders, json } from "../../platform/http/response/response.ts";
import type { Answer, Context, Middleware } from "../../platform/http/types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { HEADERS, PATHS } from "../../platform/shared/wire.ts";
import { withinTime } from "../actions/action-timeout.ts";
import { prefersHtml } from "../pipeline/error-page.ts";
import { isRedirect } from "../pipeline/outcome.ts";
import type { Endpoints, Services } from "../services.ts";
import { outcomeOf, success } from "../actions/action-response.ts";
import { asDocumented, outcomeName } from "../api/mutation-limits.ts";
import { readBody } from "./submit-body.ts";
import { outcome, type Call, type Outcome, type Read } from "./submit-call.ts";
import { runOnce } from "./submit-idempotency.ts";
import { added, errorPage, shown } from "./submit-response.ts";

const TYPES = ["application/x-www-form-urlencoded", "multipart/form-data", "application/json"];

export function submitEndpoints(endpoints: Endpoints): void {
  endpoints.router.add("POST", `${PATHS.submit}/:name`, (ctx) => answer(ctx, endpoints));
}

async function answer(ctx: Context, endpoints: Endpoints): Promise<Answer> {
  const { services } = endpoints;
  const name = ctx.params["name"] ?? "";
  const definition = services.submits.get(name);
  const headers: string[] = [];
  let result: Answer;
  try {
    // The documented text is the same for both kinds of names.
    if (!definition) throw new SvcError("SVC_NOT_FOUND", "Unknown action");
    result = await answerKnown({ ctx, endpoints, name, definition, headers });
  } catch (error) {
    result = pipelineAnswer(ctx, services, name, headers, error);
  }
  services.metrics.submits.add(definition ? name : "unknown", outcomeName(result.status));
  return result;
}

async function answerKnown(call: Call): Promise<Answer> {
  const { ctx, endpoints, name, headers } = call;
  const verdict = await endpoints.services.limits.ofSubmit(name).take(ctx.clientIp, name);
  headers.push(...verdict.headers);
  if (!verdict.isAllowed) throw new SvcError("SVC_RATE_LIMIT", "Too many requests");
  const type = requireMediaType(ctx, TYPES);
  let body: Read | undefined;
  try {
    body = await readBody(call, type);
  } catch (error) {
    // Errors of a form of this site are shown on its page, if only without its values.
    if (isOfForm(error)) return await shown(call, undefined, outcome(call, asDocumented(error)));
    throw error;
  }
  const read = body;
  try {
    return await around(endpoints.middleware, ctx, () => performed(call, read));
  } catch (error) {
    // A redirect of middleware: that of the form is an outcome already.
    if (isRedirect(error)) return await shown(call, read, outcome(call, error));
    throw error;
  } finally {
    await read.clear();
  }
}

/** Middleware sees the response that the visitor gets. */
function around(middleware: readonly Middleware[], ctx: Context, run: () => Promise<Answer>): Answer | Promise<Answer> {
  return middleware.length === 0 ? run() : compose(middleware, run)(ctx);
}

function isOfForm(error: unknown): boolean {
  return error instanceof SvcError && (error.code === "SVC_TOO_LARGE" || error.code === "SVC_INVALID");
}

async function performed(call: Call, body: Read): Promise<Answer> {
  const { key } = body;
  const isOnce = key !== undefined && call.definition.once !== false;
  return shown(call, body, await (isOnce ? runOnce(call, { ...body, key }, perform) : perform(call, body)));
}

async function perform(call: Call, body: Read): Promise<Outcome> {
  const { ctx, definition, endpoints, name } = call;
  const { services } = endpoints;
  try {
    const { timeout } = definition;
    const timed = { ctx, services, spec: { options: timeout === undefined ? {} : { timeout } } };
    const run = (): unknown => definition.run(body, ctx);
    const value = await services.phases.time(ctx, `submit ${name}`, () => withinTime(timed, run));
    return { status: 200, reply: success(value), headers: [] };
  } catch (error) {
    return outcome(call, error);
  }
}

/** The response to a form that is not known to be of this site, or has no page. */
function pipelineAnswer(
  ctx: Context,
  services: Services,
  name: string,
  headers: readonly string[],
  error: unknown,
): Answer {
  const { status, reply } = outcomeOf({ ctx, services, name, headers: [] }, asDocumented(error));
  const isPage = prefersHtml(ctx.header("accept")) && ctx.header(HEADERS.swap) === undefined;
  const message = reply.ok ? "" : reply.error;
  const all = [...headers, ...errorHeaders(error)];
  return isPage ? added(errorPage(ctx, services, status, message), all) : json(reply, status, all);
}
