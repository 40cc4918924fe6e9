/**
 * Aborts an attempt: cancel, timeout, shutdown. An `AbortController` that creates its signal on first use: few workers read it, and a
 * signal costs more than the rest of an attempt.
 */
import { setMaxListeners } from "node:events";

/** An attempt that waits. */
export interface WaitingAttempt {
  /** Whether it does nothing else. */
  readonly onlyWaits: boolean;
  /** Whether it may end meanwhile. */
  readonly mayEnd: boolean;
}

export class Abort {
  /** Set once the attempt has waited; undefined also if its wait is never recorded. */
  waiting: WaitingAttempt | undefined;
  #reason: Error | undefined;
  #controller: AbortController | undefined;
  #listener: ((reason: Error) => void) | undefined;
  #rejection: Promise<never> | undefined;
  #reject: ((reason: Error) => void) | undefined;

  /** Why it was aborted; undefined if it was not. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      // Twenty concurrent calls are no leak. Node would warn from the eleventh listener.
      setMaxListeners(Infinity, this.#controller.signal);
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Rejects with the reason. Takes a tenth of the memory of a signal, and an attempt may wait for months. */
  get rejection(): Promise<never> {
    if (this.#rejection) return this.#rejection;
    const rejection = new Promise<never>((_resolve, reject) => (this.#reject = reject));
    // Nobody may be waiting when it is aborted.
    rejection.catch(() => undefined);
    if (this.#reason) this.#reject?.(this.#reason);
    return (this.#rejection = rejection);
  }

  /** The first reason wins. */
  abort(reason: Error): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#reject?.(reason);
    this.#listener?.(reason);
  }

  /** @returns the outcome of `work`, synchronous or not; a rejection with the reason if the abort comes first. */
  race<T>(work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const result = work();
      // Saves a promise for synchronous work. Any thenable may be pending: a query builder, a promise of another library.
      if (isThenable(result)) Promise.resolve(result).then(resolve, reject);
      else resolve(result);
      // One turn later, so that an outcome from before the abort wins.
      const abort = (reason: Error): void => queueMicrotask(() => reject(reason));
      if (this.#reason) abort(this.#reason);
      else this.#listener = abort;
    });
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  return typeof (value as { then?: unknown }).then === "function";
}

/** Abort reason when the process stops. The node runs again after the start. */
export class Shutdown extends Error {
  constructor() {
    super("The server is stopping");
  }
}

/** Abort reason when the run pauses. The node runs again when the run is resumed. */
export class PauseAbort extends Error {
  constructor() {
    super("The graph pauses");
  }
}

/** A promise that rejects with the signal's reason. Call `stop` when it is no longer needed. */
export function whenAborted(signal: AbortSignal): { promise: Promise<never>; stop: () => void } {
  let stop = (): void => undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    stop = () => signal.removeEventListener("abort", onAbort);
  });
  // The race may have been decided already. Its loser must not be an unhandled rejection.
  promise.catch(() => undefined);
  return { promise, stop };
}
