/** Logs a line per request, with the route's pattern and without the query: paths and queries contain tokens. */
import type { RequestContext } from "../../platform/http/request/context.ts";
import { watched } from "../../platform/http/response/close-iterator.ts";
import type { ResponseStep } from "../../platform/http/pipeline.ts";
import type { Body, Result } from "../../platform/http/types.ts";
import type { Log } from "../../platform/shared/log.ts";

/** Bytes of streamed bodies by result. Other bodies are measured when they are logged. */
const streamed = new WeakMap<Result, { bytes: number }>();

/** Counts the bytes of a streamed body. */
export const measureBody: ResponseStep = (_ctx, result) => {
  const { body } = result;
  if (typeof body !== "object" || body === null || body instanceof Uint8Array) return result;
  const count = { bytes: 0 };
  const onChunk = (chunk: string | Uint8Array): void => void (count.bytes += lengthOf(chunk));
  const counted = { ...result, body: watched(body, onChunk, () => undefined) };
  streamed.set(counted, count);
  return counted;
};

/** @param isCut the client left before the end */
export function logRequest(log: Log, ctx: RequestContext, result: Result, durationMs: number, isCut: boolean): void {
  const fields = {
    reqId: ctx.requestId,
    method: ctx.method,
    route: ctx.route?.pattern,
    status: result.status,
    durationMs: Math.round(durationMs * 10) / 10,
    bytes: streamed.get(result)?.bytes ?? lengthOf(result.body),
    clientIp: ctx.clientIp,
    traceId: ctx.trace.traceId,
  };
  log.info(isCut ? { ...fields, isCut } : fields, "request");
}

function lengthOf(body: Body): number {
  if (typeof body === "string") return Buffer.byteLength(body);
  return body instanceof Uint8Array ? body.byteLength : 0;
}
