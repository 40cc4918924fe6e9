/**
 * Types shared by the parts of the browser runtime. The build renames properties that begin with an underscore, consistently across
 * assets. All other names belong to the protocol (docs/resume-protocol.md) or to the DOM.
 */
import type { Json } from "../../../platform/shared/json.ts";

declare global {
  /** Whether this is a development asset (scripts/build-browser.ts). */
  const __DEV__: boolean;
}

/** A DOM event, or the object that the runtime creates for triggers such as `load` and `visible`. */
export type DispatchedEvent = Pick<Event, "type"> & {
  target: EventTarget | null;
  bubbles?: boolean;
  cancelBubble?: boolean;
  /** The event's path, innermost element first. */
  _way: readonly Element[];
};

/** An array until the loader runs; afterwards the loader's object with the same `push`. */
export type EventQueue = Pick<DispatchedEvent[], "push" | "forEach"> & {
  readonly [place: number]: DispatchedEvent;
  /** Only on the loader: fetches a module by name. Retries until it succeeds. */
  load?: (this: void, name: string) => unknown;
  /** Only on the loader: the loaded modules. */
  _modules?: Modules;
  /** Event types at which the loader prefetches code. A page that prefetches nothing sets an empty list (document.ts). */
  q?: readonly string[];
  /** Development only: an edit is being applied, so effects run at once. */
  _isEdit?: boolean;
  /** Development only: runs and forgets the cleanups of an element's `onLoad` and similar callbacks. */
  _undoLoads?: (element: Element) => void;
  /** Event types that have listeners (event-types.ts). */
  _heard?: Set<string>;
};

/** Slots of a scope, or `{ $, i, n }` of a row. */
export interface Slots {
  /** Binds a server-rendered row; unset once it is bound. */
  _bind?: (() => void) | undefined;
  /** Ends the bindings of a scope when another page replaces this one. */
  _end?: (() => void) | undefined;
}

/** A chunk: handlers `h0`, `h1`, … and bind functions `b0`, `b1`, … */
export type Chunk = Record<string, (slots: Slots, ...args: unknown[]) => unknown>;

/** `[kind, value, scopes to wake before it changes?]` */
export type ValueRow = [kind: number, value: Json, scopes?: number[]];

export interface PageState {
  csrf_token: string;
  build: string;
  /** 0 once the scope is awake. */
  s: Record<string, [chunk: string, bind: string | 0, ...slots: number[]] | 0>;
  v: ValueRow[];
  /** Scope -> other modules that its handlers may need. */
  n: Record<string, string[]>;
  /** Finds the root of a scope, faster than a search in the document. Set by the part `prop`, for pages with thousands of scopes. */
  _rootOf?: (id: number | string) => Element | undefined;
  /** Development only: the name of each value, by which an edit finds it again (src/web/ssr/resume/value-names.ts). */
  d?: (string | null)[];
}

/**
 * The state that deferred content adds: scopes, values to append, and needed modules. `r`: existing value -> scopes that show it too.
 * `u`: resources that were still pending, and whether the page shows them as pending.
 */
export type MoreState = Pick<PageState, "s" | "v" | "n" | "d"> & {
  r: Record<string, number[]>;
  u: Record<string, [kind: number, value: Json, isShown: number]>;
};

/** One handler on an event's path: its element, its scope, and the modules it needs (core, the chunk, parts). */
export type Step = [element: Element, symbol: string, scopeId: string, modules: string[]];

/** Loaded modules by the names under which the loader fetches them: `handler/todo-8fa1b2c3`, `region`. */
export interface Modules {
  [name: string]: unknown;
  core?: Core;
}

/** The interface of core that the loader calls. */
export interface Core {
  /** Names of modules to load before `run` may be called. The loader calls this first, with the modules loaded so far. */
  prepare(steps: Step[], modules: Modules): string[];
  /** Runs every handler on the path, innermost first, as one batch. */
  run(event: DispatchedEvent, steps: Step[]): void;
}

/** Options of a navigation (src/app/pages/navigate.ts documents them for authors). */
export interface NavigateOptions {
  /** Replaces the current history entry. */
  replace?: boolean;
  /** Whether to scroll to the top of the new page, or to the target of its fragment. Default: true. */
  scroll?: boolean;
}
