/**
 * One attempt: reads the response over its connection, under one deadline and up to a limit. outcome.ts decides what the response means,
 * sender.ts which requests are made.
 * One deadline covers everything, because each byte resets a per-phase timeout: a body of one byte per second or a series of 103
 * responses would hold a slot forever.
 */
import type { Dispatcher } from "undici";
import type { Clock } from "../../platform/shared/clock.ts";
import type { AttemptTimings } from "../../storage/contract/webhook-rows.ts";
import { keptHeaders, type ResponseHeaders } from "./response-headers.ts";
import { ConnectionClosedError, type Connection, type ReceiverRequest } from "./connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { Deadline } from "./deadlines.ts";
import { failureReason } from "./failure-reason.ts";
import { retryAfterMs } from "./retry-schedule.ts";

/** Bytes of a response to read. A longer one ends the connection. */
const MAX_READ_BYTES = 64 * 1024;
/** Bytes of a response to store. */
const KEPT_BYTES = 2048;
/** Interim responses (1xx) to accept. Each costs the receiver a few bytes and svc a turn of the event loop. */
const MAX_INTERIM = 32;

export interface AttemptResult {
  startedMs: number;
  durationMs: number;
  statusCode: number | undefined;
  response: string | undefined;
  /** Headers of the response, as stored. */
  responseHeaders: ResponseHeaders | undefined;
  /** Why there is no valid response. Never contains an address. */
  error: string | undefined;
  retryAfterMs: number | undefined;
  timings: AttemptTimings | undefined;
}

/** Sends one request and reads its response. Calls `onEnd` once. */
export class Attempt implements Dispatcher.DispatchHandler, Deadline {
  readonly #clock: Clock;
  readonly #pool: ConnectionPool;
  readonly #onEnd: (result: AttemptResult) => void;
  readonly #startedMs: number;
  /** The same time on the monotonic clock, which measures durations. */
  readonly #beganMs: number;
  #request: ReceiverRequest | undefined;
  #connection: Connection | undefined;
  #sentMs: number | undefined;
  #firstByteMs: number | undefined;
  #statusCode: number | undefined;
  #retryAfter: string | undefined;
  #headers: ResponseHeaders | undefined;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #readBytes = 0;
  #interim = 0;
  #isOver = false;

  constructor(clock: Clock, pool: ConnectionPool, onEnd: (result: AttemptResult) => void) {
    this.#clock = clock;
    this.#pool = pool;
    this.#onEnd = onEnd;
    this.#startedMs = clock.now();
    this.#beganMs = clock.elapsed();
  }

  send(request: ReceiverRequest): void {
    this.#request = request;
    this.#connection = this.#pool.acquire(request);
    this.#connection.send(request, this);
  }

  /** Ends the attempt without a response: the request could not be sent. */
  fail(error: unknown): void {
    this.#cut(failureReason(error));
  }

  onRequestStart(): void {
    this.#sentMs = this.#clock.elapsed();
  }

  onResponseStart(controller: Dispatcher.DispatchController, statusCode: number): void {
    if (this.#isOver) return;
    this.#firstByteMs ??= this.#clock.elapsed();
    // undici reports a 101 without an Upgrade header as an interim response.
    if (statusCode === 101) return this.#end("the response switches protocols, which svc did not request");
    if (statusCode < 200) {
      if (++this.#interim > MAX_INTERIM) this.#end(`sent more than ${MAX_INTERIM} interim responses (1xx)`);
      return;
    }
    const headers = headerList(controller.rawHeaders);
    this.#statusCode = statusCode;
    this.#retryAfter = valueOf(headers, "retry-after");
    this.#headers = keptHeaders(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#keptBytes < KEPT_BYTES) this.#kept.push(chunk.subarray(0, KEPT_BYTES - this.#keptBytes));
    this.#keptBytes = Math.min(KEPT_BYTES, this.#keptBytes + chunk.length);
    this.#readBytes += chunk.length;
    if (this.#readBytes > MAX_READ_BYTES) this.#end(undefined);
  }

  onResponseEnd(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection) this.#pool.release(connection);
    this.#end(undefined, connection?.timings);
  }

  /** A broken body does not change the outcome: the status line has already stated it. */
  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#canResend(error)) this.#resend();
    else this.fail(error);
  }

  /** The deadline has passed. */
  expire(): void {
    this.#cut("no answer within 15 s");
  }

  /** Whether a kept connection broke before any byte of the request went out. The failure then says nothing about the receiver. */
  #canResend(error: Error): boolean {
    const wasSent = this.#sentMs !== undefined || this.#isOver;
    return !wasSent && this.#connection?.isReused === true && !(error instanceof ConnectionClosedError);
  }

  #resend(): void {
    if (this.#connection) this.#pool.discard(this.#connection);
    if (this.#request) this.send(this.#request);
  }

  #cut(why: string): void {
    if (this.#statusCode === undefined) return this.#end(why);
    this.#kept.push(Buffer.from(`\n[answer cut short: ${why}]`));
    this.#end(undefined);
  }

  #end(error: string | undefined, connecting = this.#connection?.timings): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const statusCode = this.#statusCode;
    const result: AttemptResult = {
      startedMs: this.#startedMs,
      durationMs: Math.round(this.#clock.elapsed() - this.#beganMs),
      statusCode,
      response: statusCode === undefined ? undefined : textOf(this.#kept),
      responseHeaders: this.#headers,
      error: error ?? (statusCode === undefined ? "the response has no status" : errorOfStatus(statusCode)),
      retryAfterMs: retryAfterMs(this.#retryAfter, this.#clock.now()),
      timings: this.#timings(connecting ?? {}),
    };
    this.#kept = [];
    // Later bytes of the connection belong to no other request.
    if (this.#connection) this.#pool.discard(this.#connection);
    this.#onEnd(result);
  }

  #timings(connecting: AttemptTimings): AttemptTimings {
    if (this.#firstByteMs === undefined || this.#sentMs === undefined) return connecting;
    return { ...connecting, first_byte: Math.round(this.#firstByteMs - this.#sentMs) };
  }
}

/** @returns names in lower case and values, in turn. HTTP/1.1 delivers them as an array. */
function headerList(raw: Dispatcher.DispatchController["rawHeaders"]): string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((part, index) => {
    const text = typeof part === "string" ? part : part.toString("latin1");
    return index % 2 === 0 ? text.toLowerCase() : text;
  });
}

/** The first value of a header. */
function valueOf(headers: readonly string[], name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) if (headers[index] === name) return headers[index + 1];
  return undefined;
}

function textOf(kept: readonly Buffer[]): string {
  if (kept.length === 0) return "";
  // stream: omits a character that the limit split, instead of U+FFFD
  return new TextDecoder().decode(Buffer.concat(kept), { stream: true });
}

function errorOfStatus(statusCode: number): string | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined;
  if (statusCode >= 300 && statusCode < 400) return `answered ${statusCode}; redirects are not followed`;
  return `answered ${statusCode}`;
}
