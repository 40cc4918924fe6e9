/**
 * The deferred content of an `<Await>`: waits for its promise and renders the result. It never rejects: every failure becomes the
 * error of this content.
 */
import type { Timer } from "../../../platform/shared/clock.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { currentContexts, within, type ProvidedContexts } from "../context.ts";
import { nearestFallback, writeFallback, type Fallback } from "../components/error-boundary.ts";
import type { LateContent } from "./deferred-marks.ts";
import type { Render } from "../render.ts";

/** Description of an `<Await>`. */
export interface DeferredSource {
  promise: PromiseLike<unknown>;
  /** Time limit for the promise. */
  deadlineMs: number;
  pending: () => string;
  /** Overrides the fallback of the nearest error boundary. */
  fallback: Fallback | undefined;
  children: (value: unknown) => string;
}

export class DeferredContent implements LateContent {
  readonly id: number;
  isSettled = false;
  readonly #render: Render;
  readonly #source: DeferredSource;
  readonly #place: ProvidedContexts | undefined;
  readonly #moment: string | undefined;
  readonly #isGuarded: boolean;
  #value: unknown;
  #error: unknown;
  #isFailed = false;
  #timer: Timer | undefined;
  #listener: (() => void) | undefined;

  /** Captures the current position of the render: contexts, island moment and error boundary. */
  constructor(id: number, render: Render, source: DeferredSource) {
    this.id = id;
    this.#render = render;
    this.#source = source;
    this.#place = currentContexts();
    this.#moment = render.scopes.moment;
    this.#isGuarded = render.scopes.isGuarded;
    source.promise.then(
      (value) => this.#settle(() => (this.#value = value)),
      (error: unknown) => this.#settle(() => this.fail(error)),
    );
  }

  wait(listener: () => void): void {
    if (this.isSettled) return;
    this.#listener = listener;
    const { deadlineMs } = this.#source;
    this.#timer = this.#render.clock.schedule(deadlineMs, () => {
      const late = new SvcError(
        "SVC_UNAVAILABLE",
        `Deferred content of the page was not ready within ${deadlineMs} ms`,
      );
      this.#settle(() => this.fail(late));
    });
  }

  abandon(): void {
    this.#timer?.cancel();
    this.#listener = undefined;
  }

  placeholder(): string {
    return this.#inPlace(this.#source.pending);
  }

  write(): string {
    return this.#inPlace(() => {
      if (this.#isFailed) return this.#writeError(this.#error);
      const mark = this.#render.mark();
      try {
        return this.#source.children(this.#value);
      } catch (error) {
        this.#render.rollBack(mark);
        return this.#writeError(error);
      }
    });
  }

  #inPlace(write: () => string): string {
    const placed = (): string => this.#render.scopes.atMoment(this.#moment, () => within(this.#place, write));
    return this.#render.scopes.guard(this.#isGuarded, placed);
  }

  /** Renders the fallback. Redirects and refusals are errors here too: the response has already started. */
  #writeError(error: unknown): string {
    this.#render.errors.push(error);
    const { fallback = nearestFallback() } = this.#source;
    const mark = this.#render.mark();
    try {
      return writeFallback(fallback, error);
    } catch (another) {
      this.#render.rollBack(mark);
      this.#render.errors.push(another);
      return "";
    }
  }

  fail(error: unknown): void {
    this.#isFailed = true;
    this.#error = error;
  }

  #settle(take: () => void): void {
    if (this.isSettled) return;
    take();
    this.isSettled = true;
    this.#timer?.cancel();
    this.#listener?.();
  }
}
