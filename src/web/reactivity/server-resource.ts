/**
 * `resource` on the server: a value that is fetched while the page is rendered. It starts once and never changes again; in
 * the browser it is fetched anew when what its source reads changes (src/web/client/state/resource.ts).
 */
import { ERRORS, SvcError } from "../../platform/shared/errors.ts";

/** A value that is fetched. */
export interface Resource<T> {
  /** The last one that was fetched; it stays while the next is on its way, and when that fails. */
  readonly value: T | undefined;
  /** Whether one is on its way. */
  readonly pending: boolean;
  /** Why the last fetch failed; `undefined` after one that did not. */
  readonly error: unknown;
  /** Fetches again, in the browser. Resolves when it is there, or has failed. */
  refetch(): Promise<void>;
}

/** What the browser is told: the value, why there is none, or nothing yet. */
export type ResourceState = { v: unknown } | { e: string } | Record<string, never>;

export class ServerResource<T> implements Resource<T> {
  /** The value, or the error. */
  readonly settled: Promise<T>;
  /** The page shows somewhere that it is on its way. */
  wasShownPending = false;
  #isPending = true;
  #value: T | undefined;
  #error: unknown;
  #state: ResourceState = {};
  #reported: "open" | "settled" | undefined;

  constructor(start: () => T | PromiseLike<T>) {
    this.settled = this.#fetch(start);
    // Whoever waits for it hears of it; nobody may be waiting.
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

  /** The browser has been told what there is. */
  report(): void {
    if (this.#isPending) this.#reported = "open";
  }

  /** Whether it has settled since the browser was told that it has not; then that is told now. */
  reportSettled(): boolean {
    if (this.#reported !== "open" || this.#isPending) return false;
    this.#reported = "settled";
    return true;
  }

  /** Whether the page was written before it could be seen what it is. */
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
      // What is there at once is there for the rest of the render.
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

/** Only errors that are the caller's explain themselves; what went wrong on our side is for the log. */
function publicMessage(error: unknown): string {
  const isClientError = error instanceof SvcError && ERRORS[error.code].family === "client";
  return isClientError ? error.message : "The server could not fetch this";
}
