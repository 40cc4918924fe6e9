/**
 * Passes values to all components below a provider, without props. Contexts are resolved on the server; browser code captures
 * their values. Deferred content of an `<Await>` uses the contexts around its `<Await>`.
 */
import type { Child, Markup } from "../jsx/element.ts";
import { Html } from "./html.ts";
import { t } from "./write.ts";

export interface Context<T> {
  /** Provides `value` to all components inside its children. */
  Provider(this: void, props: { value: T; children?: Child }): Markup;
}

/** A provided value, linked to the providers around it. */
export interface ProvidedContexts {
  readonly context: object;
  readonly value: unknown;
  readonly outer: ProvidedContexts | undefined;
}

const fallbacks = new WeakMap<object, unknown>();
const ids = new WeakMap<object, string>();
let current: ProvidedContexts | undefined;

/**
 * @param fallback value for components outside of any provider
 * @param id added by the compiler: the name of the context in pages
 * @example
 * const Theme = createContext("light");
 *
 * function Toolbar() {
 *   return <p>Theme: {useContext(Theme)}</p>;
 * }
 *
 * function Page() {
 *   return (
 *     <Theme.Provider value="dark">
 *       <Toolbar />
 *     </Theme.Provider>
 *   );
 * }
 */
export function createContext<T>(fallback: T, id?: string): Context<T> {
  const context: Context<T> = {
    Provider: (props) => new Html(() => provide(context, props.value, () => t(props.children))),
  };
  fallbacks.set(context, fallback);
  if (id !== undefined) ids.set(context, id);
  return context;
}

/** Name of a context in pages. Undefined if the compiler did not see its declaration. */
export function contextId(context: object): string | undefined {
  return ids.get(context);
}

/**
 * Value of the nearest provider around the component that is being rendered. Call it in the component's body.
 * @example
 * const Theme = createContext("light");
 *
 * function Toolbar() {
 *   return <p>Theme: {useContext(Theme)}</p>;
 * }
 */
export function useContext<T>(context: Context<T>): T {
  return provided(context, fallbacks.get(context)) as T;
}

/** Value of the nearest provider of `context`; `fallback` outside of any. */
export function provided(context: object, fallback: unknown): unknown {
  const provider = providerOf(context);
  return provider ? provider.value : fallback;
}

/** The nearest provider of `context` at the current position of the render. */
export function providerOf(context: object): ProvidedContexts | undefined {
  let at = current;
  while (at && at.context !== context) at = at.outer;
  return at;
}

/** Calls `write` with `value` as the nearest provided value of `context`. */
export function provide<Result>(context: object, value: unknown, write: () => Result): Result {
  return within({ context, value, outer: current }, write);
}

/** The contexts at the current position of the render. */
export function currentContexts(): ProvidedContexts | undefined {
  return current;
}

/** Calls `write` with the contexts of `place`. */
export function within<Result>(place: ProvidedContexts | undefined, write: () => Result): Result {
  const outer = current;
  current = place;
  try {
    return write();
  } finally {
    current = outer;
  }
}
