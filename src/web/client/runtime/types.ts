/**
 * What the parts of the browser runtime share. Properties with an underscore are renamed in the built assets, the same
 * way in each; all others are names of the protocol (docs/resume-protocol.md) or of the DOM.
 */
import type { Json } from "../../../platform/shared/json.ts";

declare global {
  /** Whether this is an asset of development (scripts/build-browser.ts). */
  const __DEV__: boolean;
}

/** A DOM event, or what the loader makes up for `load` and `visible`. */
export type DispatchedEvent = Pick<Event, "type"> & {
  target: EventTarget | null;
  bubbles?: boolean;
  cancelBubble?: boolean;
  /** Where it passes, innermost first. */
  _way: readonly Element[];
};

/** Before the loader an array; afterwards what hands events to it. */
export type EventQueue = Pick<DispatchedEvent[], "push" | "forEach"> & {
  readonly [place: number]: DispatchedEvent;
  /** Of the loader: fetches a module by its name and gives it; again and again until it is there. */
  load?: (this: void, name: string) => unknown;
  /** Of the loader: what has come. */
  _modules?: Modules;
};

/** Slots of a scope, or `{ $, i, n }` of a row; a row of the server's that nothing has bound yet knows what binds it. */
export interface Slots {
  _bind?: (() => void) | undefined;
  /** Ends the bindings of a scope, where a page takes the place of another. */
  _end?: (() => void) | undefined;
}

/** A chunk: handlers `h0`, `h1`, … and binds `b0`, `b1`, … */
export type Chunk = Record<string, (slots: Slots, ...args: unknown[]) => unknown>;

/** `[kind, value, scopes to wake before it changes?]` */
export type ValueRow = [kind: number, value: Json, scopes?: number[]];

export interface PageState {
  csrf_token: string;
  build: string;
  /** 0 once the scope is awake. */
  s: Record<string, [chunk: string, bind: string | 0, ...slots: number[]] | 0>;
  v: ValueRow[];
  /** Scope -> modules besides its own that its handlers may set off. */
  n: Record<string, string[]>;
  /** Development only: for each value the name by which an edit finds it again (src/web/ssr/resume/value-names.ts). */
  d?: (string | null)[];
}

/** What a late piece adds: scopes, values behind those that are there, needs; `r`: value -> scopes that show it too; `u`:
 * resources that were not there yet, and whether the page says so somewhere. */
export type MoreState = Pick<PageState, "s" | "v" | "n" | "d"> & {
  r: Record<string, number[]>;
  u: Record<string, [kind: number, value: Json, isShown: number]>;
};

/** One handler on the way of an event: the element that carries it, its scope, and the names of what it needs: core, the chunk, parts. */
export type Step = [element: Element, symbol: string, scopeId: string, modules: string[]];

/** Loaded modules by the names under which the loader fetches them: `handler/todo-8fa1b2c3`, `region`. */
export interface Modules {
  [name: string]: unknown;
  core?: Core;
}

/** What the loader needs of core. */
export interface Core {
  /** Names of what must be there before `run` may be called. Always called before it, with what is loaded by then. */
  prepare(steps: Step[], modules: Modules): string[];
  /** Runs every handler on the way, innermost first, as one batch. */
  run(event: DispatchedEvent, steps: Step[]): void;
}

/** How a page is gone to (src/app/pages/navigate.ts documents it for authors). */
export interface NavigateOptions {
  /** Takes the place of the page in the history. */
  replace?: boolean;
  /** Whether the new page is shown from its top, or from the place behind `#`; by default it is. */
  scroll?: boolean;
}
