/** Server-sent events (HTML standard section 9.2): a stream of events as the body of an answer. */
import type { Clock } from "../shared/clock.ts";
import { withHeartbeat } from "./heartbeat.ts";
import { endEarly } from "./iterate.ts";
import type { Result } from "./types.ts";

export interface StreamEvent {
  id?: string | number;
  /** Event name; left out, browsers call `onmessage`. */
  event?: string;
  /** Any JSON value. */
  data: unknown;
}

export interface EventStreamOptions {
  clock: Clock;
  /** Ends the stream: the client left, or the server drains. */
  signal: AbortSignal;
  /** Sent as the last event when `signal` aborts for the drain; the browser then reconnects. */
  closing?: StreamEvent;
}

/** Heartbeats go out between events; the source is ended when the stream is. */
export function eventStream(events: AsyncIterable<StreamEvent>, options: EventStreamOptions): Result {
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

async function* frames(events: AsyncIterable<StreamEvent>, options: EventStreamOptions): AsyncGenerator<string> {
  const source = events[Symbol.asyncIterator]();
  try {
    yield ": open\n\n";
    for await (const event of withHeartbeat(source, options)) yield event ? frame(event) : ": still here\n\n";
    if (options.signal.aborted && options.closing) yield frame(options.closing);
  } finally {
    endEarly(source);
  }
}

/** JSON has no raw line ends, so one `data` line is enough. @throws TypeError for an id or name that would end its line. */
function frame({ id, event, data }: StreamEvent): string {
  if (/[\r\n\0]/.test(`${id ?? ""}${event ?? ""}`)) {
    throw new TypeError(`An event's id and name hold no line ends: ${JSON.stringify({ id, event })}`);
  }
  const head = (id === undefined ? "" : `id: ${id}\n`) + (event === undefined ? "" : `event: ${event}\n`);
  return `${head}data: ${JSON.stringify(data ?? null)}\n\n`;
}
