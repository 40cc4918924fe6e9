/** Recognises expressions that may show JSX which a component is given: its children, another prop, or a constant with JSX. */
import type { ESTree } from "vite";
import type { Module } from "../analyze/analyze.ts";
import { jsxOf } from "../analyze/jsx-values.ts";
import { bindingAt, propNamed } from "../analyze/prop-names.ts";
import { componentOf } from "../analyze/prop-reads.ts";
import { mayBeJsx, mayReturnJsx } from "../analyze/prop-types.ts";
import { isFunction, returnsOf, unwrap, type Node } from "../parse/ast.ts";
import { isChildren } from "./jsx-forms.ts";

/** `children`, `props.icon`, `header` of `const header = <h1/>`, `props.render(item)`, `props.items.map(props.render)`. */
export function isGivenJsx(module: Module, node: Node): boolean {
  if (isChildren(node, module.scopes)) return true;
  if (node.type === "ChainExpression") return isGivenJsx(module, node.expression);
  if (node.type === "CallExpression") return rendersGiven(module, node);
  if (node.type !== "Identifier" && node.type !== "MemberExpression") return false;
  const fn = componentOf(module, node);
  const name = fn && propNamed(module, fn, node);
  if (fn && name !== undefined) return mayBeJsx(module, fn, name);
  return bindingAt(module, node)?.declared === "const" && jsxOf(module, node).length > 0;
}

/** Whether a call calls a render prop, or passes one to a method of a list. */
function rendersGiven(module: Module, { callee, arguments: given }: ESTree.CallExpression): boolean {
  if (isRenderProp(module, callee)) return true;
  if (callee.type !== "MemberExpression") return false;
  return given.some(
    (item) =>
      isRenderProp(module, item) || (isFunction(item) && returnsOf(item).some((value) => choosesJsx(module, value))),
  );
}

function isRenderProp(module: Module, node: Node): boolean {
  const inner = unwrap(node);
  if (isChildren(inner, module.scopes)) return true;
  const fn = componentOf(module, inner);
  const name = fn && propNamed(module, fn, inner);
  return fn !== undefined && name !== undefined && mayReturnJsx(module, fn, name);
}

/** The same in conditions: `open && props.icon`, `open ? children : "…"`. */
export function choosesJsx(module: Module, node: Node): boolean {
  const inner = unwrap(node);
  if (inner.type === "ConditionalExpression")
    return choosesJsx(module, inner.consequent) || choosesJsx(module, inner.alternate);
  return inner.type === "LogicalExpression" ? choosesJsx(module, inner.right) : isGivenJsx(module, inner);
}
