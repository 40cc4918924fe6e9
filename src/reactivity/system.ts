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
  _isEffect: boolean;
  _mark: number;
  _sources: Set<Node> | undefined;
  _readers: Set<Node> | undefined;
  /** Left by an effect, called before its next run. */
  _cleanup: (() => void) | undefined;
}

/** Whoever runs now and so depends on what is read. */
let reader: Node | undefined;
/** Collects the ends of what is made while a scope is set up, so that it ends together. */
let owned: (() => void)[] | undefined;
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
export const guard = {
  /** @param _place element to which the code belongs */
  _run: (run: () => unknown, _place?: object): unknown => run(),
  /** Called once for an effect, where it is made. */
  _effect: (run: () => unknown): (() => unknown) => run,
};

/** Effects that set each other for ever are a bug of the page; a queue this long is taken for one. */
const MAX_QUEUE = 1e6;

export function track(node: Node): void {
  if (!reader) return;
  (reader._sources ??= new Set()).add(node);
  (node._readers ??= new Set()).add(reader);
}

export function assign(node: Node, value: unknown): void {
  if (Object.is(value, node._value)) return;
  node._value = value;
  node._readers?.forEach((other) => mark(other, DIRTY));
}

function mark(node: Node, level: number): void {
  const before = node._mark;
  if (before >= level) return;
  node._mark = level;
  if (before !== FRESH) return;
  if (node._isEffect) queue.push(node);
  node._readers?.forEach((other) => mark(other, CHECK));
}

/** Brings a marked node up to date. */
export function refresh(node: Node): void {
  if (node._mark === CHECK) {
    for (const source of node._sources ?? []) {
      refresh(source);
      if (node._mark > CHECK) break;
    }
  }
  if (node._mark === DIRTY) {
    // Fresh before it runs: an effect may set itself off, and one that throws must be able to run again. A computed that
    // throws stays dirty and throws again when read.
    if (node._isEffect) node._mark = FRESH;
    rerun(node);
    if (!node._isEffect) node._mark = FRESH;
  } else if (node._mark === CHECK) node._mark = FRESH;
}

function rerun(node: Node): void {
  forget(node);
  const outer = reader;
  reader = node;
  try {
    const value = (node._run as () => unknown)();
    if (!node._isEffect) assign(node, value);
    else if (typeof value === "function") node._cleanup = value as () => void;
  } finally {
    reader = outer;
  }
}

function forget(node: Node): void {
  node._sources?.forEach((source) => source._readers?.delete(node));
  node._sources = undefined;
  const cleanup = node._cleanup;
  node._cleanup = undefined;
  if (cleanup) untrack(cleanup);
}

export function dispose(node: Node): void {
  forget(node);
  node._mark = DISPOSED;
}

/** Runs what is queued. One effect that throws does not keep the others from running; the first error is thrown. */
export function flush(): void {
  if (batchDepth > 0) return;
  const errors: unknown[] = [];
  batchDepth = 1;
  // What runs may queue more, which this loop comes to as well.
  for (const node of queue) {
    if (queue.length > MAX_QUEUE) {
      errors.push(new Error("svc: effect cycle"));
      break;
    }
    try {
      refresh(node);
    } catch (error) {
      errors.push(error);
    }
  }
  queue = [];
  batchDepth = 0;
  if (errors.length > 0) throw errors[0];
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

/** @param end called when the scope ends that is being set up. */
export function own(end: () => void): () => void {
  owned?.push(end);
  return end;
}

/** Runs `run`, untracked, and returns the way to end all that it made. */
export function scoped(run: () => void): () => void {
  const outer = owned;
  const mine: (() => void)[] = (owned = []);
  try {
    untrack(run);
  } finally {
    owned = outer;
  }
  return () => mine.forEach((end) => end());
}
