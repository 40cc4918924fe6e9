/** Recognises expressions that may show JSX which a component is given: its children, another prop, or a constant with JSX. */
import type { Module } from "../analyze/analyze.ts";
import { jsxOf } from "../analyze/jsx-values.ts";
import { bindingAt, propNamed } from "../analyze/prop-names.ts";
import { componentOf } from "../analyze/prop-reads.ts";
import { mayBeJsx } from "../analyze/prop-types.ts";
import { unwrap, type Node } from "../parse/ast.ts";
import { isChildren } from "./jsx-forms.ts";

/** `children`, `props.icon`, `header` of `const header = <h1/>`. */
export function isGivenJsx(module: Module, node: Node): boolean {
  if (isChildren(node, module.scopes)) return true;
  if (node.type !== "Identifier" && node.type !== "MemberExpression") return false;
  const fn = componentOf(module, node);
  const name = fn && propNamed(module, fn, node);
  if (fn && name !== undefined) return mayBeJsx(module, fn, name);
  return bindingAt(module, node)?.declared === "const" && jsxOf(module, node).length > 0;
}

/** The same in conditions: `open && props.icon`, `open ? children : "…"`. */
export function choosesJsx(module: Module, node: Node): boolean {
  const inner = unwrap(node);
  if (inner.type === "ConditionalExpression")
    return choosesJsx(module, inner.consequent) || choosesJsx(module, inner.alternate);
  return inner.type === "LogicalExpression" ? choosesJsx(module, inner.right) : isGivenJsx(module, inner);
}
