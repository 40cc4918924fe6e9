/** The API of the dependency graph: `signal`, `computed`, `watch`, `batch`, `untrack`. The same code on the server and in the browser. */
import {
  CHECK,
  DIRTY,
  flush,
  FRESH,
  guard,
  markReaders,
  owned,
  reader,
  refresh,
  touch,
  type Flag,
  type Node,
} from "./system.ts";

export { batch, untrack } from "./system.ts";

/** A value that can be read and set. Reading it inside a computed, effect or binding subscribes that to it. */
export interface Signal<T> {
  value: T;
}

/** A value derived from others. It is computed when first read, and again only when something it read has changed. */
export interface Computed<T> {
  readonly value: T;
}

let born = 0;

export class Cell implements Node {
  _value: unknown;
  _known: unknown;
  _run: (() => unknown) | undefined;
  _write: Node["_write"];
  _mark: number;
  _born: number;
  _fault: Node["_fault"];
  _sources: Node["_sources"];
  _readers: Node["_readers"];
  _end: (() => void) | undefined;

  constructor(value?: unknown, run?: () => unknown, write?: Node["_write"], end?: () => void) {
    this._value = this._known = value;
    this._born = born++;
    this._run = run;
    this._write = write;
    this._mark = run ? DIRTY : FRESH;
    this._end = end;
  }

  get value(): unknown {
    if (this._mark && (reader || this._run)) refresh(this);
    // Track after refreshing, otherwise the node's own first value would mark the reader dirty.
    if (reader) {
      (this._readers ??= new Set()).add(reader);
      // The first push to `[]` reserves 17 places, and most readers have fewer than five sources.
      (reader._sources ??= Array<Node>()).push(this);
    }
    this._fault?.();
    return this._value;
  }

  set value(value: unknown) {
    if (this._run) throw new Error("svc: read-only computed");
    touch(this);
    this._value = value;
    // Its readers compare the value with the known one before they run, because a batch may set it back.
    this._mark = CHECK;
    markReaders(this, CHECK);
    flush();
  }
}

/**
 * @param value the initial value; it must be serializable if browser code captures the signal.
 * @example
 * function Counter() {
 *   const count = signal(0);
 *   return <button onClick={() => void count.value++}>{count.value}</button>;
 * }
 */
export function signal<T>(value: T): Signal<T> {
  return new Cell(value) as Signal<T>;
}

/**
 * A value that is derived from signals. It is computed on the first read and again after a source has changed.
 * @example
 * const count = signal(2);
 * const double = computed(() => count.value * 2);
 * double.value; // 4
 */
export function computed<T>(run: () => T): Computed<T> {
  return new Cell(undefined, run) as Computed<T>;
}

/**
 * Calls `write` with the result of `run`, now and whenever something that `run` read has changed. Reads inside `write` are not tracked.
 * @param isQuiet skips the first write, because its result is in place already.
 * @param end called when the watch has ended.
 */
export function watch<T>(run: () => T, write: (value: T) => void, isQuiet?: Flag, end?: () => void): Node {
  const node = new Cell(undefined, run, write, end);
  owned?.push(node);
  guard._made?.(node);
  refresh(node, isQuiet);
  return node;
}

/** Whether a value is a signal or computed. */
export function isSignal(value: unknown): value is Signal<unknown> {
  return value instanceof Cell;
}

/** Whether a value is a computed. Pages never contain computeds. */
export function isComputed(value: unknown): boolean {
  return value instanceof Cell && value._run !== undefined;
}
