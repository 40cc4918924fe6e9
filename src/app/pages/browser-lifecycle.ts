/**
 * Lifecycle callbacks of a component in the browser. The compiler turns these calls into handlers of the component's root element. On the
 * server, where a component runs once, they do nothing.
 */
import { refuseUnseen } from "../../web/ssr/resume/effect.ts";

/** Callback in the browser; it gets the root element of the component. */
export type LifecycleCallback = (element: HTMLElement) => unknown;

/**
 * Runs once, after the page's loader has run.
 * @example
 * function Map() {
 *   onLoad((element) => {
 *     element.textContent = "Ready";
 *     return () => (element.textContent = "");
 *   });
 *   return <div />;
 * }
 */
export function onLoad(_run: LifecycleCallback): void {
  refuseUnseen("onLoad");
}

/**
 * Runs once, when the component is first visible.
 * @example
 * function Video() {
 *   onVisible((element) => element.setAttribute("data-seen", ""));
 *   return <div />;
 * }
 */
export function onVisible(_run: LifecycleCallback): void {
  refuseUnseen("onVisible");
}

/**
 * Runs once, when the browser is idle.
 * @example
 * function Chart() {
 *   onIdle((element) => element.setAttribute("data-ready", ""));
 *   return <figure />;
 * }
 */
export function onIdle(_run: LifecycleCallback): void {
  refuseUnseen("onIdle");
}

/**
 * Runs when the page matches the media query, and each time it matches again. At most once per component.
 * @param query a string literal, because the compiler writes it into the page: `"(min-width: 40em)"`
 * @example
 * function Sidebar() {
 *   onMedia("(min-width: 60rem)", (element) => element.removeAttribute("hidden"));
 *   return <aside hidden />;
 * }
 */
export function onMedia(_query: string, _run: LifecycleCallback): void {
  refuseUnseen("onMedia");
}
