/**
 * `POST …/action/:name`: a server action called by browser code. docs/reference/http.md, section 5, defines the order of checks, the
 * statuses and the texts; every response is the envelope `{ok, value, error}` or, if requested, lines of values (action-stream.ts).
 */
import { jsonIn, requireLength, requireMediaType, requireUtf8 } from "../../platform/http/body/read-body.ts";
import { RequestContext } from "../../platform/http/request/context.ts";
import { isPromise, whenThere } from "../../platform/http/response/close-iterator.ts";
import { compose } from "../../platform/http/routing/middleware.ts";
import { json } from "../../platform/http/response/response.ts";
import type { Answer, Context, Middleware, Result } from "../../platform/http/types.ts";
import type { RateLimitResult } from "../../platform/security/rate-limits/rate-limit.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { HEADERS, PATHS } from "../../platform/shared/wire.ts";
import { specOf } from "./action.ts";
import { withinTime } from "./action-timeout.ts";
import type { Endpoints, Services } from "../services.ts";
import { requireHeaderToken } from "../pipeline/csrf-guard.ts";
import { refusal, success, type ActionCall } from "./action-response.ts";
import { asDocumented, MAX_BODY_BYTES, MAX_NODES, outcomeName } from "../api/mutation-limits.ts";
import { collectStream, streamReply, wantsStream } from "./action-stream.ts";

const JSON_TYPES = ["application/json"];
/** More than any function takes. */
const MAX_ARGS = 64;
export function actionEndpoints({ router, services, middleware }: Endpoints): void {
  router.add("POST", `${PATHS.action}/:name`, (ctx) => new Calling(ctx, services).answer(middleware));
}

/** One call. Asynchronous only where it must wait (decision 020). */
class Calling {
  readonly ctx: Context;
  readonly services: Services;
  readonly name: string;
  readonly headers: string[] = [];
  /** Once the action runs, errors and their texts are its own. */
  #isInside = false;

  constructor(ctx: Context, services: Services) {
    this.ctx = ctx;
    this.services = services;
    this.name = ctx.params["name"] ?? "";
  }

  /** Answers the call and counts the outcome. */
  answer(middleware: readonly Middleware[]): Answer | Promise<Answer> {
    try {
      const answered = this.#enter(middleware);
      if (!isPromise(answered)) return this.#counted(answered);
      return answered.then(
        (result) => this.#counted(result),
        (error: unknown) => this.#refused(error),
      );
    } catch (error) {
      return this.#refused(error);
    }
  }

  #enter(middleware: readonly Middleware[]): Answer | Promise<Answer> {
    const { ctx, services, name, headers } = this;
    const target = services.actions.get(name);
    if (!target) throw unknownAction(services, name);
    const call: ActionCall = { ctx, services, name, spec: specOf(target), headers };
    return whenThere(services.limits.ofAction(name).take(ctx.clientIp, name), (verdict) => {
      requireAllowed(call, verdict);
      return whenThere(readCall(call), (bytes) => {
        const args = argsOf(jsonIn(bytes, MAX_NODES));
        this.#isInside = true;
        return middleware.length === 0 ? perform(call, args) : compose(middleware, () => perform(call, args))(ctx);
      });
    });
  }

  #refused(error: unknown): Answer {
    return this.#counted(refusal(this, this.#isInside ? error : asDocumented(error)));
  }

  #counted(result: Answer): Answer {
    const { services, name } = this;
    // Unknown names are unlimited, so they share one.
    services.metrics.actions.add(services.actions.has(name) ? name : "unknown", outcomeName(result.status));
    return result;
  }
}

/** In development the message says more: the calls of browser code are known only after a build. */
function unknownAction(services: Services, name: string): SvcError {
  if (services.site.dev) {
    const known = [...services.actions.keys()].join(", ") || "none";
    services.log.warn(
      { action: name },
      `Browser code called an action that createApp does not know. Known actions: ${known}. The compiler finds those that handlers import; add any other to createApp({ actions: { … } }) under its export name`,
    );
  }
  return new SvcError("SVC_NOT_FOUND", "Unknown action");
}

function requireAllowed({ headers }: ActionCall, verdict: RateLimitResult): void {
  headers.push(...verdict.headers);
  if (!verdict.isAllowed) throw new SvcError("SVC_RATE_LIMIT", "Too many requests");
}

/** Reads the body, after all checks that need none. */
function readCall({ ctx, services, spec }: ActionCall): Uint8Array | Promise<Uint8Array> {
  const maxBytes = spec.options.maxBytes ?? MAX_BODY_BYTES;
  requireMediaType(ctx, JSON_TYPES);
  requireHeaderToken(ctx, services);
  requireUtf8(ctx);
  requireLength(ctx, maxBytes);
  return ctx instanceof RequestContext ? ctx.bytesNow(maxBytes) : ctx.bytes(maxBytes);
}

function argsOf(body: Json): Json[] {
  const args = body !== null && typeof body === "object" && !Array.isArray(body) ? body["args"] : undefined;
  if (!Array.isArray(args))
    throw new SvcError("SVC_INVALID", 'The body must be {"args": [...]}: "args" is not an array');
  if (args.length > MAX_ARGS)
    throw new SvcError("SVC_INVALID", `"args" has ${args.length} values; at most ${MAX_ARGS} are allowed`);
  return args;
}

function perform(call: ActionCall, args: readonly Json[]): Result | Promise<Result> {
  const { ctx, spec, headers } = call;
  const key = ctx.header(HEADERS.idempotencyKey);
  if (key !== undefined) return performOnce(call, args, key);
  if (spec.isStream && wantsStream(ctx)) return streamReply(call, args);
  const run = spec.isStream ? () => collectStream(spec.stream(args)) : () => spec.call(args);
  const { phases } = call.services;
  const value = phases.time(ctx, `action ${call.name}`, () => withinTime(call, run));
  const reply = (given: unknown): Result => json(success(given), 200, headers);
  return isPromise(value) ? value.then(reply) : reply(value);
}

/** An idempotent call continues when the client leaves, because the client may return for the answer. */
function performOnce(call: ActionCall, args: readonly Json[], key: string): Promise<Result> {
  const { ctx, services, name, spec, headers } = call;
  if (spec.isStream)
    throw new SvcError(
      "SVC_INVALID",
      "A streaming action does not support Idempotency-Key, because its response can't be stored. Remove the header",
    );
  return services.answers.once(key, { ctx, name, args: JSON.stringify(args), headers }, async () => {
    if (ctx instanceof RequestContext) ctx.outlive();
    try {
      return json(success(await withinTime(call, () => spec.call(args))), 200, headers);
    } catch (error) {
      return refusal(call, error);
    }
  });
}
