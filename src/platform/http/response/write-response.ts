/** Writes responses: to a node:http response, and as a web `Response`. */
import { STATUS_CODES, type ServerResponse } from "node:http";
import type { RequestContext } from "../request/context.ts";
import { Encoded } from "./encode.ts";
import { endEarly, WebChunks } from "./close-iterator.ts";
import { OwnReply } from "./server-response.ts";
import type { Answer, Body, Result } from "../types.ts";
import { HEADERS } from "../../shared/wire.ts";

/**
 * Up to this length, a text is measured and written together with its head, in memory that Node already has. Above it, encoding once is
 * cheaper than measuring, joining and encoding.
 */
const STRING_LIMIT = 1024;

/** Statuses of responses without a body (RFC 9110 sections 6.4.1 and 15.3.6). */
export const isBodyless = (status: number): boolean => status === 204 || status === 205 || status === 304;

/**
 * Converts a handler's result into a `Result` with lower-case names and a list of headers of its own, so that later steps can add to it.
 * Streams the body of a web `Response`.
 */
export function toResult(answer: Answer): Result {
  if (!isWebResponse(answer))
    return { status: answer.status, headers: lowerCaseNames(answer.headers), body: answer.body };
  const headers: string[] = [];
  answer.headers.forEach((value, name) => void (name === "set-cookie" || headers.push(name, value)));
  for (const cookie of answer.headers.getSetCookie()) headers.push("set-cookie", cookie);
  return { status: answer.status, headers, body: answer.body && new WebChunks(answer.body) };
}

/**
 * Checks a method instead of the class: access to the global `Response` loads all of Node's fetch, which an app may never need (decision
 * 054).
 */
function isWebResponse(answer: Answer): answer is Response {
  return "getSetCookie" in answer.headers;
}

/** A copy of the list. Later rules look up names, and the spelling `Content-Type` must not bypass them. */
function lowerCaseNames(headers: readonly string[]): string[] {
  const list = headers.slice();
  for (let at = 0; at < list.length; at += 2) list[at] = (list[at] as string).toLowerCase();
  return list;
}

/** @throws RangeError for a status that is not final: after 1xx the client would keep waiting (RFC 9110 section 15). */
export function requireStatus(status: number): void {
  if (Number.isInteger(status) && status >= 200 && status <= 599) return;
  throw new RangeError(`A handler returned status ${status}; it must be 200 to 599`);
}

/**
 * Sends a result. Adds Content-Length if the length is known.
 * @returns a promise that resolves when a streamed body has ended, or rejects with its error.
 * @throws synchronously, before anything is sent, node:http's error for an invalid header.
 */
export function writeNode(
  reply: ServerResponse,
  ctx: RequestContext,
  result: Result,
  isHead: boolean,
): Promise<void> | void {
  const { status, body } = result;
  if (body === null || isHead || isBodyless(status)) {
    if (isStream(body)) {
      endEarly(body[Symbol.asyncIterator]());
      startHead(reply, ctx, result);
    } else writeHead(reply, ctx, result, isHead);
    return void reply.end();
  }
  if (!isStream(body)) {
    if (typeof body === "string" ? body.length > STRING_LIMIT : reply instanceof OwnReply)
      return endEncoded(reply, ctx, result, body);
    const length = lengthOf(body);
    writeHead(reply, ctx, result, isHead, length);
    // For ASCII, the usual case, both encodings are equal.
    const encoding = length === body.length ? "latin1" : "utf8";
    return endAtOnce(reply, body, encoding);
  }
  startHead(reply, ctx, result);
  return pump(reply, body);
}

/** Writes the head of a response that is not streamed. @param known length of the body, if it was measured */
function writeHead(reply: ServerResponse, ctx: RequestContext, result: Result, isHead: boolean, known?: number): void {
  const { status, headers, body } = result;
  if (reply instanceof OwnReply) {
    const length = isStream(body) || status === 204 || status === 304 ? undefined : (known ?? lengthSaid(result));
    const ready = `${ctx.readyLines}${HEADERS.requestId}: ${ctx.requestId}\r\n${cookieLines(ctx)}`;
    if (reply.storeHead({ status, headers, ready }, length)) return;
  }
  startHead(reply, ctx, result, (all) => setLength(all, result, isHead, known));
}

/** Writes the head with node:http. @param change modifies the complete list of headers */
function startHead(
  reply: ServerResponse,
  ctx: RequestContext,
  result: Result,
  change?: (headers: string[]) => void,
): void {
  const all = allHeaders(ctx, result);
  change?.(all);
  if (reply instanceof OwnReply) all.push(...reply.keepAlive(all));
  // Passed explicitly, because a head that could not be sent has set another message.
  reply.writeHead(result.status, STATUS_CODES[result.status] ?? "unknown", all);
}

/** Sends head and body in one buffer: two buffers cost the system more than one of their total length. */
function endEncoded(reply: ServerResponse, ctx: RequestContext, result: Result, body: string | Uint8Array): void {
  const encoded = new Encoded(body);
  writeHead(reply, ctx, result, false, encoded.byteLength);
  const whole = reply instanceof OwnReply && reply.stored !== undefined ? encoded.behind(reply.stored) : undefined;
  if (!(reply instanceof OwnReply) || !whole) return endAtOnce(reply, encoded.bytes);
  reply.endWhole(whole);
  // At svc's own server the system has taken all bytes if nothing is buffered.
  if (reply.writableLength === 0) encoded.takeBack();
}

/** Sends in one system call: `end(data)` would create a list of the data and an empty text. */
function endAtOnce(reply: ServerResponse, data: string | Uint8Array, encoding: "latin1" | "utf8" = "latin1"): void {
  const { socket } = reply;
  // Node queues a response behind one that is still being sent.
  if (!socket || data.length === 0) return void reply.end(data, encoding);
  if (typeof data === "string" && reply instanceof OwnReply && reply.stored !== undefined)
    return reply.endWith(data, encoding);
  // Without `cork`, Node would wait for more data until the end of the turn.
  socket.cork();
  reply.write(data, encoding);
  socket.uncork();
  reply.end();
}

export function isStream(body: Body): body is AsyncIterable<string | Uint8Array> {
  return typeof body === "object" && body !== null && !(body instanceof Uint8Array);
}

/** Replaces any other length by the measured one: two different lengths would allow request smuggling. */
function setLength(headers: string[], { status, body }: Result, isHead: boolean, known?: number): void {
  let at = headers.indexOf("content-length");
  while (at % 2 === 1) at = headers.indexOf("content-length", at + 1);
  // A handler's response to HEAD may have the length of the GET response (RFC 9110 section 8.6).
  if (at >= 0 && isHead && body === null) return;
  if (status === 204 || status === 304) return void (at >= 0 && headers.splice(at, 2));
  const length = known ?? lengthSaid({ status, body });
  if (at >= 0) headers[at + 1] = String(length);
  else headers.push("content-length", String(length));
}

function lengthSaid({ status, body }: Pick<Result, "status" | "body">): number {
  return isBodyless(status) || isStream(body) || body === null ? 0 : lengthOf(body);
}

function lengthOf(body: string | Uint8Array): number {
  return typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
}

/** Writes as fast as the client reads. Ends the source when the client disconnects, even while the source is waiting. */
async function pump(reply: ServerResponse, chunks: AsyncIterable<string | Uint8Array>): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  let isEnded = false;
  let wake: () => void = () => undefined;
  const leave = (): void => {
    if (!isEnded) endEarly(iterator);
    wake();
  };
  if (reply.destroyed) return leave();
  reply.once("close", leave);
  for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) {
    if (reply.destroyed) return;
    if (reply.write(step.value)) continue;
    // After a disconnect there is no `drain`; `leave` wakes the loop, and the next iteration returns.
    await new Promise<void>((resolve) => reply.once("drain", (wake = resolve)));
  }
  isEnded = true;
  reply.end();
}

/**
 * A result as a web `Response`.
 * @param onEnd called when the reader has cancelled a streamed body, or with the `error` of a failed one.
 * @throws TypeError for an invalid header.
 */
export function toResponse(
  result: Result,
  headers: string[],
  isHead: boolean,
  onEnd: (error?: unknown) => void,
): Response {
  const { body, status } = result;
  if (!isStream(body)) setLength(headers, result, isHead);
  const list = new Headers();
  for (let at = 0; at < headers.length; at += 2) append(list, headers[at] as string, headers[at + 1] as string);
  if (!isStream(body)) return new Response(isHead || isBodyless(status) ? null : body, { status, headers: list });
  if (!isHead && !isBodyless(status)) return new Response(toStream(body, onEnd), { status, headers: list });
  endEarly(body[Symbol.asyncIterator]());
  return new Response(null, { status, headers: list });
}

/** `Headers` would strip line ends at the edges of a value, which node:http rejects. */
function append(list: Headers, name: string, value: string): void {
  if (/[\r\n\0]/.test(value)) throw new TypeError(`The header ${name} contains a line end or NUL`);
  list.append(name, value);
}

function toStream(
  chunks: AsyncIterable<string | Uint8Array>,
  onEnd: (error?: unknown) => void,
): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
      } catch (error) {
        onEnd(error);
        throw error;
      }
    },
    cancel() {
      onEnd();
      endEarly(iterator);
    },
  });
}

/** All headers of a response. Adds ready lines, request id and cookies to the response's own list. */
export function allHeaders(ctx: RequestContext, { headers }: Result): string[] {
  for (const line of ctx.readyLines.split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.push(line.slice(0, colon), line.slice(colon + 2));
  }
  headers.push(HEADERS.requestId, ctx.requestId);
  if (ctx.jar) headers.push(...cookieHeaders(ctx));
  return headers;
}

/** Cookies as header lines. Cookies only contain ASCII (cookies.ts), so they need no further check. */
function cookieLines({ jar }: RequestContext): string {
  if (jar?.isEmpty !== false) return "";
  let text = "";
  for (const cookie of jar.lines) text += `set-cookie: ${cookie}\r\n`;
  return text;
}

function cookieHeaders({ jar }: RequestContext): string[] {
  const list: string[] = [];
  if (jar) for (const cookie of jar.lines) list.push("set-cookie", cookie);
  return list;
}
