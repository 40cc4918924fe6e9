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
