/** A request that arrived over a node:http socket. */
import { setMaxListeners } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { clientAddress, isSecure, requestHost } from "../../security/client-address.ts";
import type { CidrSet } from "../../security/ssrf/cidr.ts";
import { SvcError } from "../../shared/errors.ts";
import { tooLarge } from "../body/read-body.ts";
import type { BodyGate } from "../body/body-budget.ts";
import type { Source } from "./context.ts";
import { leftEarly, OwnMessage } from "./server-request.ts";
import { isHost } from "./target.ts";

/** Requests whose client waits for `100 Continue`. Without a listener, Node sends it itself, as in servers of other frameworks. */
export const waitingToSend = new WeakSet<IncomingMessage>();

/** A header by its lower-case name, from Node's header object. */
function headerOf(message: IncomingMessage, name: string): string | undefined {
  const value = message.headers[name];
  if (typeof value === "string") return value;
  // The object has a prototype, so a name such as "constructor" yields a function.
  return Array.isArray(value) ? value.join(", ") : undefined;
}

function indexOfHeader(rawHeaders: readonly string[], name: string, from: number): number {
  for (let at = from; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] as string;
    if (given.length === name.length && (given === name || given.toLowerCase() === name)) return at;
  }
  return -1;
}

/** Whether a body follows the head (RFC 9112 section 6.3). */
export function hasBody(message: IncomingMessage): boolean {
  return headerOf(message, "content-length") !== undefined || headerOf(message, "transfer-encoding") !== undefined;
}

/** Whether a proxy may find another end of this request (RFC 9112 section 6.1). Such a request is refused. */
export function hasFaultyFraming(message: IncomingMessage): boolean {
  const transfer = headerOf(message, "transfer-encoding");
  return transfer !== undefined && (message.httpVersion === "1.0" || !isChunked(transfer));
}

function isChunked(transfer: string): boolean {
  return transfer.toLowerCase() === "chunked";
}

/** Most header lines per request; more are rejected. Node would silently drop lines above its own limit. */
const MAX_HEADER_LINES = 100;

export class NodeSource implements Source {
  readonly method: string;
  readonly target: string;
  readonly #message: IncomingMessage;
  readonly #reply: ServerResponse;
  readonly #trusted: CidrSet;
  #controller: AbortController | undefined;
  #isRead = false;

  constructor(message: IncomingMessage, reply: ServerResponse, trusted: CidrSet) {
    this.#message = message;
    this.#reply = reply;
    this.#trusted = trusted;
    this.method = message.method ?? "GET";
    this.target = message.url ?? "/";
  }

  header(name: string): string | undefined {
    return headerOf(this.#message, name);
  }

  get clientIp(): string {
    return clientAddress(this.#message.socket.remoteAddress ?? "", this.header("x-forwarded-for"), this.#trusted);
  }

  get host(): string | undefined {
    if (this.#trusted.size === 0) return this.header("host");
    const forwarded = this.header("x-forwarded-host");
    return requestHost(this.header("host"), this.#message.socket.remoteAddress ?? "", forwarded, this.#trusted);
  }

  get secure(): boolean {
    const { socket } = this.#message;
    const isTls = (socket as TLSSocket).encrypted === true;
    if (isTls || this.#trusted.size === 0) return isTls;
    return isSecure(isTls, socket.remoteAddress ?? "", this.header("x-forwarded-proto"), this.#trusted);
  }

  signal(): AbortSignal {
    return (this.#controller ??= this.#watch()).signal;
  }

  #watch(): AbortController {
    const controller = new AbortController();
    // No limit: a handler may make twenty calls in parallel, and Node would report a leak from the eleventh listener.
    setMaxListeners(Infinity, controller.signal);
    const reply = this.#reply;
    const leave = (): void => {
      if (!reply.writableFinished) controller.abort(new DOMException("The client left", "AbortError"));
    };
    // The event has already fired if the client disconnected earlier.
    if (reply.destroyed) leave();
    else reply.once("close", leave);
    return controller;
  }

  readBody(limitBytes: number, gate?: BodyGate): Uint8Array | Promise<Uint8Array> {
    const message = this.#message;
    const given = this.#startReading();
    if (!given) {
      return message instanceof OwnMessage && message.isHeld
        ? message.takeBody(limitBytes, gate)
        : readStream(message, limitBytes, gate);
    }
    if (given.byteLength > limitBytes) throw tooLarge(limitBytes);
    gate?.accept(given);
    return given;
  }

  /**
   * Starts reading; a body can be read once. Sends `100 Continue` (RFC 9110 section 10.1.1) now, because the handler wants the body.
   * @returns the body if the host framework has already read it.
   */
  #startReading(): Uint8Array | undefined {
    if (this.#isRead) throw new TypeError("The body was read already");
    this.#isRead = true;
    if (waitingToSend.has(this.#message) && !this.#reply.headersSent) this.#reply.writeContinue();
    return this.#message.readableEnded ? bodyKept(this.#message) : undefined;
  }

  toRequest(url: URL): Request {
    const headers = new Headers();
    for (let at = 0; at < this.#message.rawHeaders.length; at += 2) {
      headers.append(this.#message.rawHeaders[at] as string, this.#message.rawHeaders[at + 1] as string);
    }
    const hasBody = this.method !== "GET" && this.method !== "HEAD";
    const init: RequestInit & { duplex: "half" } = {
      method: this.method,
      headers,
      signal: this.signal(),
      duplex: "half",
    };
    // Node's fetch takes any async iterable of bytes.
    if (hasBody) init.body = this.#chunks() as unknown as ReadableStream<Uint8Array>;
    return new Request(url, init);
  }

  /** Starts with the first read: access to `request.headers` must not consume the body. */
  async *#chunks(): AsyncGenerator<Uint8Array> {
    const given = this.#startReading();
    if (given) yield given;
    else yield* this.#message as AsyncIterable<Uint8Array>;
  }
}

/**
 * Rejects ambiguous requests that Node accepts, before other code reads them.
 * @throws SvcError `SVC_BAD_REQUEST`, `SVC_HEADERS_TOO_LARGE`, `SVC_EXPECTATION`
 */
export function refuseAmbiguous(message: IncomingMessage): void {
  if (message.rawHeaders.length > 2 * MAX_HEADER_LINES) {
    throw new SvcError("SVC_HEADERS_TOO_LARGE", `More than ${MAX_HEADER_LINES} headers`);
  }
  const { httpVersion } = message;
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    const problem = `HTTP/${httpVersion} is not supported on this connection. Use HTTP/1.1`;
    throw new SvcError("SVC_BAD_REQUEST", problem);
  }
  requireSingle(message.rawHeaders, "host");
  requireSingle(message.rawHeaders, "content-type");
  const host = headerOf(message, "host");
  const expect = headerOf(message, "expect");
  const transfer = headerOf(message, "transfer-encoding");
  // The framing is faulty (RFC 9112 section 6.1): a proxy that ignores the header would find another end of the request.
  if (transfer !== undefined && httpVersion === "1.0") {
    throw new SvcError("SVC_BAD_REQUEST", "HTTP/1.0 has no Transfer-Encoding. Send a Content-Length, or use HTTP/1.1");
  }
  // Node itself rejects it only after passing the request on.
  if (transfer !== undefined && !isChunked(transfer)) {
    throw new SvcError("SVC_BAD_REQUEST", "Unsupported transfer encoding; only chunked is supported");
  }
  if (expect !== undefined && !/^100-continue$/i.test(expect)) {
    throw new SvcError("SVC_EXPECTATION", `Unsupported expectation "${expect}"; only 100-continue is supported`);
  }
  const isOldWithout = host === undefined && httpVersion === "1.0";
  if (!isOldWithout && !isHost(host ?? "")) throw new SvcError("SVC_BAD_REQUEST", "The Host header is not a host");
}

/** Rejects repetitions of headers where Node accepts two and the first would win silently. */
function requireSingle(rawHeaders: readonly string[], name: string): void {
  const first = indexOfHeader(rawHeaders, name, 0);
  if (first >= 0 && indexOfHeader(rawHeaders, name, first + 2) >= 0)
    throw new SvcError("SVC_BAD_REQUEST", `The request has two ${name} headers`);
}

/**
 * The body that another framework has already read. Only bytes and text are accepted: a parsed object was validated by other rules.
 * @throws SvcError `SVC_CONFIG` if the framework kept something else.
 */
function bodyKept(message: IncomingMessage & { body?: unknown }): Uint8Array {
  const { body } = message;
  if (body instanceof Uint8Array) return body;
  if (typeof body === "string") return Buffer.from(body);
  throw new SvcError(
    "SVC_CONFIG",
    `The body of ${message.method} ${message.url} was already read by other middleware. Mount app.handler before the middleware that ` +
      `parses bodies, or make it keep the bytes, as express.raw({ type: "*/*" }) does`,
  );
}

function readStream(message: IncomingMessage, limitBytes: number, gate?: BodyGate): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let isWhole = false;
    const fail = (cause?: unknown): void => {
      if (isWhole) return;
      reject(leftEarly(cause));
    };
    if (message.destroyed) return fail();
    const refuse = (error: unknown): void => {
      message.pause();
      message.removeAllListeners("data");
      reject(error);
    };
    message.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) return refuse(tooLarge(limitBytes));
      try {
        gate?.accept(chunk);
      } catch (error) {
        return refuse(error);
      }
      chunks.push(chunk);
    });
    message.on("end", () => {
      isWhole = true;
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    message.on("error", fail);
    message.on("close", fail);
  });
}
