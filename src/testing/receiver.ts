/**
 * A webhook receiver on loopback for tests: keeps deliveries and answers them by a script. Senders need
 * `SVC_WEBHOOK_ALLOW_CIDRS=127.0.0.0/8` to reach it.
 */
import { durationMs, type Duration } from "../platform/shared/clock.ts";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** The response to one delivery. */
export interface Reply {
  /** Default 204. */
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** Real time before the response, such as `"50ms"`. `"never"`: the sender waits until `close` or `release`. */
  delay?: Duration;
  /** Sends the head at once, then one byte per interval of real time, without end. */
  dripEvery?: Duration;
  /** Reads the delivery, then closes the connection without a response. */
  hangUp?: boolean;
}

/** A delivery as it arrived. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  /** The raw body, over which signatures are made. */
  body: string;
}

export interface ReceiverOptions {
  /** Responses in turn, as statuses or whole replies; the last one repeats. Default 204. */
  replies?: readonly (number | Reply)[];
}

export interface Receiver {
  /** Address with a path: `http://127.0.0.1:<port>/hook`. */
  readonly url: string;
  readonly deliveries: readonly Received[];
  /** Bytes that `dripEvery` has sent so far, over all responses. */
  readonly dripped: number;
  /** Resolves after this number of deliveries. Rejects after `timeout` of real time (default `"5s"`) with the number that arrived. */
  received(count: number, timeout?: Duration): Promise<readonly Received[]>;
  /** Sets the responses from now on. */
  reply(...replies: (number | Reply)[]): void;
  /** Answers the deliveries that `delay: "never"` keeps waiting, with 204. */
  release(): void;
  /** Closes all connections and the server. */
  close(): Promise<void>;
}

const WAIT_MS = 5000;

/**
 * Starts a receiver on 127.0.0.1, on a free port. It does not keep the process alive.
 * @example
 * const receiver = await createReceiver({ replies: [500, 204] });
 * const deliveries = await receiver.received(2);
 * await receiver.close();
 */
export async function createReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const deliveries: Received[] = [];
  const listeners = new Set<() => void>();
  const state: AnswerState = { held: new Set(), dripped: 0 };
  let script: Reply[] = repliesOf(options.replies ?? []);
  const server = createServer((request, response) => {
    const take = (body: string): void => {
      deliveries.push({ path: request.url ?? "", headers: request.headers, body });
      answer(response, (script.length > 1 ? script.shift() : script[0]) ?? {}, state);
      for (const listener of listeners) listener();
    };
    // A sender that breaks off has delivered nothing, so there is nothing to keep or answer.
    readBody(request).then(take, () => response.destroy());
  });
  // An open receiver must not keep a finished test run alive. `received` does, until it resolves.
  server.on("connection", (socket) => socket.unref());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return {
    url: `http://127.0.0.1:${portOf(server)}/hook`,
    deliveries,
    get dripped() {
      return state.dripped;
    },
    received: async (count, timeout = WAIT_MS) => {
      const timeoutMs = durationMs(timeout);
      await waitFor(
        () => deliveries.length >= count,
        listeners,
        timeoutMs,
        () => `${deliveries.length} of ${count} deliveries arrived within ${timeoutMs} ms`,
      );
      return deliveries;
    },
    reply: (...replies) => void (script = repliesOf(replies)),
    release: () => {
      for (const response of state.held) response.writeHead(204).end();
      state.held.clear();
    },
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function repliesOf(replies: readonly (number | Reply)[]): Reply[] {
  return replies.map((reply) => (typeof reply === "number" ? { status: reply } : reply));
}

interface AnswerState {
  /** Responses that are kept waiting. */
  held: Set<ServerResponse>;
  dripped: number;
}

function answer(response: ServerResponse, reply: Reply, state: AnswerState): void {
  if (reply.hangUp) return void response.destroy();
  if (reply.delay === "never") return void state.held.add(response);
  const delayMs = durationMs(reply.delay ?? 0);
  if (delayMs > 0) {
    const timer = setTimeout(() => answer(response, { ...reply, delay: 0 }, state), delayMs);
    response.once("close", () => clearTimeout(timer));
    return;
  }
  response.writeHead(reply.status ?? 204, reply.headers);
  if (reply.dripEvery === undefined) return void response.end(reply.body);
  response.flushHeaders();
  const drip = setInterval(() => {
    response.write(".");
    state.dripped++;
  }, durationMs(reply.dripEvery)).unref();
  response.once("close", () => clearInterval(drip));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function waitFor(
  isReached: () => boolean,
  listeners: Set<() => void>,
  timeoutMs: number,
  describe: () => string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      listeners.delete(check);
      clearTimeout(timer);
    };
    const timer = setTimeout(() => {
      stop();
      reject(new Error(describe()));
    }, timeoutMs);
    const check = (): void => {
      if (!isReached()) return;
      stop();
      resolve();
    };
    listeners.add(check);
    check();
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
