/**
 * A piece of a page that comes later: what an `<Await>` waits for, and how it is written once that is settled. Never
 * rejects: whatever goes wrong becomes the piece's error.
 */
import type { Timer } from "../../../platform/shared/clock.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { surroundings, within, type ProvidedContexts } from "../context.ts";
import { nearestFallback, writeFallback, type Fallback } from "../components/error-boundary.ts";
import type { LateContent } from "./deferred-marks.ts";
import type { Render } from "../render.ts";

/** What an `<Await>` tells of itself. */
export interface DeferredSource {
  promise: PromiseLike<unknown>;
  /** How long it may take. */
  deadlineMs: number;
  pending: () => string;
  /** In place of the nearest error boundary's fallback. */
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

  /** Stands where the page is being rendered. */
  constructor(id: number, render: Render, source: DeferredSource) {
    this.id = id;
    this.#render = render;
    this.#source = source;
    this.#place = surroundings();
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
      const late = new SvcError("SVC_UNAVAILABLE", `A piece of the page was not there after ${deadlineMs} ms`);
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

  /** Also for redirects and refusals: it is too late for another answer. */
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
