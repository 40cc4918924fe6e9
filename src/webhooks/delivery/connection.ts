/**
 * One keep-alive connection to a receiver: an undici client that carries one request at a time. Measures each phase of connecting
 * and closes a connection over which far more arrives than a response may have. Which connection is used is decided by
 * connection-pool.ts, how long a request may take by attempt.ts.
 */
import type { Socket } from "node:net";
import { Client, type Dispatcher } from "undici";
import {
  exemptConnector,
  guardedConnector,
  type ConnectPhase,
  type GuardedOptions,
} from "../../platform/security/ssrf/guarded-agent.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import type { AttemptTimings } from "../../storage/contract/webhook-rows.ts";

/** A POST to one origin. */
export interface ReceiverRequest {
  origin: string;
  /** Whether the address rules are off. A guarded request never uses such a connection. */
  isExempt: boolean;
  /** Path and query. */
  path: string;
  /** Names and values in turn. */
  headers: string[];
  body: string;
}

export interface ConnectionOptions extends GuardedOptions {
  clock: Clock;
}

/** The failure of a request whose connection was closed by svc itself. */
export class ConnectionClosedError extends Error {
  override readonly name = "ConnectionClosedError";
}

/** The failure of a request whose response takes more bytes than any response may. */
export class OversizedResponseError extends Error {
  override readonly name = "OversizedResponseError";
}

/** The default of Node, set here so that `--max-http-header-size` does not change it. */
export const MAX_HEAD_BYTES = 16 * 1024;
/**
 * Bytes that may arrive for one request. A handler of undici sees heads and bodies, and neither an endless reason phrase nor endless
 * chunk extensions. Twice the 64 KiB that are read of a body.
 */
export const MAX_RECEIVED_BYTES = 128 * 1024;

export class Connection {
  /** Connections with the same key are interchangeable. */
  readonly key: string;
  readonly #clock: Clock;
  readonly #client: Client;
  /** The socket that is connecting or connected. */
  #socket: Socket | undefined;
  #isReused = false;
  #receivedBefore = 0;
  #timings: AttemptTimings = {};
  #phaseStartMs = 0;

  constructor(key: string, { origin, isExempt }: ReceiverRequest, options: ConnectionOptions) {
    this.key = key;
    this.#clock = options.clock;
    const onPhase = (phase: ConnectPhase): void => this.#recordPhase(phase);
    const connector = isExempt ? exemptConnector(options) : guardedConnector({ ...options, onPhase });
    this.#client = new Client(origin, {
      connect: (target, callback) => void (this.#socket = connector(target, callback)),
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEAD_BYTES,
      // Each byte would restart these timeouts. One deadline covers the whole attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#client.on("connect", () => this.#limitReceivedBytes());
  }

  /** Connect phases of the current request; empty when it reuses the connection. */
  get timings(): AttemptTimings {
    return this.#timings;
  }

  /** Whether the current request uses a socket that has carried another one. */
  get isReused(): boolean {
    return this.#isReused;
  }

  /**
   * Whether the socket is open and has sent everything. A receiver may respond before it has read the request; a second request would
   * then queue behind bytes that nobody reads.
   */
  get isReusable(): boolean {
    return this.#socket !== undefined && !this.#socket.destroyed && this.#socket.writableLength === 0;
  }

  /** Sends a request. The previous one must be over. */
  send({ path, headers, body }: ReceiverRequest, handler: Dispatcher.DispatchHandler): void {
    this.#timings = {};
    this.#phaseStartMs = this.#clock.elapsed();
    this.#isReused = this.isReusable;
    this.#receivedBefore = this.#isReused ? (this.#socket?.bytesRead ?? 0) : 0;
    this.#client.dispatch({ method: "POST", path, headers, body }, handler);
  }

  /** Closes the connection. A running request fails with {@link ConnectionClosedError}. */
  async destroy(): Promise<void> {
    const reason = new ConnectionClosedError("closed by svc");
    const closed = this.#client.destroy(reason);
    // undici waits for a socket that is still connecting, and then closes it.
    this.#socket?.destroy(reason);
    await closed;
  }

  #recordPhase(phase: ConnectPhase): void {
    const nowMs = this.#clock.elapsed();
    this.#timings[phase] = Math.round(nowMs - this.#phaseStartMs);
    this.#phaseStartMs = nowMs;
  }

  /** Listens after undici, which has parsed the bytes by then and may have ended the request. */
  #limitReceivedBytes(): void {
    const socket = this.#socket;
    socket?.on("readable", () => {
      if (socket.bytesRead - this.#receivedBefore > MAX_RECEIVED_BYTES) socket.destroy(new OversizedResponseError());
    });
  }
}
