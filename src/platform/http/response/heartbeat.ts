/** Heartbeats for streams that may be silent for long. */
import type { Clock, Timer } from "../../shared/clock.ts";

/** Proxies close a silent connection after 30 to 60 s. */
const HEARTBEAT_MS = 15_000;

export interface HeartbeatOptions {
  clock: Clock;
  /** Ends the stream: the client has disconnected, or the server drains. */
  signal: AbortSignal;
}

/** The items of a source, and `undefined` after each 15 s of silence, until source or signal ends. The caller must end the source. */
export async function* withHeartbeat<Item>(
  source: AsyncIterator<Item, unknown>,
  options: HeartbeatOptions,
): AsyncGenerator<Item | undefined, void, void> {
  let next = source.next();
  while (!options.signal.aborted) {
    const winner = await orSilence(next, options);
    if (winner === "silence") yield undefined;
    else if (winner === "aborted" || winner.done === true) return;
    else {
      yield winner.value;
      next = source.next();
    }
  }
}

/** Waits for a promise, the time for a heartbeat, or the end of the stream. Leaves no timer or listener. */
export async function orSilence<Value>(
  next: Promise<Value>,
  { clock, signal }: HeartbeatOptions,
): Promise<Value | "silence" | "aborted"> {
  let timer: Timer | undefined;
  let onAbort = (): void => undefined;
  const silence = new Promise<"silence" | "aborted">((resolve) => {
    timer = clock.schedule(HEARTBEAT_MS, () => resolve("silence"));
    onAbort = () => resolve("aborted");
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    timer?.cancel();
    signal.removeEventListener("abort", onAbort);
  }
}
