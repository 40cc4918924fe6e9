/**
 * The dependency graph: who read what, what is out of date, what runs again. No surface: signal.ts has that.
 *
 * Push-pull. A write marks the direct readers dirty and everything behind them `check`; an effect that is marked is
 * queued; a read or a flush asks only what is marked. So each node runs at most once a flush, sees no half-updated
 * state, and depends on exactly what it read last time. Oracle in the tests: alien-signals.
 *
 *     write a ──► b (dirty) ──► c (check) ──► effect e (check, queued)
 *
 * Fields and functions that start with an underscore are renamed when the browser assets are built.
 */

/** Fresh: the value holds. Check: something behind a reader changed, ask it. Dirty: a direct dependency changed. */
const FRESH = 0;
const CHECK = 1;
const DIRTY = 2;
const DISPOSED = 3;

export interface Node {
  _value: unknown;
  /** Of computeds and effects. */
  _run: (() => unknown) | undefined;
  /** Of effects: takes what a run gave. */
  _write: ((value: never) => void) | undefined;
  _mark: number;
  _sources: Edge[] | undefined;
  _firstReader: Edge | undefined;
  _lastReader: Edge | undefined;
  /** Called when an effect ends. */
  _end: (() => void) | undefined;
}

/** `_reader` has read `_source`: one of the source's readers, who are called in the order in which they read. */
export interface Edge {
  _source: Node;
  _reader: Node;
  _before: Edge | undefined;
  _after: Edge | undefined;
}

/** Whoever runs now and so depends on what is read. */
export let reader: Node | undefined;
/** Collects the effects made while a scope is set up, so that they end together. */
export let owned: Node[] | undefined;
let batchDepth = 0;
let queue: Node[] = [];

/** Called before the first write to a node that came with the page (docs/resume-protocol.md section 6). */
let beforeWrite: ((node: object) => void) | undefined;

export function onBeforeWrite(hook: ((node: object) => void) | undefined): void {
  beforeWrite = hook;
}

export function touch(node: object): void {
  beforeWrite?.(node);
}

/** How code of the page is run. The part `boundary` puts its own functions here, which catch what it throws. */
export const guard: {
  /** @param place element to which the code belongs */
  _run(run: () => unknown, place?: object): unknown;
  /** Called for each effect, before it runs for the first time. */
  _made?(node: Node): void;
} = { _run: (run) => run() };

/** Effects that set each other for ever are a bug of the page; a queue this long is taken for one. */
const MAX_QUEUE = 1e6;

export function assign(node: Node, value: unknown): void {
  if (Object.is(value, node._value)) return;
  node._value = value;
  markReaders(node, DIRTY);
}

function markReaders(node: Node, level: number): void {
  for (let edge = node._firstReader; edge; edge = edge._after) {
    const other = edge._reader;
    const before = other._mark;
    if (before >= level) continue;
    other._mark = level;
    if (before !== FRESH) continue;
    if (other._write) queue.push(other);
    markReaders(other, CHECK);
  }
}

/** Brings a marked node up to date. @param isQuiet what an effect would write is there already */
export function refresh(node: Node, isQuiet?: boolean): void {
  if (node._mark === CHECK) {
    for (const { _source } of node._sources!) {
      refresh(_source);
      if (node._mark > CHECK) break;
    }
  }
  const { _mark, _write } = node;
  // Fresh before it runs: an effect may set itself off, and one that throws must be able to run again. A computed that
  // throws stays dirty and throws again when read.
  if (_mark < (_write ? DISPOSED : DIRTY)) node._mark = FRESH;
  if (_mark !== DIRTY) return;
  forget(node);
  const outer = reader;
  reader = node;
  try {
    const value = node._run!();
    reader = undefined;
    if (!_write) {
      assign(node, value);
      node._mark = FRESH;
    } else if (!isQuiet) node._write!(value as never);
  } finally {
    reader = outer;
  }
}

function forget(node: Node): void {
  node._sources?.forEach(({ _source, _before, _after }) => {
    if (_before) _before._after = _after;
    else _source._firstReader = _after;
    if (_after) _after._before = _before;
    else _source._lastReader = _before;
  });
  node._sources = undefined;
}

export function dispose(node: Node): void {
  forget(node);
  node._mark = DISPOSED;
  node._end?.();
}

/** Runs what is queued. One effect that throws does not keep the others from running; the first error is thrown. */
export function flush(): void {
  if (batchDepth) return;
  const errors: unknown[] = [];
  batchDepth = 1;
  // What runs may queue more, which this loop comes to as well.
  for (const node of queue) {
    try {
      if (queue.length > MAX_QUEUE) {
        queue.length = 0;
        throw new Error("svc: effect cycle");
      }
      refresh(node);
    } catch (error) {
      errors.push(error);
    }
  }
  queue = [];
  batchDepth = 0;
  if (errors.length) throw errors[0];
}

/** Runs `run`; effects wait until the outermost batch ends. */
export function batch<T>(run: () => T): T {
  batchDepth++;
  try {
    return run();
  } finally {
    batchDepth--;
    flush();
  }
}

/** Runs `run` without recording what it reads. */
export function untrack<T>(run: () => T): T {
  const outer = reader;
  reader = undefined;
  try {
    return run();
  } finally {
    reader = outer;
  }
}

/**
 * While a scope wakes, the first run of a binding only records what it reads: the document is the server's, or the
 * user's where something was typed.
 */
let isQuiet = false;

/** Whether that is so now. A function: parts take what core exports once, when they are loaded. */
export const isResuming = (): boolean => isQuiet;

/**
 * Runs `run`, untracked.
 * @param quiet what the effects made meanwhile would write is there already, unless they see to that themselves.
 * @returns the way to end them all.
 */
export function scoped(quiet: boolean, run: () => void): () => void {
  const outer = owned;
  const outerQuiet = isQuiet;
  const mine: Node[] = (owned = []);
  isQuiet = quiet;
  try {
    untrack(run);
  } finally {
    owned = outer;
    isQuiet = outerQuiet;
  }
  return () => mine.forEach(dispose);
}
