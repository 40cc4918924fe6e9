/** Answers onto the wire: to a node:http response, and as a web `Response`. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { RequestContext } from "./context.ts";
import type { Answer, Result } from "./types.ts";

/** Up to here a string is written as it is; above, encoding it once is cheaper than measuring and then encoding it. */
const STRING_LIMIT = 16_384;

/** Statuses that have no body (RFC 9110 section 6.4.1). */
const isBodyless = (status: number): boolean => status === 204 || status === 304;

/** Turns whatever a handler gave into a `Result`; a web `Response` is streamed through. */
export function toResult(answer: Answer): Result {
  if (!(answer instanceof Response)) return answer;
  const headers: string[] = [];
  answer.headers.forEach((value, name) => void (name === "set-cookie" || headers.push(name, value)));
  for (const cookie of answer.headers.getSetCookie()) headers.push("set-cookie", cookie);
  return { status: answer.status, headers, body: answer.body as AsyncIterable<Uint8Array> | null };
}

/** Sends a result. `headers` is the whole list; Content-Length is added here where the length is known. */
export async function writeNode(
  reply: ServerResponse,
  result: Result,
  headers: string[],
  isHead: boolean,
): Promise<void> {
  const { status, body } = result;
  if (body === null || typeof body === "string" || body instanceof Uint8Array) {
    const bytes = typeof body === "string" && body.length > STRING_LIMIT ? Buffer.from(body) : body;
    if (!isBodyless(status)) headers.push("content-length", String(bytes === null ? 0 : lengthOf(bytes)));
    reply.writeHead(status, headers);
    if (bytes === null || isHead) reply.end();
    else reply.end(bytes);
    return;
  }
  reply.writeHead(status, headers);
  if (isHead) return void reply.end();
  await pump(reply, body);
}

function lengthOf(body: string | Uint8Array): number {
  return typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
}

/** Writes as fast as the client reads; ends the source when the client leaves. */
async function pump(reply: ServerResponse, chunks: AsyncIterable<string | Uint8Array>): Promise<void> {
  const gone = new AbortController();
  reply.once("close", () => gone.abort());
  for await (const chunk of chunks) {
    if (reply.destroyed) return;
    if (!reply.write(chunk)) await once(reply, "drain", { signal: gone.signal }).catch(() => undefined); // gone: the next turn returns
  }
  reply.end();
}

/** A result as a web `Response`. */
export function toResponse(result: Result, headers: readonly string[], isHead: boolean): Response {
  const list = new Headers();
  for (let at = 0; at < headers.length; at += 2) list.append(headers[at] as string, headers[at + 1] as string);
  const { body, status } = result;
  const isKnown = body === null || typeof body === "string" || body instanceof Uint8Array;
  if (isKnown && !isBodyless(status)) list.set("content-length", String(body === null ? 0 : lengthOf(body)));
  const content = isHead || isBodyless(status) ? null : isKnown ? body : toStream(body);
  return new Response(content, { status, headers: list });
}

function toStream(chunks: AsyncIterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

/** All headers of an answer: its own, then cookies and request id. */
export function headersOf(ctx: RequestContext, result: Result, requestIdName: string): string[] {
  const headers = result.headers.slice();
  headers.push(requestIdName, ctx.requestId);
  for (const cookie of ctx.setCookies ?? []) headers.push("set-cookie", cookie);
  return headers;
}
