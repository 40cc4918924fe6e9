/**
 * `resource.js`: resources, for pages that have any. The page contains what the server fetched; a change of the source fetches again
 * here. The latest fetch wins, and the value stays until the next one arrives.
 */
import { batch, Cell, isResuming, kinds, touch, untrack, watch } from "../runtime/core.ts";

/** `v`: the value. `e`: the error message. `w`: settled, the value follows. Empty: the server has not fetched it yet. */
interface State {
  v?: unknown;
  e?: string;
  w?: 1;
}

type Fetcher = (source: unknown, options: { signal: AbortSignal }) => unknown;

class Fetched {
  readonly _result: Cell;
  readonly _fault: Cell;
  readonly _busy: Cell;
  /** The server is still fetching the value. */
  _isOpen: boolean;
  _load: (() => Promise<void>) | undefined;
  /** The browser has fetched a value, which is newer than the server's. */
  _isOwn = false;

  constructor(state: State) {
    const isBusy = !("v" in state || "e" in state);
    this._isOpen = isBusy && !state.w;
    this._result = new Cell(state.v);
    this._fault = new Cell(state.e && new Error(state.e));
    this._busy = new Cell(isBusy);
  }

  get value(): unknown {
    return this._result.value;
  }

  get pending(): unknown {
    return this._busy.value;
  }

  get error(): unknown {
    return this._fault.value;
  }

  async refetch(): Promise<void> {
    // The scope that knows how to fetch it may be asleep.
    touch(this);
    await this._load?.();
  }

  /** Takes over the state of another resource. */
  _take({ _result, _fault }: Fetched): void {
    if (this._isOwn) return;
    batch(() => {
      this._result.value = _result._value;
      this._fault.value = _fault._value;
      this._busy.value = false;
    });
  }
}

kinds[8] = (state: State) => new Fetched(state);
kinds[9] = (state: never) => new Fetched(kinds[4]!(state) as State);

/** A resource of a component that the browser creates. */
export const resource = (source: () => unknown, fetcher: Fetcher): Fetched => {
  const created = new Fetched({});
  R(created, source, fetcher);
  return created;
};

/** The value that an `<Await>` shows of a resource, or of a plain value. */
export const S = (given: unknown): unknown => (given instanceof Fetched ? given.value : given);

/** Connects a resource with its source and fetcher, in the scope of the component that created it, or in the first that shows it. */
export const R = (resource: Fetched, source: () => unknown, fetcher: Fetcher): void => {
  if (resource._load) return;
  let newest: AbortController | undefined;
  const load = async (key: unknown): Promise<void> => {
    newest?.abort();
    const mine = (newest = new AbortController());
    resource._isOpen = false;
    resource._isOwn = true;
    touch(resource);
    resource._busy.value = true;
    let cell = resource._result;
    let found;
    try {
      found = await fetcher(key, mine);
    } catch (error) {
      cell = resource._fault;
      found = error;
    }
    if (mine !== newest) return;
    batch(() => {
      resource._fault.value = undefined;
      cell.value = found;
      resource._busy.value = false;
    });
  };
  resource._load = () => untrack(() => load(source()));
  watch(source, load, isResuming(), () => {
    newest?.abort();
    newest = undefined;
  });
  const whenOpen = (): unknown => resource._isOpen && resource._load!();
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", whenOpen);
  else whenOpen();
};
