/** Answers onto the wire: to a node:http response, and as a web `Response`. */
import { STATUS_CODES, type ServerResponse } from "node:http";
import type { RequestContext } from "../request/context.ts";
import { Encoded } from "./encode.ts";
import { endEarly, WebChunks } from "./close-iterator.ts";
import { OwnReply } from "./server-response.ts";
import type { Answer, Body, Result } from "../types.ts";
import { HEADERS } from "../../shared/wire.ts";

/**
 * Up to here a text is measured and written as it is, with its head, from memory that node has for it; above, encoding it once
 * is cheaper than measuring, joining and encoding it.
 */
const STRING_LIMIT = 1024;

/** Statuses whose answers have no body (RFC 9110 sections 6.4.1 and 15.3.6). */
export const isBodyless = (status: number): boolean => status === 204 || status === 205 || status === 304;

/**
 * Turns whatever a handler gave into a `Result` with lower-case names, whose list of headers is nobody else's: what is added on
 * the way out is added to it. The body of a web `Response` is streamed through.
 */
export function toResult(answer: Answer): Result {
  if (!isWebResponse(answer))
    return { status: answer.status, headers: lowerCaseNames(answer.headers), body: answer.body };
  const headers: string[] = [];
  answer.headers.forEach((value, name) => void (name === "set-cookie" || headers.push(name, value)));
  for (const cookie of answer.headers.getSetCookie()) headers.push("set-cookie", cookie);
  return { status: answer.status, headers, body: answer.body && new WebChunks(answer.body) };
}

/** By what it has: to ask for the global `Response` loads all of node's fetch, which an app may never need (decision 054). */
function isWebResponse(answer: Answer): answer is Response {
  return "getSetCookie" in answer.headers;
}

/** A list of the answer's own. Rules further on look for names, and must not be passed by spelling `Content-Type`. */
function lowerCaseNames(headers: readonly string[]): string[] {
  const list = headers.slice();
  for (let at = 0; at < list.length; at += 2) list[at] = (list[at] as string).toLowerCase();
  return list;
}

/** @throws RangeError for a status that is no final answer: with 1xx the client would wait on (RFC 9110 section 15). */
export function requireStatus(status: number): void {
  if (Number.isInteger(status) && status >= 200 && status <= 599) return;
  throw new RangeError(`A handler answered with status ${status}; allowed: 200 to 599`);
}

/**
 * Sends a result; Content-Length is added here where the length is known.
 * @returns when a streamed body has ended; rejects with what it threw.
 * @throws at once, and nothing is sent, what node:http says of a header that can't be sent.
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
    // Of ASCII, which most of it is, both are the same.
    const encoding = length === body.length ? "latin1" : "utf8";
    return endAtOnce(reply, body, encoding);
  }
  startHead(reply, ctx, result);
  return pump(reply, body);
}

/** The head of an answer that is no stream. @param known length of its body, where it has been measured */
function writeHead(reply: ServerResponse, ctx: RequestContext, result: Result, isHead: boolean, known?: number): void {
  const { status, headers, body } = result;
  if (reply instanceof OwnReply) {
    const length = isStream(body) || status === 204 || status === 304 ? undefined : (known ?? lengthSaid(result));
    const ready = `${ctx.readyLines}${HEADERS.requestId}: ${ctx.requestId}\r\n${cookieLines(ctx)}`;
    if (reply.storeHead({ status, headers, ready }, length)) return;
  }
  startHead(reply, ctx, result, (all) => setLength(all, result, isHead, known));
}

/** As node:http makes it. @param change of the whole list */
function startHead(
  reply: ServerResponse,
  ctx: RequestContext,
  result: Result,
  change?: (headers: string[]) => void,
): void {
  const all = allHeaders(ctx, result);
  change?.(all);
  if (reply instanceof OwnReply) all.push(...reply.keepAlive(all));
  // Named, for a head that could not be sent has left its own reason behind.
  reply.writeHead(result.status, STATUS_CODES[result.status] ?? "unknown", all);
}

/** Head and body in one piece of memory: two pieces cost the system more than one of their length. */
function endEncoded(reply: ServerResponse, ctx: RequestContext, result: Result, body: string | Uint8Array): void {
  const encoded = new Encoded(body);
  writeHead(reply, ctx, result, false, encoded.byteLength);
  const whole = reply instanceof OwnReply && reply.stored !== undefined ? encoded.behind(reply.stored) : undefined;
  if (!(reply instanceof OwnReply) || !whole) return endAtOnce(reply, encoded.bytes);
  reply.endWhole(whole);
  // At our own server there is nothing between this and the system, which has taken all of it.
  if (reply.writableLength === 0) encoded.takeBack();
}

/** In one call of the system and no more pieces than there are: `end(data)` makes a list of it and of an empty text behind it. */
function endAtOnce(reply: ServerResponse, data: string | Uint8Array, encoding: "latin1" | "utf8" = "latin1"): void {
  const { socket } = reply;
  // Behind an answer that is still on its way node keeps this one.
  if (!socket || data.length === 0) return void reply.end(data, encoding);
  if (typeof data === "string" && reply instanceof OwnReply && reply.stored !== undefined)
    return reply.endWith(data, encoding);
  // Without it node waits for more until the end of the turn.
  socket.cork();
  reply.write(data, encoding);
  socket.uncork();
  reply.end();
}

export function isStream(body: Body): body is AsyncIterable<string | Uint8Array> {
  return typeof body === "object" && body !== null && !(body instanceof Uint8Array);
}

/** Two lengths that differ are how requests are smuggled, so the measured one takes the place of any other. */
function setLength(headers: string[], { status, body }: Result, isHead: boolean, known?: number): void {
  let at = headers.indexOf("content-length");
  while (at % 2 === 1) at = headers.indexOf("content-length", at + 1);
  // Of a HEAD answered by hand, the length is that of the GET (RFC 9110 section 8.6).
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

/** Writes as fast as the client reads; ends the source when the client leaves, also while it has nothing to say. */
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
    // Who has left drains nothing: then the next turn returns.
    await new Promise<void>((resolve) => reply.once("drain", (wake = resolve)));
  }
  isEnded = true;
  reply.end();
}

/**
 * A result as a web `Response`.
 * @param onEnd told when a streamed body was cancelled by its reader, or failed with `error`.
 * @throws TypeError for a header that can't be sent.
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

/** `Headers` would cut line ends off a value where node:http refuses it. */
function append(list: Headers, name: string, value: string): void {
  if (/[\r\n\0]/.test(value)) throw new TypeError(`The header ${name} holds a line end or NUL`);
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

/** All headers of an answer: its own, to whose list those that are ready, request id and cookies are added. */
export function allHeaders(ctx: RequestContext, { headers }: Result): string[] {
  for (const line of ctx.readyLines.split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.push(line.slice(0, colon), line.slice(colon + 2));
  }
  headers.push(HEADERS.requestId, ctx.requestId);
  if (ctx.jar) headers.push(...cookieHeaders(ctx));
  return headers;
}

/** The same as lines of a head: nothing but ASCII is in a cookie's (cookies.ts), so they need no second look. */
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
