/** What actions and submits have in common at their door: limits, and the contract's words for what is refused there. */
import { CLIENT_LEFT } from "../../platform/http/client-disconnect.ts";
import { SvcError, type ErrorCode } from "../../platform/shared/errors.ts";

/** Bytes of a body, where its action or submit names no other limit. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** A megabyte of tiny values costs a schema many times what a megabyte of text does. */
export const MAX_NODES = 10_000;

/** Texts of refusals before anything runs; what the author's code says is passed on as it is. */
const DOOR_TEXTS: Partial<Record<ErrorCode, string>> = {
  SVC_TOO_LARGE: "Payload too large",
  SVC_CONTENT_TYPE: "Unsupported content type",
};

/** A refusal at the door in the words of the contract. */
export function inWords(error: unknown): unknown {
  if (!(error instanceof SvcError)) return error;
  const text = DOOR_TEXTS[error.code];
  if (text === undefined) return error;
  return new SvcError(error.code, text, { cause: error, ...(error.issues && { issues: error.issues }) });
}

/** As metrics count it. */
export function outcomeName(status: number): "ok" | "refused" | "failed" | "left" {
  if (status === CLIENT_LEFT) return "left";
  if (status < 400) return "ok";
  return status < 500 ? "refused" : "failed";
}
