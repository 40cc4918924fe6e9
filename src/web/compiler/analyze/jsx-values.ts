/** Finds JSX that is a value: in a prop of a component, or in a constant that may become one. */
import { holdsJsx, isComponentTag, isFunction, isJsx, tagName, unwrap, walk, type Node } from "../parse/ast.ts";
import type { Module } from "./analyze.ts";
import { svcName } from "./declaration-kinds.ts";
import { givenItem } from "./jsx-members.ts";
import { bindingAt } from "./prop-names.ts";

/** Whether JSX is in a prop of a component of the app, or in a constant, outside of functions in them. */
export function isPassedJsx(module: Module, jsx: Node): boolean {
  for (let node = module.parentOf(jsx); node && !isFunction(node) && !isJsx(node); node = module.parentOf(node)) {
    if (node.type === "VariableDeclarator") return node.id.type === "Identifier";
    if (node.type !== "JSXAttribute") continue;
    const opening = module.parentOf(node);
    return (
      opening?.type === "JSXOpeningElement" &&
      isComponentTag(tagName(opening.name)) &&
      svcName(opening.name, module.scopes) === undefined
    );
  }
  return false;
}

/** Whether a function returns JSX and is in an object or array that is a value: `{ list: () => <List /> }`. */
export function isPassedFunction(module: Module, fn: Node): boolean {
  return isFunction(fn) && isInLiteral(module, fn) && holdsJsx(fn) && isPassedJsx(module, fn);
}

/** `list() {…}` in an object. */
export function isMethod(module: Module, fn: Node): boolean {
  const parent = module.parentOf(fn);
  return parent?.type === "Property" && parent.method;
}

function isInLiteral(module: Module, node: Node): boolean {
  const parent = module.parentOf(node);
  return parent?.type === "ArrayExpression" || (parent?.type === "Property" && parent.value === node);
}

/** JSX that an expression may contain as a value, directly or by the names of constants, and functions in objects that return JSX. */
export function jsxOf(module: Module, expression: Node): Node[] {
  const found = new Set<Node>();
  const seen = new Set<Node>();
  const visit = (node: Node): boolean | undefined => {
    if (isFunction(node)) {
      if (isInLiteral(module, node) && holdsJsx(node)) found.add(node);
      return false;
    }
    if (isJsx(node)) found.add(node);
    else if (node.type === "Identifier") follow(node);
    return isJsx(node) ? false : undefined;
  };
  const follow = (name: Node): void => {
    const source = bindingAt(module, name)?.source;
    const items = givenItem(module, name)?.init;
    if (items) walk(unwrap(items), visit);
    if (source?.type !== "VariableDeclarator" || source.id.type !== "Identifier" || !source.init) return;
    if (seen.has(source)) return;
    seen.add(source);
    walk(unwrap(source.init), visit);
  };
  walk(unwrap(expression), visit);
  return [...found];
}
