/** Finds JSX of props that a component shows beside state of a hook or a context, which every instance of the component may have to follow. */
import type { Module } from "./analyze.ts";
import { isHeld } from "./held-state.ts";
import { componentOf, shownReads } from "./prop-reads.ts";
import { isJsx, type Node } from "../parse/ast.ts";

/** Whether what the server finds in the result of a hook or in a context may decide whether a component shows a node. */
export function isChosenByHeld(module: Module, node: Node): boolean {
  const component = componentOf(module, node);
  let isInElement = false;
  for (let at: Node | undefined = node; at && at !== component; at = module.parentOf(at)) {
    if (at.type === "JSXExpressionContainer" && readsHeld(module, at.expression)) return true;
    isInElement ||= isJsx(at);
  }
  // Another return of the component may have the condition.
  return !isInElement && component?.body != null && readsHeld(module, component.body);
}

function readsHeld(module: Module, node: Node): boolean {
  return shownReads(module, node).split(" ").some(isHeld);
}
