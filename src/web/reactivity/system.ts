/**
 * The dependency graph: tracks reads, marks outdated nodes and runs them again. signal.ts provides the API.
 *
 * The algorithm is push-pull. A write marks the direct readers dirty and all nodes behind them `check`, and queues marked effects. A read
 * or a flush then evaluates only marked nodes. So each node runs at most once per flush, never sees half-updated state, and depends on
 * exactly what it read last time. The tests compare it with alien-signals.
 *
 *     write a ──► b (dirty) ──► c (check) ──► effect e (check, queued)
 *
 * The browser build renames fields and functions that start with an underscore.
 */

/** Fresh: the value is current. Check: an indirect dependency changed, so check the sources. Dirty: a direct dependency changed. */
const FRESH = 0;
const CHECK = 1;
const DIRTY = 2;
const DISPOSED = 3;

export interface Node {
  _value: unknown;
  /** Set for computeds and effects. */
  _run: (() => unknown) | undefined;
  /** Set for effects: receives the result of a run. */
  _write: ((value: never) => void) | undefined;
  _mark: number;
  /** Throws the error of a computed's last run, if it failed. */
  _fault: (() => never) | undefined;
  _sources: Node[] | undefined;
  /** In the order in which they read the node. */
  _readers: Set<Node> | undefined;
  /** Called when an effect ends. */
  _end: (() => void) | undefined;
}

/** The node that is running; it subscribes to everything that is read. */
export let reader: Node | undefined;
/** Collects the effects created while a scope is set up, so that they can be ended together. */
export let owned: Node[] | undefined;
let batchDepth = 0;
let queue: Node[] = [];

/** Called before a write to a node that may have come with the page (docs/resume-protocol.md section 6). */
let beforeWrite: ((node: object) => void) | undefined;

export function onBeforeWrite(hook: ((node: object) => void) | undefined): void {
  beforeWrite = hook;
}

export function touch(node: object): void {
  beforeWrite?.(node);
}

/** Runs the page's code. The part `boundary` replaces these functions by ones that catch errors. */
export const guard: {
  /** @param place element to which the code belongs */
  _run(run: () => unknown, place?: object): unknown;
  /** Called for each effect, before it runs for the first time. */
  _made?(node: Node): void;
} = { _run: (run) => run() };

/** Effects that trigger each other endlessly are a bug of the page. A queue of this length is taken for that. */
const MAX_QUEUE = 1e6;

export function assign(node: Node, value: unknown): void {
  if (Object.is(value, node._value)) return;
  node._value = value;
  markReaders(node, DIRTY);
}

function markReaders(node: Node, level: number): void {
  node._readers?.forEach((other) => {
    const before = other._mark;
    if (before >= level) return;
    other._mark = level;
    if (before !== FRESH) return;
    if (other._write) queue.push(other);
    markReaders(other, CHECK);
  });
}

/** Brings a marked node up to date. @param isQuiet skips the write of an effect, because its result is in place already */
export function refresh(node: Node, isQuiet?: boolean): void {
  if (node._mark === CHECK) {
    for (const source of node._sources!) {
      refresh(source);
      if (node._mark > CHECK) break;
    }
  }
  const { _mark, _write } = node;
  // Marked fresh before it runs, since an effect may trigger itself, and one that throws must be able to run again.
  if (_mark < (_write ? DISPOSED : DIRTY)) node._mark = FRESH;
  if (_mark !== DIRTY) return;
  forget(node);
  const outer = reader;
  let value;
  reader = node;
  node._fault = undefined;
  try {
    try {
      value = node._run!();
    } catch (error) {
      if (_write) throw error;
      value = node._fault = () => {
        throw error;
      };
    }
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
  node._sources?.forEach((source) => source._readers!.delete(node));
  node._sources = undefined;
}

export function dispose(node: Node): void {
  forget(node);
  node._mark = DISPOSED;
  node._end?.();
}

/** Runs the queued effects. If some throw, the others still run, and the first error is thrown at the end. */
export function flush(): void {
  if (batchDepth) return;
  const errors: unknown[] = [];
  batchDepth = 1;
  // Effects may queue more nodes; the loop reaches those too.
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
  // The first one. A loop compresses better than an index.
  for (const error of errors) throw error;
}

/**
 * Runs `run`. Effects wait until the outermost batch ends.
 * @example
 * const first = signal("Ada");
 * const last = signal("Lovelace");
 * batch(() => {
 *   first.value = "Alan";
 *   last.value = "Turing";
 * }); // readers of both update once
 */
export function batch<T>(run: () => T): T {
  batchDepth++;
  try {
    return run();
  } finally {
    batchDepth--;
    flush();
  }
}

/**
 * Runs `run` without recording what it reads.
 * @example
 * effect(() => {
 *   console.log(count.value, untrack(() => text.value)); // runs again for count only
 * });
 */
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
 * While a scope wakes, the first run of a binding only records what it reads: the document already shows the server's values or the
 * user's input.
 */
let isQuiet = false;

/** Whether bindings currently skip their first write. A function, because parts copy core's exports once, when they load. */
export const isResuming = (): boolean => isQuiet;

/**
 * Runs `run`, untracked.
 * @param quiet whether effects created by `run` skip their first write.
 * @returns a function that ends all of these effects.
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
