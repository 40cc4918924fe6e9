/** Tells those who wait that something has changed, and waits itself: time and signals for the feeds. */
import { systemClock, type Clock } from "../../index.ts";

export class Bell {
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
