/** Finds the one prop that a name or a member of the props object stands for. */
import { memberName, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";
import type { Module } from "./analyze.ts";
import { initOf, isHookName, svcName } from "./declaration-kinds.ts";
import { isProps, isRestConstant, propReads, topProperty } from "./prop-reads.ts";

/** `text` for `props.text`, and for `text` of `({ text })` and of `const { text } = props`. */
export function propNamed(module: Module, fn: FunctionNode, node: Node): string | undefined {
  const inner = unwrap(node);
  const [param] = fn.params;
  if (inner.type === "MemberExpression")
    return inner.object.type === "Identifier" && isPropsObject(module, fn, inner.object)
      ? memberName(inner)
      : undefined;
  // `<props.as />`
  if (inner.type === "JSXMemberExpression")
    return inner.object.type === "JSXIdentifier" && isPropsObject(module, fn, inner.object)
      ? inner.property.name
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

/** Whether a name is the props object of a component, or the rest of its props, also of `const { text, ...rest } = props`. */
export function isPropsObject(module: Module, fn: FunctionNode, name: Node): boolean {
  const binding = bindingAt(module, name);
  const [param] = fn.params;
  if (!param || binding?.owner !== fn) return false;
  return isProps(fn, binding) || isRestConstant(module, fn, binding);
}

/** Whether a name is a constant that is made from props. */
export function isMadeOfProps(module: Module, name: Node): boolean {
  return bindingAt(module, name)?.declared === "const" && propReads(module, name) !== "";
}

export function bindingAt(module: Module, node: Node): Binding | undefined {
  return module.scopes.within(node).find((reference) => reference.node === node)?.binding;
}

/** The prop with a default value that a name takes out of the props: `empty` of `({ empty = "Nothing" }) => …`. */
export function propWithDefault(module: Module, fn: FunctionNode, name: Node): string | undefined {
  const binding = bindingAt(module, name);
  const pattern = binding && module.parentOf(binding.node);
  const property = pattern?.type === "AssignmentPattern" ? module.parentOf(pattern) : undefined;
  if (property?.type !== "Property" || property.computed || property.key.type !== "Identifier") return undefined;
  const object = module.parentOf(property);
  const place = object && module.parentOf(object);
  const isOfConstant = place?.type === "VariableDeclarator" && place.init && isPropsObject(module, fn, place.init);
  return object === fn.params[0] || isOfConstant === true ? property.key.name : undefined;
}

/** The property that a pattern gives this name, without a default and not from inside of it. */
export function namedBy(property: Node | undefined, { node }: Binding): string | undefined {
  if (property?.type !== "Property" || property.computed || property.key.type !== "Identifier") return undefined;
  return property.value === node ? property.key.name : undefined;
}

/** Whether the object of a spread may have handlers that its own code does not show: a name, a member of it, or a call of either. */
export function mayHoldHandlers(module: Module, object: Node): boolean {
  if (object.type === "CallExpression" && svcName(object.callee, module.scopes) !== undefined) return false;
  const root = rootOfObject(object);
  const binding = root && bindingAt(module, root);
  if (!binding) return false;
  if (binding.owner === null) return binding.declared === "import" || namesHandlers(module, binding);
  const init = binding.declared === "const" ? initOf(binding) : undefined;
  return !(init?.type === "ObjectExpression" && object === root);
}

/** `a` of `a`, `a.b` and `a.b(…)`. */
export function rootOfObject(object: Node): Node | undefined {
  if (object.type === "Identifier") return object;
  if (object.type === "CallExpression") return rootOfObject(unwrap(object.callee));
  if (object.type !== "MemberExpression" || memberName(object) === undefined) return undefined;
  return rootOfObject(unwrap(object.object));
}

/** The import that an object comes from: itself, or a function that is no hook and returns it. Hooks return functions that the browser can create. */
export function importBehind(module: Module, binding: Binding): Binding | undefined {
  if (binding.declared === "import") return binding;
  const init = binding.declared === "const" ? initOf(binding) : undefined;
  const callee = init?.type === "CallExpression" ? unwrap(init.callee) : undefined;
  const source = callee && bindingAt(module, callee);
  return source?.declared === "import" && !isHookName(source.name) ? source : undefined;
}

/** Whether the code of a name contains a name of a handler. Other objects and functions of a module may be for the server. */
function namesHandlers(module: Module, { source }: Binding): boolean {
  return HANDLER_NAME.test(module.file.text.slice(source.start, source.end));
}

/** A property that is a handler: `onClick: …`, `onClick() {…}`, `onClick }`. */
export const HANDLER_NAME = /\b(on[A-Z]\w*)\s*[:(,}]/;
