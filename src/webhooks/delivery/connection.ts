/**
 * One connection to a receiver: a request at a time, its answer, then the next. Connects when there is something to send, and again where
 * the receiver has closed it in between. Tells how long it took to come about. Not: which connection is taken (connections.ts), how long an
 * answer may take (attempt.ts). undici connects, under the address rules; its client on top takes three times what is here (decision 067).
 */
import type { Socket } from "node:net";
import {
  exemptConnector,
  guardedConnector,
  type Connector,
  type GuardedOptions,
} from "../../platform/security/guarded-agent.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import type { AttemptTimings } from "../../storage/contract/webhook-rows.ts";
import { AnswerReader, BadAnswer, type AnswerParts } from "./response-reader.ts";

/** A request that was sent, and what comes back. One of `onEnd` and `onError` is called, once, unless the connection is dropped before. */
export interface Exchange extends AnswerParts {
  /** The request goes out. */
  onSent(): void;
  /** There is no answer, or no more of it. */
  onError(error: unknown): void;
}

export interface ConnectionOptions extends GuardedOptions {
  clock: Clock;
}

/** Answers are short; what is longer comes in parts. */
const READ_BYTES = 4096;

/** Of a turn of the event loop, those that were used before and have a request that is to go out in its next one, or one that may not have. */
let waiting: Connection[] = [];

export class Connection {
  /** What it may be taken for. */
  readonly key: string;
  /** Until then it may be taken again, by `elapsed`. */
  idleUntilMs = 0;
  readonly #origin: URL;
  readonly #clock: Clock;
  readonly #connector: Connector;
  readonly #onLost: (connection: Connection) => void;
  #socket: Socket | undefined;
  /** That is yet to be one to the receiver. */
  #connecting: Socket | undefined;
  #isConnecting = false;
  #isDropped = false;
  /** What is to be sent, or was, until its answer is over. */
  #request = "";
  #exchange: Exchange | undefined;
  #reader: AnswerReader | undefined;
  readonly #parts: AnswerParts = {
    onHead: (statusCode, headers) => this.#exchange?.onHead(statusCode, headers),
    onBody: (bytes) => this.#exchange?.onBody(bytes),
    onEnd: (idleMs) => this.#finish(idleMs),
  };
  #timings: AttemptTimings = {};
  #phaseMs = 0;

  /** @param onLost called where it is closed while nothing is sent over it */
  constructor(
    key: string,
    origin: string,
    isExempt: boolean,
    options: ConnectionOptions,
    onLost: (connection: Connection) => void,
  ) {
    this.key = key;
    this.#origin = new URL(origin);
    this.#clock = options.clock;
    this.#onLost = onLost;
    const onPhase = (phase: "dns" | "connect" | "tls"): void => {
      const nowMs = this.#clock.elapsed();
      this.#timings[phase] = Math.round(nowMs - this.#phaseMs);
      this.#phaseMs = nowMs;
    };
    // Into one place again and again: by itself Node takes 64 KB for each read.
    const onread = { buffer: Buffer.alloc(READ_BYTES), callback: this.#onRead };
    const own = { ...options, onread };
    this.#connector = isExempt ? exemptConnector(own) : guardedConnector({ ...own, onPhase });
  }

  /** Of the request that is under way; empty where the connection was there already. */
  get timings(): AttemptTimings {
    return this.#timings;
  }

  /** @param request the whole of it. The one before is over. */
  send(request: string, exchange: Exchange): void {
    this.#timings = {};
    this.#phaseMs = this.#clock.elapsed();
    this.#request = request;
    this.#exchange = exchange;
    if (!this.#socket) return this.#connect();
    this.#socket.ref();
    // What the receiver has sent or closed since is heard first: an answer that nobody asked for would be taken for this one's.
    soon(this);
  }

  /** Ends it, and what is under way on it. Tells nobody. */
  drop(): void {
    this.#isDropped = true;
    this.#exchange = undefined;
    this.#forget();
  }

  /** Ends it, and tells what is under way on it. */
  cut(why: Error): void {
    this.#isDropped = true;
    this.#fail(why);
  }

  /** Writes what waits for that, unless the request before has still not gone out, whatever was answered: behind it nothing would be read. */
  flush(): void {
    if (this.#isDropped || this.#isConnecting || this.#reader) return;
    if (this.#socket && this.#socket.writableLength > 0) this.#lose();
    if (!this.#exchange) return;
    if (this.#socket) this.#write(this.#socket);
    else this.#connect();
  }

  #connect(): void {
    const { hostname, host, protocol, port } = this.#origin;
    this.#isConnecting = true;
    const target = { hostname: hostname.replace(/^\[|\]$/g, ""), host, protocol, port };
    const connecting = this.#connector(target, (error, socket) => {
      this.#isConnecting = false;
      this.#connecting = undefined;
      if (error) return this.#fail(error);
      if (this.#isDropped) return void socket.destroy();
      this.#socket = socket;
      socket.on("end", () => this.#onClosed(socket));
      socket.on("close", () => this.#onClosed(socket));
      socket.on("error", (fault) => this.#onFault(socket, fault));
      this.#write(socket);
    });
    if (this.#isConnecting) this.#connecting = connecting;
  }

  #write(socket: Socket): void {
    if (!this.#exchange) return;
    const request = this.#request;
    this.#request = "";
    this.#reader = new AnswerReader(this.#parts);
    this.#exchange.onSent();
    socket.write(request);
  }

  #finish(idleMs: number): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#reader = undefined;
    const socket = this.#socket;
    socket?.unref();
    // Perhaps all of it is out, and TLS only says so a turn later.
    if (socket && socket.writableLength > 0) soon(this);
    exchange?.onEnd(idleMs);
  }

  readonly #onRead = (count: number, buffer: Uint8Array): boolean => {
    const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, count);
    // Bytes that nobody asked for: whatever they are, they are not the answer to what comes next.
    if (!this.#reader) this.#lose();
    else this.#read(this.#reader, bytes);
    return true;
  };

  #read(reader: AnswerReader, bytes: Buffer): void {
    try {
      reader.read(bytes);
    } catch (error) {
      this.#fail(error);
    }
  }

  #onClosed(socket: Socket): void {
    if (socket !== this.#socket) return;
    if (this.#reader?.close()) return;
    if (this.#reader) this.#fail(new BadAnswer("the receiver closed the connection"));
    else this.#lose();
  }

  #onFault(socket: Socket, error: Error): void {
    if (socket !== this.#socket) return;
    if (this.#reader) this.#fail(error);
    else this.#lose();
  }

  /** It is closed, and no answer is under way: what is yet to be sent goes over another. */
  #lose(): void {
    this.#forget();
    if (!this.#exchange && !this.#isDropped) this.#onLost(this);
  }

  #fail(error: unknown): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#forget();
    exchange?.onError(error);
  }

  #forget(): void {
    this.#reader?.stop();
    this.#reader = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
    // With an error, of which nobody hears any more, for else it would be waited for until its time is over.
    this.#connecting?.destroy(new BadAnswer("it is closed"));
    this.#connecting = undefined;
  }
}

function soon(connection: Connection): void {
  if (waiting.push(connection) === 1) setImmediate(writeWaiting);
}

function writeWaiting(): void {
  const connections = waiting;
  waiting = [];
  for (const connection of connections) connection.flush();
}
