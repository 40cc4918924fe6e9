/**
 * Decides which components are called directly: those of the same file that always return HTML. V8 can inline a direct call, but not
 * the shared call site of all components.
 */
import type { Module } from "./analyze.ts";
import { isFunction, isJsx, returnsOf, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import { functionOf, svcName } from "./declaration-kinds.ts";

/** The component behind a JSX tag, if it is called directly. */
export function directFunction(module: Module, name: Node): FunctionNode | undefined {
  const binding = module.scopes.within(name).find(({ node }) => node === name)?.binding;
  const fn = binding && !binding.isAssigned ? functionOf(binding) : undefined;
  return fn && module.components.has(fn) && returnsText(fn) && !takesSlots(module, fn) ? fn : undefined;
}

/** Whether every return value of a function is JSX. */
function returnsText(fn: FunctionNode): boolean {
  if (fn.async || fn.generator || !fn.body) return false;
  if (fn.body.type !== "BlockStatement") return isHtml(fn.body);
  let hasBareReturn = false;
  walk(fn.body, (node) => {
    if (isFunction(node)) return false;
    hasBareReturn ||= node.type === "ReturnStatement" && !node.argument;
    return undefined;
  });
  const isLast = fn.body.body.at(-1)?.type === "ReturnStatement";
  return isLast && !hasBareReturn && returnsOf(fn).every(isHtml);
}

/** Whether a value is JSX in any case. */
function isHtml(node: Node): boolean {
  const inner = unwrap(node);
  return inner.type === "ConditionalExpression" ? isHtml(inner.consequent) && isHtml(inner.alternate) : isJsx(inner);
}

/** A component with a `<Slot>` receives its props a second time. */
function takesSlots(module: Module, fn: FunctionNode): boolean {
  let found = false;
  walk(fn, (node) => {
    found ||= node.type === "JSXOpeningElement" && svcName(node.name, module.scopes) === "Slot";
  });
  return found;
}
