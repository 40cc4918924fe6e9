/**
 * Conditions of `preventDefault`. An inline script evaluates them while the event is dispatched, whether or not the handler's code has
 * loaded. Browsers ignore a decision that comes later.
 */
import { DOM } from "../../platform/shared/wire.ts";

export interface Condition {
  /** As in the attribute: `keydown`, `window:keydown`. */
  type: string;
  /** Self-contained: the compiler has checked that it uses only its parameters and names of the browser. */
  test: (...args: never[]) => unknown;
}

/** @returns the code of an inline script. It never contains the end of a script element. */
export function earlyConditions(conditions: ReadonlyMap<string, Condition>): string {
  const tests = [...conditions].map(([key, { test }]) => `${JSON.stringify(key)}:${String(test)}`);
  const all = [...conditions.values()].map(({ type }) => type);
  const own = new Set(all.map((type) => type.replace(DOM.window, "")));
  const isOfWindow = all.some((type) => type.startsWith(DOM.window));
  const code =
    `{const s={${tests.join(",")}},p=(n,t,e)=>s[n.getAttribute("${DOM.prevent}"+t)]?.(e,n)&&e.preventDefault();` +
    `for(const t of ${JSON.stringify([...own])})addEventListener(t,e=>{let f;for(const n of e.composedPath()){` +
    // As in the stub, a handler that stops propagation ends the walk. `once` removes the attribute of the handler.
    `if(/^!?\\./.test(f))return;(f=n.getAttribute?.("${DOM.on}"+t))&&p(n,t,e)}${isOfWindow ? OF_WINDOW : ""}},{capture:!0,passive:!1})}`;
  return code.replaceAll(/<(?=\/script|!--)/gi, "<\\");
}

/** Events of elements that don't bubble do not reach the window. */
const OF_WINDOW = `if(e.bubbles||!e.target.closest)for(const n of document.querySelectorAll("["+CSS.escape("${DOM.prevent}${DOM.window}"+t)+"]"))p(n,"${DOM.window}"+t,e)`;
