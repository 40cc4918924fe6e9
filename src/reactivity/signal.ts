/** The surface of the dependency graph: `signal`, `computed`, `effect`, `batch`, `untrack`. The same on both sides. */
import { assign, dispose, flush, guard, own, refresh, touch, track, type Node } from "./system.ts";

export { batch, untrack } from "./system.ts";

/** A value that can be read and set; reading inside a computed, effect or binding subscribes it. */
export interface Signal<T> {
  value: T;
}

/** A value derived from others, run when first read and again only when something it read has changed. */
export interface Computed<T> {
  readonly value: T;
}

export class Cell implements Node {
  _value: unknown;
  _run: (() => unknown) | undefined;
  _isEffect: boolean;
  _mark: number;
  _sources: Set<Node> | undefined;
  _readers: Set<Node> | undefined;
  _cleanup: (() => void) | undefined;

  constructor(value: unknown, run?: () => unknown, isEffect = false) {
    this._value = value;
    this._run = run;
    this._isEffect = isEffect;
    this._mark = run ? 2 : 0;
  }

  get value(): unknown {
    // Tracked after it is up to date, or its own first value would mark the reader; and tracked even when it throws.
    try {
      if (this._mark) refresh(this);
    } finally {
      track(this);
    }
    return this._value;
  }

  set value(value: unknown) {
    if (this._run) throw new TypeError("svc: a computed is read-only");
    touch(this);
    assign(this, value);
    flush();
  }
}

/** @param value first value; it must be able to travel in the page when browser code captures the signal. */
export function signal<T>(value: T): Signal<T> {
  return new Cell(value) as Signal<T>;
}

export function computed<T>(run: () => T): Computed<T> {
  return new Cell(undefined, run) as Computed<T>;
}

/**
 * Runs `run` now and again whenever something it read has changed. A function it returns is called before the next run.
 * @returns the way to end it.
 */
export function effect(run: () => unknown): () => void {
  const node = new Cell(undefined, guard._effect(run), true);
  const end = own(() => dispose(node));
  refresh(node);
  return end;
}

/** Whether a value is a signal or computed. */
export function isSignal(value: unknown): value is Signal<unknown> {
  return value instanceof Cell;
}

/** Whether a value is a computed, which is never written into a page. */
export function isComputed(value: unknown): boolean {
  return value instanceof Cell && value._run !== undefined;
}
