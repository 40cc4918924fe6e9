/**
 * The listening socket: hardened limits, the port rule of contract section 2, and a drain that ends in time.
 */
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { durationMs, type Duration } from "../shared/clock.ts";
import { SvcError } from "../shared/errors.ts";
import { messageClass, OwnMessage } from "./request/server-request.ts";
import { OwnReply, REPLY, replyClass, type Answering } from "./response/server-response.ts";
import { errorHeaders, problem } from "./response/response.ts";
import { hasBody, waitingToSend } from "./request/node-source.ts";
import type { Result } from "./types.ts";

/** Time that a client may take, such as `"10s"` or milliseconds. */
export interface Timeouts {
  /** Until its headers are there. Who needs longer is holding a socket, not talking. Default 10 s. */
  headers?: Duration;
  /** Until the whole request is there, body included; longer where big files come over slow lines. Default 30 s. */
  request?: Duration;
  /**
   * Between two requests on a connection. Default 65 s: longer than the 60 s most proxies keep idle connections, so that
   * they close first and never hit a dead one.
   */
  keepAlive?: Duration;
  /** Without taking a byte of an answer that waits for it; a handler may think as long as it likes. Default 60 s. */
  stall?: Duration;
}

/** As nginx has it for the time between two writes. */
const STALL_MS = 60_000;
const KEEP_ALIVE_MS = 65_000;

/** How often Node looks for requests that are over their time, at most. */
const CHECK_INTERVAL_MS = 1000;
/** How far above the default port to look for a free one. */
const PORT_TRIES = 50;

export interface ListenOptions {
  host: string;
  port: number;
  /** Take the next free port when this one is taken: only where the user did not name a port. */
  canFallBack: boolean;
  /** The answer to what never became a request, with all its headers but the length; default the problem alone. */
  refuse?: (error: SvcError) => Result;
  timeouts?: Timeouts;
}

export interface Listening {
  /** `http://127.0.0.1:3000` */
  url: string;
  port: number;
  /** Stops accepting, lets answers under way finish, destroys what is left after `deadlineMs`. @returns how many that were */
  close(deadlineMs: number): Promise<number>;
}

type OnRequest = (message: IncomingMessage, reply: ServerResponse) => Promise<void> | void;

const QUIET = Symbol("svc.quiet");

interface Connection extends Socket, Answering {
  /** Since when nothing has been read of it, behind an answer; on the clock of `performance.now()`. */
  [QUIET]?: { readonly bytesRead: number; readonly sinceMs: number };
}

/** @throws SvcError `SVC_CONFIG` when the port is taken. @param onFault told of a fault that reached no answer. */
export async function listen(
  onRequest: OnRequest,
  options: ListenOptions,
  onFault: (error: unknown) => void,
): Promise<Listening> {
  const server = createServer(limits(options.timeouts));
  const drain = new Drain(server);
  const refuse = options.refuse ?? ((error) => problem(error.status, error.code, error.message, errorHeaders(error)));
  const serve = (message: IncomingMessage, reply: ServerResponse): void => {
    const connection: Connection = message.socket;
    connection[REPLY] = reply;
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
    if (!(message instanceof OwnMessage) || !hasBody(message)) return serve(message, reply);
    const connection: Connection = message.socket;
    connection[REPLY] = reply;
    message.startWithBody(() => serve(message, reply));
  });
  // Whether the body is wanted is known only when it is read.
  server.on("checkContinue", (message, reply) => {
    waitingToSend.add(message);
    // Who was not asked for its body may send it all the same: node:http then ends the connection.
    if (reply instanceof OwnReply) reply.leavesHead = true;
    serve(message, reply);
  });
  // Refused with our headers, as everything ambiguous is.
  server.on("checkExpectation", serve);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Connection) => {
    const reply = socket[REPLY];
    const write = (): void => writeRefusal(socket, refuse(refusalOf(error)));
    if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
    if (!reply) return write();
    // Its answer was the last on this connection, which closes behind it.
    if (reply.writableEnded && reply.headersSent && !reply.shouldKeepAlive) return;
    if (reply.writableFinished) return write();
    // What is broken came behind a whole request: that one's answer goes first, or it would be taken for this refusal.
    if (reply.req.complete) return void reply.once("close", write);
    if (reply.headersSent) return void socket.destroy();
    write();
  });
  server.on("timeout", (socket: Connection) => {
    const reply = socket[REPLY];
    const isIdle = !reply || reply.writableFinished;
    // Nothing has moved for long: between two requests, or because the client takes nothing of what is ready.
    if (isIdle || socket.writableLength > 0) socket.destroy();
  });
  const { stall = STALL_MS, keepAlive = KEEP_ALIVE_MS } = options.timeouts ?? {};
  drain.watch(durationMs(stall), durationMs(keepAlive));
  server.on("connect", (_message, socket) => writeRefusal(socket, refuse(CONNECT_REFUSED)));
  await bind(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return { url: `http://${host}:${port}`, port, close: (deadlineMs) => drain.close(deadlineMs) };
}

function limits(timeouts: Timeouts = {}): ServerOptions {
  const headers = durationMs(timeouts.headers ?? "10s");
  const request = durationMs(timeouts.request ?? "30s");
  const keepAlive = durationMs(timeouts.keepAlive ?? KEEP_ALIVE_MS);
  const OwnClass = replyClass(keepAlive);
  const MessageClass = messageClass();
  return {
    // Node takes no headers' time over that of the request.
    headersTimeout: Math.min(headers, request),
    requestTimeout: request,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headers, request),
    // Of our own answers the heads say it and `Drain` sees to it, without a timer for each of them.
    keepAliveTimeout: OwnClass ? 0 : keepAlive,
    ...(OwnClass && { ServerResponse: OwnClass }),
    ...(MessageClass && { IncomingMessage: MessageClass }),
    // Checked by us, so that the refusal has our headers.
    requireHostHeader: false,
  };
}

const CONNECT_REFUSED = new SvcError("SVC_METHOD", "CONNECT is not allowed here; this is no proxy", {
  headers: { allow: "GET, HEAD, POST" },
});

/** What Node's parser or its clocks refused, as the contract names it. */
function refusalOf(error: NodeJS.ErrnoException): SvcError {
  if (error.code === "HPE_HEADER_OVERFLOW") return new SvcError("SVC_HEADERS_TOO_LARGE", "The headers are too large");
  if (error.code === "HPE_CHUNK_EXTENSIONS_OVERFLOW")
    return new SvcError("SVC_TOO_LARGE", "The chunk extensions are too large");
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new SvcError("SVC_TIMEOUT", "The request took too long to arrive");
  return new SvcError("SVC_BAD_REQUEST", "This is not an HTTP request");
}

/** There is no `ServerResponse` for what was no request. */
function writeRefusal(socket: Duplex, { status, headers, body }: Result): void {
  if (!socket.writable) return void socket.destroy();
  const content = typeof body === "string" ? body : "";
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, `date: ${new Date().toUTCString()}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  lines.push("connection: close", `content-length: ${Buffer.byteLength(content)}`);
  // Gone while we write is gone as it was.
  socket.on("error", () => socket.destroy());
  socket.end(`${lines.join("\r\n")}\r\n\r\n${content}`);
}

async function bind(server: Server, options: ListenOptions): Promise<void> {
  const tries = options.canFallBack ? PORT_TRIES : 1;
  for (let at = 0; at < tries; at++) {
    const error = await tryBind(server, options.host, options.port === 0 ? 0 : options.port + at);
    if (!error) return;
    if (error.code !== "EADDRINUSE")
      throw new SvcError("SVC_CONFIG", `Can't listen on ${options.host}:${options.port}: ${error.message}`, {
        cause: error,
      });
  }
  throw new SvcError(
    "SVC_CONFIG",
    `Port ${options.port} on ${options.host} is taken. Set PORT or --port to a free one, or end what holds it.`,
  );
}

function tryBind(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const onError = (error: NodeJS.ErrnoException): void => resolve(error);
    server.once("error", onError);
    server.listen(port, host, () => {
      server.removeListener("error", onError);
      resolve(undefined);
    });
  });
}

/** A connection is closed no earlier than its answers have said, and up to two looks later. */
function closeUnused(connection: Connection, keepAliveMs: number, nowMs: number): void {
  const reply = connection[REPLY];
  // Who has asked for nothing yet has the time that headers have.
  if (reply === undefined || reply?.writableFinished === false) return;
  const { bytesRead, [QUIET]: quiet } = connection;
  if (quiet?.bytesRead !== bytesRead) connection[QUIET] = { bytesRead, sinceMs: nowMs };
  else if (nowMs - quiet.sinceMs >= keepAliveMs) connection.destroy();
}

/** The end of a server: answers under way finish, their connections are kept for nothing more. */
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
   * Looks at all connections now and then. Those that have something to take get a timer, so that `timeout` tells when they take
   * nothing for so long; those of which nobody asks anything are closed. A server's own timers would be put off by each read and
   * write of each request, at a tenth of its price.
   * @param keepAliveMs 0: for ever
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

  /** A connection kept alive after its last answer would hold the server open until it times out. */
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
      // What has come in by now is read first.
      setImmediate(() => this.#closeSilent());
    });
  }

  /** Node counts a connection as idle only behind a request; browsers and pools open some that they may never use. */
  #closeSilent(): void {
    for (const connection of this.#connections) if (connection.bytesRead === 0) connection.destroy();
  }
}
