/** Finds the one prop that a name or a member of the props object stands for. */
import { memberName, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";
import type { Module } from "./analyze.ts";
import { initOf } from "./declaration-kinds.ts";
import { propReads, topProperty } from "./prop-reads.ts";

/** `text` for `props.text`, and for `text` of `({ text })` and of `const { text } = props`. */
export function propNamed(module: Module, fn: FunctionNode, node: Node): string | undefined {
  const inner = unwrap(node);
  const [param] = fn.params;
  if (inner.type === "MemberExpression")
    return inner.object.type === "Identifier" && isPropsObject(module, fn, inner.object)
      ? memberName(inner)
      : undefined;
  const binding = bindingAt(module, inner);
  if (!binding || !param) return undefined;
  if (binding.declared === "param") return namedBy(topProperty(param, binding), binding);
  const { source } = binding;
  if (source.type !== "VariableDeclarator" || !source.init) return undefined;
  const init = unwrap(source.init);
  if (source.id.type === "Identifier")
    return init.type === "MemberExpression" ? propNamed(module, fn, init) : undefined;
  if (init.type !== "Identifier" || !isPropsObject(module, fn, init)) return undefined;
  return namedBy(topProperty(source.id, binding), binding);
}

/** Whether a name is the props object of a component, or the rest of its props. */
export function isPropsObject(module: Module, fn: FunctionNode, name: Node): boolean {
  const binding = bindingAt(module, name);
  const [param] = fn.params;
  if (!param || binding?.declared !== "param" || binding.owner !== fn) return false;
  return binding.node === param || topProperty(param, binding)?.type === "RestElement";
}

/** Whether a name is a constant that is made from props. */
export function isMadeOfProps(module: Module, name: Node): boolean {
  return bindingAt(module, name)?.declared === "const" && propReads(module, name) !== "";
}

export function bindingAt(module: Module, node: Node): Binding | undefined {
  return module.scopes.within(node).find((reference) => reference.node === node)?.binding;
}

/** The property that a pattern gives this name, without a default and not from inside of it. */
export function namedBy(property: Node | undefined, { node }: Binding): string | undefined {
  if (property?.type !== "Property" || property.computed || property.key.type !== "Identifier") return undefined;
  return property.value === node ? property.key.name : undefined;
}

/** Whether the object of a spread may have handlers that its own code does not show. Reading it again has no effect. */
export function mayHoldHandlers(module: Module, object: Node): boolean {
  if (object.type === "MemberExpression")
    return memberName(object) !== undefined && mayHoldHandlers(module, unwrap(object.object));
  const binding = bindingAt(module, object);
  const init = binding?.declared === "const" ? initOf(binding) : undefined;
  const isLiteral = init?.type === "ObjectExpression" && module.parentOf(object)?.type === "JSXSpreadAttribute";
  return binding !== undefined && binding.owner !== null && !isLiteral;
}
