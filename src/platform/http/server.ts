/**
 * The listening socket: strict limits, the port rule of docs/reference/http.md section 2, and a drain with a deadline.
 */
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { durationMs, type Duration } from "../shared/clock.ts";
import { SvcError } from "../shared/errors.ts";
import { bind, type BindOptions, type Bound } from "./bind.ts";
import { messageClass, OwnMessage } from "./request/server-request.ts";
import { OwnReply, REPLY, replyClass, type Answering } from "./response/server-response.ts";
import { errorHeaders, problem } from "./response/response.ts";
import { hasBody, hasFaultyFraming, waitingToSend } from "./request/node-source.ts";
import type { Result } from "./types.ts";

/** Time limits for clients, such as `"10s"` or milliseconds. */
export interface Timeouts {
  /** Time until all headers have arrived. A slower client only occupies a socket. Default `"10s"`. */
  headers?: Duration;
  /** Time until the complete request has arrived, including its body. Raise it for large uploads over slow connections. Default `"30s"`. */
  request?: Duration;
  /**
   * Idle time between two requests on a connection. Default `"65s"`: longer than the 60 s for which most proxies keep idle connections, so
   * that the proxy closes first and never uses a closed connection.
   */
  keepAlive?: Duration;
  /** Time without reading a byte of a response that is ready. Does not limit the handler. Default `"60s"`. */
  stall?: Duration;
}

/** nginx's default for the time between two writes. */
const STALL_MS = 60_000;
const KEEP_ALIVE_MS = 65_000;

/** Longest interval between Node's checks for late requests. */
const CHECK_INTERVAL_MS = 1000;
export interface ListenOptions extends BindOptions {
  /** The response to bytes that are not a request, with all headers except the length. Default: the problem alone. */
  refuse?: (error: SvcError) => Result;
  timeouts?: Timeouts;
}

export interface Listening extends Bound {
  /** Stops accepting, lets running requests finish, and aborts the rest after `deadlineMs`. @returns the number of aborted requests */
  close(deadlineMs: number): Promise<number>;
}

type OnRequest = (message: IncomingMessage, reply: ServerResponse) => Promise<void> | void;

const QUIET = Symbol("svc.quiet");

interface Connection extends Socket, Answering {
  /** Start of the time without new bytes after a response, on the clock of `performance.now()`. */
  [QUIET]?: { readonly bytesRead: number; readonly sinceMs: number };
}

/** @throws SvcError `SVC_CONFIG` if the port is taken. @param onFault called with an error that could not become a response. */
export async function listen(
  onRequest: OnRequest,
  options: ListenOptions,
  onFault: (error: unknown) => void,
): Promise<Listening> {
  const server = createServer(limits(options.timeouts));
  const drain = new Drain(server);
  const refuse = options.refuse ?? ((error) => problem(error.status, error.code, error.message, errorHeaders(error)));
  const serve = (message: IncomingMessage, reply: ServerResponse): void => {
    if (drain.isClosing) drain.endWith(reply);
    const fail = (error: unknown): void => {
      onFault(error);
      reply.destroy();
    };
    try {
      onRequest(message, reply)?.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
  server.on("request", (message: IncomingMessage, reply: ServerResponse) => {
    if (!begins(message, reply)) return;
    if (message instanceof OwnMessage && hasBody(message)) message.startWithBody(() => serve(message, reply));
    else serve(message, reply);
  });
  // `100 Continue` is sent when the handler reads the body.
  server.on("checkContinue", (message, reply) => {
    if (!begins(message, reply)) return;
    waitingToSend.add(message);
    // A client may send its body without `100 Continue`; node:http then ends the connection.
    if (reply instanceof OwnReply) reply.leavesHead = true;
    serve(message, reply);
  });
  // Rejected later with svc's headers, like other ambiguous requests.
  server.on("checkExpectation", (message, reply) => begins(message, reply) && serve(message, reply));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Connection) => {
    const reply = socket[REPLY];
    const write = (): void => writeRefusal(socket, refuse(refusalOf(error)));
    if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
    if (!reply) return write();
    // The last response on this connection, which closes after it.
    if (reply.writableEnded && reply.headersSent && !reply.shouldKeepAlive) return;
    if (reply.writableFinished) return write();
    // The invalid bytes follow a complete request, whose response must be first: otherwise the client would take this refusal for it.
    if (reply.req.complete) return void reply.once("close", write);
    if (reply.headersSent) return void socket.destroy();
    write();
  });
  server.on("timeout", (socket: Connection) => {
    const reply = socket[REPLY];
    const isIdle = !reply || reply.writableFinished;
    // No data has moved for long: between two requests, or because the client does not read the response.
    if (isIdle || socket.writableLength > 0) socket.destroy();
  });
  const { stall = STALL_MS, keepAlive = KEEP_ALIVE_MS } = options.timeouts ?? {};
  drain.watch(durationMs(stall), durationMs(keepAlive));
  server.on("connect", (_message, socket) => writeRefusal(socket, refuse(CONNECT_REFUSED)));
  const bound = await bind(server, options);
  return { ...bound, close: (deadlineMs) => drain.close(deadlineMs) };
}

/**
 * Registers the response of a request that has arrived. Nothing is processed behind a request that ends the connection (RFC 9112 section
 * 9.6): if its end is ambiguous, the bytes behind it may be hidden from a proxy (request smuggling).
 * @returns false for a request behind the last one
 */
function begins(message: IncomingMessage, reply: ServerResponse): boolean {
  const connection: Connection = message.socket;
  if (connection[REPLY]?.shouldKeepAlive === false) return false;
  connection[REPLY] = reply;
  if (hasFaultyFraming(message)) reply.shouldKeepAlive = false;
  return true;
}

function limits(timeouts: Timeouts = {}): ServerOptions {
  const headers = durationMs(timeouts.headers ?? "10s");
  const request = durationMs(timeouts.request ?? "30s");
  const keepAlive = durationMs(timeouts.keepAlive ?? KEEP_ALIVE_MS);
  const OwnClass = replyClass(keepAlive);
  const MessageClass = messageClass();
  return {
    // Node rejects a header timeout above the request timeout.
    headersTimeout: Math.min(headers, request),
    requestTimeout: request,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headers, request),
    // Heads announce the timeout and `Drain` enforces it, which avoids a timer per response.
    keepAliveTimeout: OwnClass ? 0 : keepAlive,
    ...(OwnClass && { ServerResponse: OwnClass }),
    ...(MessageClass && { IncomingMessage: MessageClass }),
    // svc checks the header itself, so that the refusal has svc's headers.
    requireHostHeader: false,
  };
}

const CONNECT_REFUSED = new SvcError("SVC_METHOD", "CONNECT is not allowed here, because this server is not a proxy", {
  headers: { allow: "GET, HEAD, POST" },
});

/** Maps errors of Node's parser and timeouts to the codes of docs/errors.md. */
function refusalOf(error: NodeJS.ErrnoException): SvcError {
  if (error.code === "HPE_HEADER_OVERFLOW") return new SvcError("SVC_HEADERS_TOO_LARGE", "The headers are too large");
  if (error.code === "HPE_CHUNK_EXTENSIONS_OVERFLOW")
    return new SvcError("SVC_TOO_LARGE", "The chunk extensions are too large");
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new SvcError("SVC_TIMEOUT", "The request took too long to arrive");
  return new SvcError("SVC_BAD_REQUEST", "This is not an HTTP request");
}

/** Writes to the socket directly: without a request there is no `ServerResponse`. */
function writeRefusal(socket: Duplex, { status, headers, body }: Result): void {
  if (!socket.writable) return void socket.destroy();
  const content = typeof body === "string" ? body : "";
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, `date: ${new Date().toUTCString()}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  lines.push("connection: close", `content-length: ${Buffer.byteLength(content)}`);
  // The client may disconnect during the write.
  socket.on("error", () => socket.destroy());
  socket.end(`${lines.join("\r\n")}\r\n\r\n${content}`);
}

/** Closes a connection at the earliest after the announced time, and at most two checks later. */
function closeUnused(connection: Connection, keepAliveMs: number, nowMs: number): void {
  const reply = connection[REPLY];
  // Before the first request, the timeout for headers applies.
  if (reply === undefined || reply?.writableFinished === false) return;
  const { bytesRead, [QUIET]: quiet } = connection;
  if (quiet?.bytesRead !== bytesRead) connection[QUIET] = { bytesRead, sinceMs: nowMs };
  else if (nowMs - quiet.sinceMs >= keepAliveMs) connection.destroy();
}

/** The shutdown of a server: running requests finish, and their connections close afterwards. */
class Drain {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  isClosing = false;

  constructor(server: Server) {
    this.#server = server;
    server.on("connection", (connection) => {
      this.#connections.add(connection);
      connection.once("close", () => this.#connections.delete(connection));
    });
  }

  /**
   * Checks all connections periodically. A connection with unsent data gets a timer, whose `timeout` event means that the client has not
   * read for that long. Idle connections are closed. Node's own timers would be reset by each read and write, which takes a tenth of the
   * cost of a request.
   * @param keepAliveMs 0: unlimited
   */
  watch(stallMs: number, keepAliveMs: number): void {
    const look = (): void => {
      const nowMs = performance.now();
      for (const connection of this.#connections) {
        const timeoutMs = connection.writableLength > 0 ? stallMs : 0;
        if ((connection.timeout ?? 0) !== timeoutMs) connection.setTimeout(timeoutMs);
        if (keepAliveMs > 0) closeUnused(connection, keepAliveMs, nowMs);
      }
    };
    const timer = setInterval(look, Math.min(CHECK_INTERVAL_MS, stallMs, keepAliveMs || Infinity)).unref();
    this.#server.once("close", () => clearInterval(timer));
  }

  /** Closes the connection after its response: a persistent one would keep the server open until its timeout. */
  endWith(reply: ServerResponse): void {
    reply.shouldKeepAlive = false;
    reply.once("close", () => this.#server.closeIdleConnections());
  }

  close(deadlineMs: number): Promise<number> {
    this.isClosing = true;
    let cut = 0;
    for (const { [REPLY]: reply } of this.#connections) if (reply) this.endWith(reply);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        cut = [...this.#connections].filter(({ [REPLY]: reply }) => reply && !reply.writableFinished).length;
        this.#server.closeAllConnections();
      }, deadlineMs);
      this.#server.close(() => {
        clearTimeout(timer);
        resolve(cut);
      });
      this.#server.closeIdleConnections();
      // Reads data that has already arrived before closing.
      setImmediate(() => this.#closeSilent());
    });
  }

  /** Node considers a connection idle only after a request; browsers and pools open connections that they may never use. */
  #closeSilent(): void {
    for (const connection of this.#connections) if (connection.bytesRead === 0) connection.destroy();
  }
}
