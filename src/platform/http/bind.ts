/** The address of a listening server: a port, a Unix socket, or a socket that the service manager passed on. */
import type { Server } from "node:http";
import { connect, type AddressInfo, type ListenOptions } from "node:net";
import { lstat, rm } from "node:fs/promises";
import { SvcError } from "../shared/errors.ts";

/** Number of ports above the default to try. */
const PORT_TRIES = 50;
/** A Unix socket has no address. This one satisfies the rules for hosts, and reaches proxies and `curl --unix-socket` as the default host. */
const LOCAL = "http://localhost";
/** The peer of a Unix socket is a process of this machine that may open its file. */
const LOCAL_PEER = "127.0.0.1";

/** The path of a Unix socket, or the descriptor of an open socket of any kind. */
export type SocketTarget = { readonly path: string } | { readonly fd: number };

export interface BindOptions {
  host: string;
  port: number;
  /** Use the next free port if this one is taken: only if the user did not choose a port. */
  canFallBack: boolean;
  /** Replaces host and port. */
  socket?: SocketTarget | undefined;
}

export interface Bound {
  /** `http://127.0.0.1:3000`, or `http://localhost` for a Unix socket. */
  url: string;
  /** 0 for a Unix socket. */
  port: number;
}

/** @throws SvcError `SVC_CONFIG` if the address can't be used */
export async function bind(server: Server, options: BindOptions): Promise<Bound> {
  if (options.socket) await bindSocket(server, options.socket);
  else await bindPort(server, options);
  const address = server.address();
  if (address !== null && typeof address === "object")
    return boundTo(options.socket ? address.address : options.host, address);
  server.on("connection", (socket) => {
    // Node leaves it undefined, as it does for a TCP connection that was closed, which must not count as local.
    Object.defineProperty(socket, "remoteAddress", { value: LOCAL_PEER });
  });
  return { url: LOCAL, port: 0 };
}

function boundTo(host: string, { port }: AddressInfo): Bound {
  return { url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`, port };
}

async function bindSocket(server: Server, target: SocketTarget): Promise<void> {
  let error = await tryBind(server, target);
  if (error?.code === "EADDRINUSE" && "path" in target && (await isLeftBehind(target.path))) {
    await rm(target.path);
    error = await tryBind(server, target);
  }
  if (!error) return;
  const name = "path" in target ? target.path : "the socket of LISTEN_FDS";
  const reason =
    error.code === "EADDRINUSE" ? "another process listens on it, or another file is there" : error.message;
  throw new SvcError("SVC_CONFIG", `Can't listen on ${name}: ${reason}`, { cause: error });
}

/** @returns whether the file is the socket of a killed process */
async function isLeftBehind(path: string): Promise<boolean> {
  // Connections to other files are refused as well.
  if (!(await lstat(path)).isSocket()) return false;
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
  });
}

async function bindPort(server: Server, { host, port, canFallBack }: BindOptions): Promise<void> {
  const tries = canFallBack ? PORT_TRIES : 1;
  for (let at = 0; at < tries; at++) {
    const error = await tryBind(server, { host, port: port === 0 ? 0 : port + at });
    if (!error) return;
    if (error.code !== "EADDRINUSE")
      throw new SvcError("SVC_CONFIG", `Can't listen on ${host}:${port}: ${error.message}`, { cause: error });
  }
  throw new SvcError(
    "SVC_CONFIG",
    `Port ${port} on ${host} is taken. Set PORT or --port to a free port, or stop the process that uses it.`,
  );
}

function tryBind(server: Server, options: ListenOptions | SocketTarget): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const onError = (error: NodeJS.ErrnoException): void => resolve(error);
    server.once("error", onError);
    const onListening = (): void => {
      server.removeListener("error", onError);
      resolve(undefined);
    };
    server.listen(options, onListening);
  });
}
