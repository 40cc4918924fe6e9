/**
 * One attempt as it runs: what comes back over its connection, under one deadline, with a bounded part of the answer read.
 * Not: what the answer means (outcome.ts), which requests are made (sender.ts).
 *
 * One deadline over everything, because per-phase timeouts are reset by each byte: a body of one byte a second or a row
 * of 103 responses would hold a slot for ever.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { AttemptTimings } from "../../storage/contract/webhook-rows.ts";
import { keptHeaders, type ResponseHeaders } from "./response-headers.ts";
import { BadAnswer, valuesOf } from "./response-reader.ts";
import type { Exchange } from "./connection.ts";
import type { Deadline } from "./deadlines.ts";
import { retryAfterMs } from "./retry-schedule.ts";

/** Most of an answer that is read; the connection is given up beyond it. */
const MAX_READ_BYTES = 64 * 1024;
/** Most of an answer that is kept. */
const KEPT_BYTES = 2048;
/** Interim answers (1xx) before the answer itself; each is a few bytes for them and a turn for us. */
const MAX_INTERIM = 32;

export interface AttemptResult {
  startedMs: number;
  durationMs: number;
  statusCode: number | undefined;
  response: string | undefined;
  /** Of the answer, as they are kept. */
  responseHeaders: ResponseHeaders | undefined;
  /** Why there is no answer, or none that counts; never tells an address. */
  error: string | undefined;
  retryAfterMs: number | undefined;
  timings: AttemptTimings | undefined;
}

/** How it ended. @param idleMs how long its connection may wait for another; 0 where it is of no more use */
export type OnEnd = (result: AttemptResult, idleMs: number) => void;

export class Attempt implements Exchange, Deadline {
  readonly #clock: Clock;
  readonly #onEnd: OnEnd;
  readonly #startedMs: number;
  /** The same moment, for how long it takes. */
  readonly #beganMs: number;
  readonly #connecting: () => AttemptTimings;
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

  /** @param connecting what the connection says of how it came about */
  constructor(clock: Clock, connecting: () => AttemptTimings, onEnd: OnEnd) {
    this.#clock = clock;
    this.#connecting = connecting;
    this.#onEnd = onEnd;
    this.#startedMs = clock.now();
    this.#beganMs = clock.elapsed();
  }

  onSent(): void {
    this.#sentMs = this.#clock.elapsed();
  }

  onHead(statusCode: number, headers: readonly string[]): void {
    if (this.#isOver) return;
    this.#firstByteMs ??= this.#clock.elapsed();
    if (statusCode < 200) {
      if (++this.#interim > MAX_INTERIM) this.#end(`sent more than ${MAX_INTERIM} interim answers (1xx)`, 0);
      return;
    }
    this.#statusCode = statusCode;
    [this.#retryAfter] = valuesOf(headers, "retry-after");
    this.#headers = keptHeaders(headers);
  }

  onBody(bytes: Buffer): void {
    if (this.#isOver) return;
    // Copied: what comes next is read into the same place.
    if (this.#keptBytes < KEPT_BYTES) this.#kept.push(Buffer.from(bytes.subarray(0, KEPT_BYTES - this.#keptBytes)));
    this.#keptBytes = Math.min(KEPT_BYTES, this.#keptBytes + bytes.length);
    this.#readBytes += bytes.length;
    if (this.#readBytes > MAX_READ_BYTES) this.#end(undefined, 0);
  }

  onEnd(idleMs: number): void {
    this.#end(undefined, idleMs);
  }

  /** A broken body changes nothing: the status line has said what the receiver thinks. */
  onError(error: unknown): void {
    this.#cut(describe(error));
  }

  /** The time is over. */
  expire(): void {
    this.#cut("no answer within 15 s");
  }

  #cut(why: string): void {
    if (this.#statusCode === undefined) return this.#end(why, 0);
    this.#kept.push(Buffer.from(`\n[answer cut short: ${why}]`));
    this.#end(undefined, 0);
  }

  #end(error: string | undefined, idleMs: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const statusCode = this.#statusCode;
    const result: AttemptResult = {
      startedMs: this.#startedMs,
      durationMs: Math.round(this.#clock.elapsed() - this.#beganMs),
      statusCode,
      response: statusCode === undefined ? undefined : textOf(this.#kept),
      responseHeaders: this.#headers,
      error: error ?? (statusCode === undefined ? "the answer has no status" : errorOfStatus(statusCode)),
      retryAfterMs: retryAfterMs(this.#retryAfter, this.#clock.now()),
      timings: this.#timings(),
    };
    this.#kept = [];
    this.#onEnd(result, idleMs);
  }

  #timings(): AttemptTimings {
    if (this.#firstByteMs === undefined || this.#sentMs === undefined) return this.#connecting();
    return { ...this.#connecting(), first_byte: Math.round(this.#firstByteMs - this.#sentMs) };
  }
}

function textOf(kept: readonly Buffer[]): string {
  if (kept.length === 0) return "";
  // stream: a character that the cut split is left out instead of becoming U+FFFD
  return new TextDecoder().decode(Buffer.concat(kept), { stream: true });
}

function errorOfStatus(statusCode: number): string | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined;
  if (statusCode >= 300 && statusCode < 400) return `answered ${statusCode}; redirects are not followed`;
  return `answered ${statusCode}`;
}

/** A short reason: our own messages whole, codes of the system otherwise, since its messages hold addresses. */
function describe(error: unknown): string {
  if (error instanceof SvcError) return error.message;
  if (error instanceof BadAnswer) return `connection failed: ${error.message}`;
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  if (inner instanceof Error && "code" in inner && typeof inner.code === "string")
    return `connection failed: ${inner.code}`;
  return inner instanceof Error ? `connection failed: ${inner.name}` : "connection failed";
}
