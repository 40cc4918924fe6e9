/**
 * Moments in a component's life in the browser. The compiler turns these calls into handlers of the component's root
 * element; on the server, where a component runs once, nothing happens.
 */

/** What runs in the browser; what it returns runs when the page is left. */
export type LifecycleCallback = () => unknown;

/** Runs once when the page's loader has run. */
export function onLoad(_run: LifecycleCallback): void {}

/** Runs once when the component is first on screen. */
export function onVisible(_run: LifecycleCallback): void {}
