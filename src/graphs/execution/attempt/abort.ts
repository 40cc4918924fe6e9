/**
 * The end of an attempt from outside: cancel, timeout, shutdown. An `AbortController` whose signal is made when somebody
 * asks for it, since few workers do and a signal costs more than all else of an attempt.
 */
import { setMaxListeners } from "node:events";

export class Abort {
  #reason: Error | undefined;
  #controller: AbortController | undefined;
  #listener: ((reason: Error) => void) | undefined;

  /** Why it was ended; undefined while it was not. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      // Any number may listen, such as twenty calls side by side: no leak, of which Node would warn from the eleventh on.
      setMaxListeners(Infinity, this.#controller.signal);
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** The first reason counts. */
  abort(reason: Error): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#listener?.(reason);
  }

  /** @returns what `work` comes to, thrown or not, at once or later; or a rejection with the reason when that comes first. */
  race<T>(work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const result = work();
      // One promise less for those that need none.
      if (result instanceof Promise) result.then(resolve, reject);
      else resolve(result);
      // A turn later: what was there before the abort is the outcome.
      const abort = (reason: Error): void => queueMicrotask(() => reject(reason));
      if (this.#reason) abort(this.#reason);
      else this.#listener = abort;
    });
  }
}

/** The reason of attempts that are aborted because the process stops: the node runs again after the start. */
export class Shutdown extends Error {
  constructor() {
    super("The server is stopping");
  }
}

/** The reason of attempts that are aborted because their run pauses: the node runs again when the run is resumed. */
export class PauseAbort extends Error {
  constructor() {
    super("The graph pauses");
  }
}

/** A promise that rejects with the signal's reason. Call `stop` when nobody waits for it any more. */
export function whenAborted(signal: AbortSignal): { promise: Promise<never>; stop: () => void } {
  let stop = (): void => undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    stop = () => signal.removeEventListener("abort", onAbort);
  });
  // The race may have been decided before; a late rejection is not news.
  promise.catch(() => undefined);
  return { promise, stop };
}
