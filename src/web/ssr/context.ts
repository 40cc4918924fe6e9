/**
 * Values handed down to every component below, without props. Resolved while the server renders; browser code captures
 * them. What is rendered later, such as the pieces of `<Await>`, gets the surroundings of the place where it stands.
 */
import type { Child, Markup } from "../jsx/element.ts";
import { Html } from "./html.ts";
import { t } from "./write.ts";

export interface Context<T> {
  /** Its children, and components that these hold, get `value`. */
  Provider(this: void, props: { value: T; children?: Child }): Markup;
}

/** A provider and those around it. */
export interface ProvidedContexts {
  readonly context: object;
  readonly value: unknown;
  readonly outer: ProvidedContexts | undefined;
}

const fallbacks = new WeakMap<object, unknown>();
let current: ProvidedContexts | undefined;

/** @param fallback what components outside of any provider get */
export function createContext<T>(fallback: T): Context<T> {
  const context: Context<T> = {
    Provider: (props) => new Html(() => provide(context, props.value, () => t(props.children))),
  };
  fallbacks.set(context, fallback);
  return context;
}

/** Value of the nearest provider around the component that is being rendered. Call it in the component's body. */
export function useContext<T>(context: Context<T>): T {
  return provided(context, fallbacks.get(context)) as T;
}

/** The nearest value given for `context`. */
export function provided(context: object, fallback: unknown): unknown {
  for (let at = current; at; at = at.outer) if (at.context === context) return at.value;
  return fallback;
}

/** Writes with `value` as the nearest one for `context`. */
export function provide<Result>(context: object, value: unknown, write: () => Result): Result {
  return within({ context, value, outer: current }, write);
}

/** What is handed down at the place that is being rendered. */
export function surroundings(): ProvidedContexts | undefined {
  return current;
}

/** Writes as if it stood in `place`. */
export function within<Result>(place: ProvidedContexts | undefined, write: () => Result): Result {
  const outer = current;
  current = place;
  try {
    return write();
  } finally {
    current = outer;
  }
}
