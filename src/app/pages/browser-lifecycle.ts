/**
 * Moments in a component's life in the browser. The compiler turns these calls into handlers of the component's root
 * element; on the server, where a component runs once, nothing happens.
 */
import { refuseUnseen } from "../../web/ssr/resume/effect.ts";

/** What runs in the browser; it is given the root element of the component. */
export type LifecycleCallback = (element: HTMLElement) => unknown;

/** Runs once when the page's loader has run. */
export function onLoad(_run: LifecycleCallback): void {
  refuseUnseen("onLoad");
}

/** Runs once when the component is first on screen. */
export function onVisible(_run: LifecycleCallback): void {
  refuseUnseen("onVisible");
}

/** Runs once when the browser has nothing better to do. */
export function onIdle(_run: LifecycleCallback): void {
  refuseUnseen("onIdle");
}

/**
 * Runs when the page matches the media query, and whenever it matches again.
 * @param query as text, for the compiler writes it into the page: `"(min-width: 40em)"`. Once in a component.
 */
export function onMedia(_query: string, _run: LifecycleCallback): void {
  refuseUnseen("onMedia");
}
