/** The text that screens show in place of a value that can't be read: its object in the bucket or its payload key is missing. */
import type { ErrorCode, SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";

const CODES: readonly ErrorCode[] = ["SVC_BUCKET", "SVC_PAYLOAD_KEY"];

export function shownReason({ code, message }: SvcError): string {
  return `[${code}] ${message}`;
}

/** Whether an error is the reason why a value can't be read. */
export function isUnreadable(error: SvcError): boolean {
  return CODES.includes(error.code);
}

/** Whether a value looks like such a text. A value of an app may look like one as well. */
export function looksUnreadable(value: Json): boolean {
  return typeof value === "string" && CODES.some((code) => value.startsWith(`[${code}] `));
}
