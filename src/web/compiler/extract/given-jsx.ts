/** Recognises expressions that may show JSX which a component is given: its children, another prop, or a constant with JSX. */
import type { ESTree } from "vite";
import type { Module } from "../analyze/analyze.ts";
import { jsxOf } from "../analyze/jsx-values.ts";
import { functionsAt, madeBy, originOf, valuesAt, type Step } from "../analyze/jsx-members.ts";
import { propNamed, propWithDefault } from "../analyze/prop-names.ts";
import { componentOf } from "../analyze/prop-reads.ts";
import { isJsxProp, mayBeJsx, mayBeJsxAt, mayReturnJsx, mayReturnJsxAt } from "../analyze/prop-types.ts";
import { holdsJsx, isFunction, returnsOf, unwrap, type Node } from "../parse/ast.ts";
import { isChildren } from "./jsx-forms.ts";

/**
 * `children`, `props.icon`, `header` of `const header = <h1/>`, `views[tab.value]` of `const views = { a: <A/> }`, `props.render(item)`,
 * `props.items.map(props.render)`, and what local functions and computeds make of these.
 */
export function isGivenJsx(module: Module, node: Node): boolean {
  if (isChildren(node, module.scopes)) return true;
  if (node.type === "ChainExpression") return isGivenJsx(module, node.expression);
  if (madeBy(module, node).some((made) => choosesJsx(module, made))) return true;
  if (node.type === "CallExpression") return rendersGiven(module, node);
  if (node.type !== "Identifier" && node.type !== "MemberExpression") return false;
  const fn = componentOf(module, node);
  const name = fn && propNamed(module, fn, node);
  if (fn && name !== undefined) return mayBeJsx(module, fn, name);
  const optional = fn && propWithDefault(module, fn, node);
  if (fn && optional !== undefined) return isJsxProp(module, fn, optional);
  const origin = originOf(module, node);
  if (!origin?.prop) return origin?.init !== undefined && holdsView(module, origin.init, origin.path);
  return mayBeJsxAt(module, { ...origin, ...origin.prop });
}

/** Whether an expression is a prop whose type is that of JSX. */
function isTypedJsx(module: Module, node: Node): boolean {
  const fn = componentOf(module, node);
  const name = fn && propNamed(module, fn, node);
  return fn !== undefined && name !== undefined && isJsxProp(module, fn, name);
}

/** Whether a constant contains JSX at the end of a path, also by the names of other constants. */
function holdsView(module: Module, init: Node, path: readonly Step[]): boolean {
  return valuesAt(init, path).some((value) => jsxOf(module, value).length > 0);
}

/** Whether a call calls a render prop, or passes one to a method of a list. */
function rendersGiven(module: Module, { callee, arguments: given }: ESTree.CallExpression): boolean {
  if (isRenderProp(module, callee) || functionsAt(module, callee).some((fn) => holdsJsx(fn))) return true;
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
  if (fn && name !== undefined) return mayReturnJsx(module, fn, name);
  const isNamed = inner.type === "MemberExpression" || inner.type === "Identifier";
  const origin = isNamed ? originOf(module, inner) : undefined;
  return origin?.prop !== undefined && mayReturnJsxAt(module, { ...origin, ...origin.prop });
}

/** The same in conditions: `open && props.icon`, `open ? children : "…"`. */
export function choosesJsx(module: Module, node: Node): boolean {
  const inner = unwrap(node);
  if (inner.type === "ConditionalExpression")
    return choosesJsx(module, inner.consequent) || choosesJsx(module, inner.alternate);
  if (inner.type !== "LogicalExpression") return isGivenJsx(module, inner);
  // `props.empty ?? "Nothing"` is mostly a text, so the type of the prop decides.
  return choosesJsx(module, inner.right) || (inner.operator !== "&&" && isTypedJsx(module, unwrap(inner.left)));
}
