/** Values handed down to every component below, without props. Resolved while the server renders; browser code captures them. */
import type { Child, Markup } from "../jsx/element.ts";
import { Html } from "./html.ts";
import { t } from "./write.ts";

export interface Context<T> {
  /** Its children, and components that these hold, get `value`. */
  Provider(this: void, props: { value: T; children?: Child }): Markup;
}

const values = new WeakMap<object, unknown>();

/** @param fallback what components outside of any provider get */
export function createContext<T>(fallback: T): Context<T> {
  const context: Context<T> = {
    Provider: (props) => new Html(() => provide(context, props.value, () => t(props.children))),
  };
  values.set(context, fallback);
  return context;
}

/** Value of the nearest provider around the component that is being rendered. Call it in the component's body. */
export function useContext<T>(context: Context<T>): T {
  return values.get(context) as T;
}

/** Rendering is synchronous, so the nearest provider's value is the one that was set last. */
function provide(context: object, value: unknown, write: () => string): string {
  const outer = values.get(context);
  values.set(context, value);
  try {
    return write();
  } finally {
    values.set(context, outer);
  }
}
