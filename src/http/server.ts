/**
 * The listening socket: hardened limits, the port rule of contract section 2, and a drain that ends in time.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { SvcError } from "../shared/errors.ts";

/** A client that needs longer for its headers is holding a socket, not talking. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Whole request, body included. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node looks for requests that are over their time. */
const CHECK_INTERVAL_MS = 1000;
/** Longer than the 60 s most proxies keep idle connections, so that they close first and never hit a dead one. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** How far above the default port to look for a free one. */
const PORT_TRIES = 50;

export interface ListenOptions {
  host: string;
  port: number;
  /** Take the next free port when this one is taken: only where the user did not name a port. */
  canFallBack: boolean;
}

export interface Listening {
  /** `http://127.0.0.1:3000` */
  url: string;
  port: number;
  /** Stops accepting, lets answers under way finish, destroys what is left after `deadlineMs`. */
  close(deadlineMs: number): Promise<void>;
}

type OnRequest = (message: IncomingMessage, reply: ServerResponse) => Promise<void>;

/** @throws SvcError `SVC_CONFIG` when the port is taken. @param onFault told of a fault that reached no answer. */
export async function listen(
  onRequest: OnRequest,
  options: ListenOptions,
  onFault: (error: unknown) => void,
): Promise<Listening> {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  });
  server.on("request", (message, reply) => {
    onRequest(message, reply).catch((error: unknown) => {
      onFault(error);
      reply.destroy();
    });
  });
  server.on("clientError", refuseBroken);
  server.on("connect", (_message, socket: Socket) =>
    socket.end(
      "HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD, POST\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    ),
  );
  await bind(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return { url: `http://${host}:${port}`, port, close: (deadlineMs) => close(server, deadlineMs) };
}

/** What Node's parser refused, with the status the contract gives it. */
function refuseBroken(
  error: NodeJS.ErrnoException,
  socket: { writable: boolean; end(text: string): void; destroy(): void },
): void {
  if (!socket.writable || error.code === "ECONNRESET") return socket.destroy();
  const status =
    error.code === "HPE_HEADER_OVERFLOW"
      ? "431 Request Header Fields Too Large"
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "408 Request Timeout"
        : "400 Bad Request";
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\nContent-Length: 0\r\n\r\n`);
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
    `Port ${options.port} on ${options.host} is taken. Set PORT to a free one, or end what holds it.`,
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

function close(server: Server, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), deadlineMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
