/** Limits and refusal texts that actions and submits share. */
import { CLIENT_LEFT } from "../../platform/http/client-disconnect.ts";
import { SvcError, type ErrorCode } from "../../platform/shared/errors.ts";

/** Largest body unless the action or submit sets another limit. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** A megabyte of tiny values costs a schema many times as much as a megabyte of text. */
export const MAX_NODES = 10_000;

/** Texts of refusals before the author's code runs; texts of that code are passed on. */
const LIMIT_TEXTS: Partial<Record<ErrorCode, string>> = {
  SVC_TOO_LARGE: "Payload too large",
  SVC_CONTENT_TYPE: "Unsupported content type",
};

/** Replaces the text of a refusal by the documented one. */
export function asDocumented(error: unknown): unknown {
  if (!(error instanceof SvcError)) return error;
  const text = LIMIT_TEXTS[error.code];
  if (text === undefined) return error;
  return new SvcError(error.code, text, { cause: error, ...(error.issues && { issues: error.issues }) });
}

/** Outcome for metrics. */
export function outcomeName(status: number): "ok" | "refused" | "failed" | "left" {
  if (status === CLIENT_LEFT) return "left";
  if (status < 400) return "ok";
  return status < 500 ? "refused" : "failed";
}
