/**
 * `POST …/action/:name`: a server action called by browser code. The order of checks, the statuses and the texts are
 * contract section 5; every answer is the envelope `{ok, value, error}`.
 */
import { readJson, requireMediaType } from "../../http/body.ts";
import { errorHeaders, json } from "../../http/response.ts";
import type { Context, Result } from "../../http/types.ts";
import { ERRORS, SvcError, type ErrorCode } from "../../shared/errors.ts";
import type { Json } from "../../shared/json.ts";
import { PATHS, type ActionReply } from "../../shared/wire.ts";
import { runAction } from "../action.ts";
import { withContext } from "../current.ts";
import { Redirect } from "../outcome.ts";
import type { Endpoints, Services } from "../services.ts";
import { requireHeaderToken } from "../session.ts";

const MAX_BODY_BYTES = 1024 * 1024;
/** More arguments than any function has. */
const MAX_ARGS = 64;
/** A megabyte of tiny values costs a schema many times what a megabyte of text does. */
const MAX_NODES = 10_000;

/** Texts of refusals before the action runs; what the action itself says is passed on as it is. */
const DOOR_TEXTS: Partial<Record<ErrorCode, string>> = {
  SVC_TOO_LARGE: "Payload too large",
  SVC_CONTENT_TYPE: "Unsupported content type",
};

export function actionEndpoints({ router, services, middleware }: Endpoints): void {
  router.add("POST", `${PATHS.action}/:name`, (ctx) => answer(ctx, services), middleware);
}

async function answer(ctx: Context, services: Services): Promise<Result> {
  const headers: string[] = [];
  try {
    return json(success(await perform(ctx, services, headers)), 200, headers);
  } catch (error) {
    return refusal(error, ctx, services, headers);
  }
}

/** @param headers gets what the answer carries whatever comes of it. */
async function perform(ctx: Context, services: Services, headers: string[]): Promise<unknown> {
  const target = services.actions.get(ctx.params["name"] ?? "");
  if (!target) throw new SvcError("SVC_NOT_FOUND", "Unknown action");
  const verdict = await services.actionLimit.take(ctx.clientIp);
  headers.push(...verdict.headers);
  if (!verdict.isAllowed) throw new SvcError("SVC_RATE_LIMIT", "Too many requests");
  const args = await readArgs(ctx, services);
  return withContext(ctx, () => runAction(target, args));
}

async function readArgs(ctx: Context, services: Services): Promise<Json[]> {
  try {
    requireMediaType(ctx, ["application/json"]);
    requireHeaderToken(ctx, { secret: services.secret, siteOrigin: services.config.siteOrigin });
    const body = await readJson(ctx, MAX_BODY_BYTES, MAX_NODES);
    const args = body !== null && typeof body === "object" && !Array.isArray(body) ? body["args"] : undefined;
    if (!Array.isArray(args))
      throw new SvcError("SVC_INVALID", 'The body must be {"args": [...]}: "args" is not an array');
    if (args.length > MAX_ARGS)
      throw new SvcError("SVC_INVALID", `There are ${args.length} args; at most ${MAX_ARGS} are allowed`);
    return args;
  } catch (error) {
    const text = error instanceof SvcError ? DOOR_TEXTS[error.code] : undefined;
    throw text !== undefined && error instanceof SvcError ? new SvcError(error.code, text, { cause: error }) : error;
  }
}

/** A value that JSON leaves out, such as `undefined`, is null on the wire. */
function success(value: unknown): ActionReply {
  return { ok: true, value: value === undefined ? null : value, error: null };
}

function refusal(error: unknown, ctx: Context, services: Services, headers: readonly string[]): Result {
  if (error instanceof Redirect) return json({ ...success(null), redirect: error.location }, 200, headers);
  const { status, message } = describe(error, services);
  if (status >= 500)
    services.log.error({ reqId: ctx.requestId, action: ctx.params["name"], err: error }, "An action failed");
  const reply: ActionReply = { ok: false, value: null, error: message };
  if (error instanceof SvcError && error.issues) reply.issues = error.issues;
  return json(reply, status, [...headers, ...errorHeaders(error)]);
}

function describe(error: unknown, { config }: Services): { status: number; message: string } {
  if (error instanceof SvcError && ERRORS[error.code].family === "yours") {
    return { status: error.status, message: error.message };
  }
  const message = config.isProduction ? "Internal error" : error instanceof Error ? error.message : String(error);
  return { status: error instanceof SvcError ? error.status : 500, message };
}
