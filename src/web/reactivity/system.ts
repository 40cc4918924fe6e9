/**
 * The dependency graph: tracks reads, marks outdated nodes and runs them again. signal.ts provides the API.
 *
 * The algorithm is push-pull. A write marks the signal and all nodes behind it `check`, and queues marked effects. A read or a flush then
 * compares the signal's value with the one that its readers know, marks them dirty if it differs, and evaluates only dirty nodes. So each
 * node runs at most once per flush, never sees half-updated state, and depends on exactly what it read last time. A signal that a batch
 * sets back runs nothing. The tests compare it with alien-signals.
 *
 *     write a (check) ──► b (check) ──► c (check) ──► effect e (check, queued)
 *
 * The browser build renames fields and functions that start with an underscore.
 */

/** Fresh: the value is current. Check: it or a dependency may have changed, so compare. Dirty: a direct dependency changed. */
export const FRESH = 0;
export const CHECK = 1;
export const DIRTY = 2;
const DISPOSED = 3;

/** A number is shorter than `true` in the browser's code. */
export type Flag = boolean | 0 | 1;

export interface Node {
  _value: unknown;
  /** The value that the readers know. After a write it may differ from `_value`, until an effect or computed reads it. */
  _known: unknown;
  /** Set for computeds and effects. */
  _run: (() => unknown) | undefined;
  /** Set for effects: receives the result of a run. */
  _write: ((value: never) => void) | undefined;
  _mark: number;
  /** Order of creation: an owner was created before the nodes that it owns. */
  _born: number;
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

/** Sets a value, and marks the readers if it is new to them. */
function settle(node: Node, value: unknown): void {
  if (Object.is(value, node._known)) return;
  node._known = node._value = value;
  markReaders(node, DIRTY);
}

export function markReaders(node: Node, level: number): void {
  node._readers?.forEach((other) => {
    const before = other._mark;
    if (before < level) other._mark = level;
    if (before !== FRESH) return;
    if (other._write) queue.push(other);
    markReaders(other, CHECK);
  });
}

/** Brings a marked node up to date. @param isQuiet skips the write of an effect, because its result is in place already */
export function refresh(node: Node, isQuiet?: Flag): void {
  if (node._mark === CHECK) {
    settle(node, node._value);
    node._sources?.forEach((source) => node._mark > CHECK || refresh(source));
  }
  const { _mark, _write } = node;
  // Marked fresh before it runs, since an effect may trigger itself, and one that throws must be able to run again.
  if (_mark < DISPOSED) node._mark = FRESH;
  if (_mark !== DIRTY) return;
  forget(node);
  const outer = reader;
  let value;
  reader = node;
  node._fault = undefined;
  try {
    value = node._run!();
  } catch (error) {
    value = node._fault = () => {
      throw error;
    };
  }
  reader = undefined;
  try {
    if (!_write) return settle(node, value);
    node._fault?.();
    if (!isQuiet) _write(value as never);
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
  let fault: (() => never) | undefined;
  batchDepth = 1;
  // Owners first: they may end the nodes that they own. Effects may queue more nodes; the loop reaches those too.
  for (const node of queue.sort((one, other) => one._born - other._born)) {
    try {
      if (queue.length > MAX_QUEUE) {
        queue.length = 0;
        throw new Error("svc: effect cycle");
      }
      refresh(node);
    } catch (error) {
      fault ??= () => {
        throw error;
      };
    }
  }
  queue = [];
  batchDepth = 0;
  fault?.();
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
let isQuiet: Flag = 0;

/** Whether bindings currently skip their first write. A function, because parts copy core's exports once, when they load. */
export const isResuming = (): boolean => isQuiet as boolean;

/**
 * Runs `run`, untracked.
 * @param quiet whether effects created by `run` skip their first write.
 * @returns a function that ends all of these effects.
 */
export function scoped(quiet: Flag, run: () => void): () => void {
  const outer = owned;
  const outerQuiet = isQuiet;
  const mine: Node[] = (owned = Array<Node>());
  isQuiet = quiet;
  try {
    untrack(run);
  } finally {
    owned = outer;
    isQuiet = outerQuiet;
  }
  return () => mine.forEach(dispose);
}
