/** Responses to action calls: the envelope for a value or an error. */
import { CLIENT_LEFT, isLeaving } from "../../platform/http/client-disconnect.ts";
import { errorHeaders, json } from "../../platform/http/response/response.ts";
import type { Context, Result } from "../../platform/http/types.ts";
import { ERRORS, SvcError } from "../../platform/shared/errors.ts";
import type { ActionReply } from "../../platform/shared/wire.ts";
import type { ActionSpec } from "./action.ts";
import { Redirect } from "../pipeline/outcome.ts";
import type { Services } from "../services.ts";

/** A call of a known action. */
export interface ActionCall {
  readonly ctx: Context;
  readonly services: Services;
  readonly name: string;
  readonly spec: ActionSpec;
  /** Headers of every response to the call; flat. */
  readonly headers: string[];
}

/** A value that JSON omits, such as `undefined`, becomes null. */
export function success(value: unknown): ActionReply {
  return { ok: true, value: value === undefined ? null : value, error: null };
}

export function refusal(call: Omit<ActionCall, "spec">, error: unknown): Result {
  const { status, reply } = outcomeOf(call, error);
  return json(reply, status, [...call.headers, ...errorHeaders(error)]);
}

/** Envelope and status of an error; server errors are logged. */
export function outcomeOf(
  { ctx, services, name }: Omit<ActionCall, "spec">,
  error: unknown,
): { status: number; reply: ActionReply } {
  if (error instanceof Redirect)
    return { status: 200, reply: { ok: true, value: null, error: null, redirect: error.location } };
  services.metrics.refused(error);
  const { status, message } = describe(error, services);
  const hasLeft = isLeaving(error, ctx);
  if (status >= 500 && !hasLeft && !isClosing(error, services))
    services.log.error(
      { reqId: ctx.requestId, traceId: ctx.trace.traceId, action: name, err: error },
      "An action failed",
    );
  const reply: ActionReply = { ok: false, value: null, error: message };
  if (error instanceof SvcError && error.issues) reply.issues = error.issues;
  return { status: hasLeft ? CLIENT_LEFT : status, reply };
}

function isClosing(error: unknown, { closing }: Services): boolean {
  return closing.aborted && error instanceof SvcError && error.code === "SVC_UNAVAILABLE";
}

function describe(error: unknown, { config }: Services): { status: number; message: string } {
  const status = error instanceof SvcError ? error.status : 500;
  if (error instanceof SvcError && ERRORS[error.code].family === "client") return { status, message: error.message };
  if (!config.exposes.errorDetails) return { status, message: status === 503 ? "Unavailable" : "Internal error" };
  return { status, message: error instanceof Error ? error.message : String(error) };
}
