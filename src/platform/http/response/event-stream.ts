/** Server-sent events (HTML standard section 9.2): a stream of events as a response body. */
import { durationMs, type Clock, type Duration } from "../../shared/clock.ts";
import { withHeartbeat } from "./heartbeat.ts";
import { endEarly } from "./close-iterator.ts";
import type { Result } from "../types.ts";

export interface StreamEvent {
  id?: string | number;
  /** Event name. Default: none, and then browsers call `onmessage`. */
  event?: string;
  /** Any JSON value. */
  data: unknown;
}

export interface EventStreamOptions {
  clock: Clock;
  /** Ends the stream: usually the request's signal, which aborts when the client disconnects. A draining server ends the stream itself. */
  signal: AbortSignal;
  /** Time that browsers wait before they reconnect, such as `"2s"`; whole milliseconds. Default: the browser's, some seconds. */
  retry?: Duration;
}

/** Delay before browsers reconnect to a draining server, spread so that they don't reconnect at the same time. */
const COME_BACK_MS = 1000;
const SPREAD_MS = 2000;

/**
 * A response with server-sent events. Sends heartbeats between events. Ends the source with the stream, and requests an event only after
 * the previous one was sent. A reconnecting browser sends its last `id` as `ctx.header("last-event-id")`.
 * @example
 * async function* ticks() {
 *   yield { id: 1, data: { n: 1 } };
 * }
 *
 * route("GET", "/ticks", (ctx) => eventStream(ticks(), { clock: systemClock, signal: ctx.signal, retry: "2s" }));
 */
export function eventStream(events: AsyncIterable<StreamEvent>, options: EventStreamOptions): Result {
  return encodedEventStream(events, options);
}

/** As `eventStream`, also for events that `encodeEvent` has encoded, one or several at a time. */
export function encodedEventStream(
  events: AsyncIterable<StreamEvent | Uint8Array>,
  options: EventStreamOptions,
): Result {
  return {
    status: 200,
    headers: [
      "content-type",
      "text/event-stream; charset=utf-8",
      "cache-control",
      "no-store",
      "x-accel-buffering",
      "no",
    ],
    body: frames(events, options),
  };
}

async function* frames(
  events: AsyncIterable<StreamEvent | Uint8Array>,
  options: EventStreamOptions,
): AsyncGenerator<string | Uint8Array> {
  const source = events[Symbol.asyncIterator]();
  try {
    yield opening(options.retry);
    for await (const event of withHeartbeat(source, options)) yield chunkOf(event);
  } finally {
    endEarly(source);
  }
}

function chunkOf(event: StreamEvent | Uint8Array | undefined): string | Uint8Array {
  if (event === undefined) return ": still here\n\n";
  return event instanceof Uint8Array ? event : frame(event);
}

/** @returns the bytes of an event, which any number of streams can send. @throws TypeError as the stream */
export function encodeEvent(event: StreamEvent): Uint8Array {
  return Buffer.from(frame(event));
}

/** @throws TypeError for a value that browsers would not parse as a number. */
function opening(retry: Duration | undefined): string {
  if (retry === undefined) return ": open\n\n";
  const ms = durationMs(retry);
  if (Number.isSafeInteger(ms) && ms >= 0) return `retry: ${ms}\n\n`;
  throw new TypeError(`retry is ${retry}. It must be a duration of whole milliseconds.`);
}

/** Whether a response is an event stream, from svc or from other code. */
export function isEventStream(headers: readonly string[]): boolean {
  const at = headers.indexOf("content-type");
  return at >= 0 && (headers[at + 1] ?? "").startsWith("text/event-stream");
}

/**
 * The same stream; when the server drains, it ends with the event `closing`, which makes the browser reconnect shortly after.
 * @param random from 0 to below 1
 */
export async function* untilDrain(
  chunks: AsyncIterable<string | Uint8Array>,
  draining: AbortSignal,
  random: () => number = Math.random,
): AsyncGenerator<string | Uint8Array, void, void> {
  const source = chunks[Symbol.asyncIterator]();
  try {
    for (let step = await orAborted(source.next(), draining); step?.done !== true;) {
      if (!step) return yield `event: closing\nretry: ${COME_BACK_MS + Math.floor(random() * SPREAD_MS)}\ndata: {}\n\n`;
      yield step.value;
      step = await orAborted(source.next(), draining);
    }
  } finally {
    endEarly(source);
  }
}

/** Undefined if the signal aborts first. Removes its listener. */
async function orAborted<Value>(next: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([next, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** JSON has no raw line ends, so one `data` line is enough. @throws TypeError for an id or name with a line end */
function frame({ id, event, data }: StreamEvent): string {
  if (/[\r\n\0]/.test(`${id ?? ""}${event ?? ""}`)) {
    throw new TypeError(`The id and name of an event must not contain line ends: ${JSON.stringify({ id, event })}`);
  }
  const head = (id === undefined ? "" : `id: ${id}\n`) + (event === undefined ? "" : `event: ${event}\n`);
  return `${head}data: ${JSON.stringify(data ?? null)}\n\n`;
}
