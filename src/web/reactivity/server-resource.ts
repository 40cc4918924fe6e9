/**
 * `resource` on the server: a value that is fetched once while the page is rendered, and never changes again. The browser fetches
 * again when the source changes (src/web/client/state/resource.ts).
 */
import { ERRORS, SvcError } from "../../platform/shared/errors.ts";

/** A fetched value. */
export interface Resource<T> {
  /** The last fetched value. It stays while the next fetch is pending, and if that fails. */
  readonly value: T | undefined;
  /** Whether a fetch is pending. */
  readonly pending: boolean;
  /** Error of the last fetch; `undefined` if it succeeded. */
  readonly error: unknown;
  /** Fetches again, in the browser. Resolves when the fetch has succeeded or failed. */
  refetch(): Promise<void>;
}

/** The state that the page sends to the browser: the value, the error message, or nothing yet. */
export type ResourceState = { v: unknown } | { e: string } | Record<string, never>;

export class ServerResource<T> implements Resource<T> {
  /** Settles with the value or the error. */
  readonly settled: Promise<T>;
  /** Whether the page shows somewhere that the value is pending. */
  wasShownPending = false;
  #isPending = true;
  #value: T | undefined;
  #error: unknown;
  #state: ResourceState = {};
  #reported: "open" | "settled" | undefined;

  constructor(start: () => T | PromiseLike<T>) {
    this.settled = this.#fetch(start);
    // Consumers get the rejection from `settled`. This handler prevents an unhandled rejection if there are none.
    this.settled.catch(() => undefined);
  }

  get value(): T | undefined {
    this.#show();
    return this.#value;
  }

  get pending(): boolean {
    this.#show();
    return this.#isPending;
  }

  get error(): unknown {
    this.#show();
    return this.#error;
  }

  refetch(): Promise<void> {
    return Promise.resolve();
  }

  /** Records that the current state was sent to the browser. */
  report(): void {
    if (this.#isPending) this.#reported = "open";
  }

  /** Whether the resource has settled since it was sent as pending. If so, records the settled state as sent. */
  reportSettled(): boolean {
    if (this.#reported !== "open" || this.#isPending) return false;
    this.#reported = "settled";
    return true;
  }

  /** Whether the page was written before the result was known. */
  get mayBeAnything(): boolean {
    return this.#isPending || this.#reported !== undefined;
  }

  get state(): ResourceState {
    return this.#state;
  }

  #show(): void {
    this.wasShownPending ||= this.#isPending;
  }

  async #fetch(start: () => T | PromiseLike<T>): Promise<T> {
    try {
      const given = start();
      // Do not await a synchronous value, so that the rest of the render can read it.
      const value = isPromise(given) ? await given : given;
      this.#value = value;
      this.#state = { v: value };
      return value;
    } catch (error) {
      this.#error = error;
      this.#state = { e: publicMessage(error) };
      throw error;
    } finally {
      this.#isPending = false;
    }
  }
}

function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Only client errors explain themselves. Details of server errors go to the log. */
function publicMessage(error: unknown): string {
  const isClientError = error instanceof SvcError && ERRORS[error.code].family === "client";
  return isClientError ? error.message : "The server could not fetch this";
}
