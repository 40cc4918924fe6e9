/** Server-sent events (HTML standard section 9.2): a stream of events as the body of an answer. */
import type { Clock, Timer } from "../shared/clock.ts";
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
      const winner = await Promise.race([next, silence(options)]);
      if (winner === "silence") yield ": still here\n\n";
      else if (winner === "aborted" || winner.done) break;
      else {
        yield frame(winner.value);
        next = iterator.next();
      }
    }
    if (options.signal.aborted && options.closing) yield frame(options.closing);
  } finally {
    await iterator.return?.();
  }
}

/** Resolves when it is time for a heartbeat, or when the stream is to end. */
function silence({ clock, signal }: EventStreamOptions): Promise<"silence" | "aborted"> {
  return new Promise((resolve) => {
    let timer: Timer | undefined;
    const onAbort = (): void => {
      timer?.cancel();
      resolve("aborted");
    };
    if (signal.aborted) return resolve("aborted");
    signal.addEventListener("abort", onAbort, { once: true });
    timer = clock.schedule(HEARTBEAT_MS, () => {
      signal.removeEventListener("abort", onAbort);
      resolve("silence");
    });
  });
}

/** JSON has no raw line ends, so one `data` line is enough. */
function frame({ id, event, data }: StreamEvent): string {
  const head = (id === undefined ? "" : `id: ${id}\n`) + (event === undefined ? "" : `event: ${event}\n`);
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}
