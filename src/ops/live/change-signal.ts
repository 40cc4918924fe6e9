/** Wakes subscribers when something changed, plus the timers and retries of the feeds. */
import type { Clock } from "../../index.ts";
import { systemClock } from "../../graph.ts";

export class ChangeSignal {
  #version = 0;
  readonly #waiting = new Set<() => void>();

  get version(): number {
    return this.#version;
  }

  ring(): void {
    this.#version++;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Resolves when the version is not `seen` any more, or when `signal` aborts. Never rejects. */
  changed(seen: number, signal: AbortSignal): Promise<void> {
    if (this.#version !== seen || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}

/** Resolves after that time, or when `signal` aborts. Never rejects. */
export function pause(ms: number, signal: AbortSignal, clock: Clock = systemClock): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = clock.schedule(ms, end);
    signal.addEventListener("abort", end, { once: true });
  });
}

/** Delay before the first retry after a failure, and the longest after many. */
const FIRST_AGAIN_MS = 1000;
const LONGEST_AGAIN_MS = 30_000;

/**
 * Runs `work` until it completes or `signal` aborts. If it fails, reports the error and retries, because the feed still has followers.
 * Never rejects.
 */
export async function keepRunning(
  work: () => Promise<void>,
  onError: (error: unknown) => void,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  for (let waitMs = FIRST_AGAIN_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_AGAIN_MS)) {
    const begunMs = clock.now();
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) return;
      onError(error);
    }
    // After a long success the failure is a new one: start again with the shortest delay.
    if (clock.now() - begunMs > LONGEST_AGAIN_MS) waitMs = FIRST_AGAIN_MS;
    await pause(waitMs, signal, clock);
  }
}
