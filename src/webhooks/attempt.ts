/**
 * One attempt: a signed POST through the guarded agent, under one deadline, reading a bounded part of the answer.
 * Owns the wire of a delivery. Not: what the answer means (outcome.ts).
 *
 * One deadline over everything, because per-phase timeouts are reset by each byte: a body of one byte a second or a row
 * of 103 responses would hold a slot for ever.
 */
import { request, type Agent, type Dispatcher } from "undici";
import type { SsrfPolicy } from "../security/ssrf.ts";
import { refusalError } from "../security/ssrf.ts";
import type { Clock } from "../shared/clock.ts";
import { SvcError } from "../shared/errors.ts";
import { DELIVERY_HEADERS, TRACE_HEADERS } from "../shared/wire.ts";
import type { DeliveryRow } from "../store/contract.ts";
import { retryAfterMs } from "./schedule.ts";
import { signatureHeaders, type SigningSecrets } from "./signing.ts";
import { USER_AGENT } from "./user-agent.ts";

const ATTEMPT_TIMEOUT_MS = 15_000;
/** Most of an answer that is read; the connection is given up beyond it. */
const MAX_READ_BYTES = 64 * 1024;
/** Most of an answer that is kept. */
const KEPT_BYTES = 2048;

export interface AttemptContext {
  clock: Clock;
  policy: SsrfPolicy;
  guarded: Agent;
  /** For the exempt URL only. */
  exempt: Agent;
  /** Aborts when the process goes down and no longer waits. */
  signal: AbortSignal;
  /** Sent along where there is one. */
  traceparent: string | undefined;
}

/** Where a delivery goes, and what the registration adds to it. */
export interface Target {
  rawUrl: string;
  headers: Readonly<Record<string, string>>;
  secrets: SigningSecrets;
}

export interface AttemptResult {
  startedMs: number;
  durationMs: number;
  statusCode: number | undefined;
  response: string | undefined;
  /** Why there is no answer, or none that counts; never tells an address. */
  error: string | undefined;
  retryAfterMs: number | undefined;
}

/** Sends a delivery once. Never rejects: whatever happens is in the result. */
export async function sendAttempt(
  delivery: DeliveryRow,
  target: Target,
  context: AttemptContext,
): Promise<AttemptResult> {
  const startedMs = context.clock.now();
  const deadline = new AbortController();
  const timer = context.clock.schedule(ATTEMPT_TIMEOUT_MS, () => deadline.abort());
  const signal = AbortSignal.any([deadline.signal, context.signal]);
  const answer = await post(delivery, target, { ...context, signal }).catch((error: unknown) =>
    nothing(deadline.signal.aborted ? `no answer within ${ATTEMPT_TIMEOUT_MS / 1000} s` : describe(error)),
  );
  timer.cancel();
  const endedMs = context.clock.now();
  return {
    startedMs,
    durationMs: endedMs - startedMs,
    statusCode: answer.statusCode,
    response: answer.response,
    error: answer.error,
    retryAfterMs: retryAfterMs(answer.retryAfter, endedMs),
  };
}

interface Answer {
  statusCode: number | undefined;
  response: string | undefined;
  error: string | undefined;
  retryAfter: string | undefined;
}

async function post(delivery: DeliveryRow, target: Target, context: AttemptContext): Promise<Answer> {
  const verdict = context.policy.checkUrl(target.rawUrl);
  if (!verdict.ok) throw refusalError(verdict);
  const answer = await request(verdict.url, {
    method: "POST",
    headers: headersOf(delivery, target, context),
    body: delivery.body,
    dispatcher: verdict.isExempt ? context.exempt : context.guarded,
    signal: context.signal,
  });
  const { statusCode } = answer;
  return {
    statusCode,
    response: await readStart(answer.body),
    error: errorOfStatus(statusCode),
    retryAfter: firstValue(answer.headers["retry-after"]),
  };
}

function headersOf(
  delivery: DeliveryRow,
  { headers, secrets }: Target,
  { clock, traceparent }: AttemptContext,
): Record<string, string> {
  return {
    ...headers,
    "Content-Type": "application/json",
    "User-Agent": USER_AGENT,
    [DELIVERY_HEADERS.event]: delivery.event,
    [DELIVERY_HEADERS.delivery]: delivery.id,
    [DELIVERY_HEADERS.attempt]: String(delivery.attempts + 1),
    ...(traceparent === undefined ? {} : { [TRACE_HEADERS.parent]: traceparent }),
    ...signatureHeaders(delivery.id, clock.now(), delivery.body, secrets),
  };
}

/** The first 2 KB as text. A broken or endless body changes nothing: the status line has said what the receiver thinks. */
async function readStart(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let readBytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (keptBytes < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - keptBytes));
      keptBytes = Math.min(KEPT_BYTES, keptBytes + chunk.length);
      readBytes += chunk.length;
      if (readBytes > MAX_READ_BYTES) break; // leaving the loop destroys the body, and with it the connection
    }
  } catch (error) {
    kept.push(Buffer.from(`\n[answer cut short: ${describe(error)}]`));
  }
  // stream: a character that the cut split is left out instead of becoming U+FFFD
  return new TextDecoder().decode(Buffer.concat(kept), { stream: true });
}

function errorOfStatus(statusCode: number): string | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined;
  if (statusCode >= 300 && statusCode < 400) return `answered ${statusCode}; redirects are not followed`;
  return `answered ${statusCode}`;
}

function nothing(error: string): Answer {
  return { statusCode: undefined, response: undefined, error, retryAfter: undefined };
}

/** A short reason: our own messages whole, codes of the system otherwise, since its messages hold addresses. */
function describe(error: unknown): string {
  if (error instanceof SvcError) return error.message;
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  if (inner instanceof Error && "code" in inner && typeof inner.code === "string")
    return `connection failed: ${inner.code}`;
  return inner instanceof Error ? `connection failed: ${inner.name}` : "connection failed";
}

function firstValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
