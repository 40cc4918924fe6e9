/**
 * Which components may be called as plain functions: those of the same file that surely return HTML text. One call for all
 * components of an app has V8 see a new function each time; a call of one component lets it put the component in place.
 */
import type { Module } from "./analyze.ts";
import { isFunction, isJsx, returnsOf, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import { functionOf, svcName } from "./declaration-kinds.ts";

/** @param name of a JSX tag. */
export function isDirect(module: Module, name: Node): boolean {
  const binding = module.scopes.within(name).find(({ node }) => node === name)?.binding;
  const fn = binding && !binding.isAssigned ? functionOf(binding) : undefined;
  return fn !== undefined && module.components.has(fn) && returnsText(fn) && !takesSlots(module, fn);
}

/** Whether every way out of a function is JSX. */
function returnsText(fn: FunctionNode): boolean {
  if (fn.async || fn.generator || !fn.body) return false;
  if (fn.body.type !== "BlockStatement") return isJsx(unwrap(fn.body));
  let hasBareReturn = false;
  walk(fn.body, (node) => {
    if (isFunction(node)) return false;
    hasBareReturn ||= node.type === "ReturnStatement" && !node.argument;
    return undefined;
  });
  const isLast = fn.body.body.at(-1)?.type === "ReturnStatement";
  return isLast && !hasBareReturn && returnsOf(fn).every((result) => isJsx(unwrap(result)));
}

/** A component with a `<Slot>` is given its props a second time. */
function takesSlots(module: Module, fn: FunctionNode): boolean {
  let found = false;
  walk(fn, (node) => {
    found ||= node.type === "JSXOpeningElement" && svcName(node.name, module.scopes) === "Slot";
  });
  return found;
}
