/** Rejects browser globals in effects, because effects run on the server first (SVC111). */
import type { Module } from "./analyze.ts";
import { walk, type Node } from "../parse/ast.ts";
import { diagnostic } from "../diagnostics.ts";

/** Globals of `Window` (WHATWG HTML 7.2.2, CSSOM View) that Node lacks. In Node, `navigator` does not describe the visitor. */
export const BROWSER_GLOBALS: ReadonlySet<string> = new Set(
  (
    "window document self top parent frames localStorage sessionStorage navigator location history screen visualViewport " +
    "indexedDB caches customElements matchMedia getComputedStyle getSelection requestAnimationFrame cancelAnimationFrame " +
    "requestIdleCallback cancelIdleCallback addEventListener removeEventListener dispatchEvent innerWidth innerHeight " +
    "outerWidth outerHeight scrollX scrollY scrollTo scrollBy devicePixelRatio alert confirm prompt open print " +
    "IntersectionObserver MutationObserver ResizeObserver Image Audio Notification FileReader DOMParser"
  ).split(" "),
);

/** @throws SvcError SVC111 for a browser global in an effect without a `typeof` check. */
export function refuseBrowserGlobals(module: Module, effect: Node): void {
  if (asksFirst(effect)) return;
  const found = module.scopes
    .within(effect)
    .find(({ name, binding }) => binding === undefined && BROWSER_GLOBALS.has(name));
  if (!found) return;
  throw diagnostic(
    module.file,
    "SVC111",
    found.node,
    `"${found.name}" exists only in the browser, but an effect runs on the server first. Use onLoad(() => …). An effect inside of it runs at once, and again when a value that it read changes.`,
  );
}

function asksFirst(effect: Node): boolean {
  let asks = false;
  walk(effect, (node) => {
    if (node.type !== "UnaryExpression" || node.operator !== "typeof") return !asks;
    asks ||= node.argument.type === "Identifier" && BROWSER_GLOBALS.has(node.argument.name);
    return !asks;
  });
  return asks;
}
