/** Finds constants of a component that only choose a value of a module: `const format = formatters[props.kind]`, `const { money } = formatters`. */
import type { Binding } from "../parse/scopes.ts";
import { unwrap, type Node } from "../parse/ast.ts";
import type { Module } from "./analyze.ts";
import { bindingAt } from "./prop-names.ts";

/** Whether the browser can choose the value too, because it is in an import or a constant of the module. */
export function namesModuleValue(module: Module, { declared, source }: Binding): boolean {
  if (declared !== "const" || source.type !== "VariableDeclarator" || !source.init) return false;
  const isPattern = source.id.type === "ObjectPattern";
  return isOfModule(module, source.init, isPattern);
}

/** @param isTaken whether a pattern takes a part of the value, so that it may be a name alone */
function isOfModule(module: Module, node: Node, isTaken: boolean): boolean {
  const inner = unwrap(node);
  if (inner.type === "ConditionalExpression")
    return isOfModule(module, inner.consequent, true) && isOfModule(module, inner.alternate, true);
  if (inner.type === "LogicalExpression")
    return isOfModule(module, inner.left, true) && isOfModule(module, inner.right, true);
  if (inner.type === "ChainExpression") return isOfModule(module, inner.expression, isTaken);
  if (inner.type === "MemberExpression") return isOfModule(module, inner.object, true);
  const binding = isTaken && inner.type === "Identifier" ? bindingAt(module, inner) : undefined;
  return binding !== undefined && binding.owner === null;
}
