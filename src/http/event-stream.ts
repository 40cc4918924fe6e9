/** Server-sent events (HTML standard section 9.2): a stream of events as the body of an answer. */
import type { Clock, Timer } from "../shared/clock.ts";
import { endEarly } from "./iterate.ts";
import type { Result } from "./types.ts";

export interface StreamEvent {
  id?: string | number;
  /** Event name; left out, browsers call `onmessage`. */
  event?: string;
  /** Any JSON value. */
  data: unknown;
}

/** Proxies cut a silent connection after 30 to 60 s; a comment keeps it open. */
const HEARTBEAT_MS = 15_000;

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
  const iterator = events[Symbol.asyncIterator]();
  try {
    yield ": open\n\n";
    let next = iterator.next();
    while (!options.signal.aborted) {
      const winner = await firstOf(next, options);
      if (winner === "silence") yield ": still here\n\n";
      else if (winner === "aborted" || winner.done) break;
      else {
        yield frame(winner.value);
        next = iterator.next();
      }
    }
    if (options.signal.aborted && options.closing) yield frame(options.closing);
  } finally {
    endEarly(iterator);
  }
}

/** The next event, or that it is time for a heartbeat, or that the stream is to end. Leaves no timer and no listener. */
async function firstOf<Event>(next: Promise<Event>, { clock, signal }: EventStreamOptions) {
  let timer: Timer | undefined;
  let onAbort = (): void => undefined;
  const silence = new Promise<"silence" | "aborted">((resolve) => {
    timer = clock.schedule(HEARTBEAT_MS, () => resolve("silence"));
    onAbort = () => resolve("aborted");
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    timer?.cancel();
    signal.removeEventListener("abort", onAbort);
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
