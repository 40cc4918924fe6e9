/** Tells what a component that gets a constant by its name follows: a store in it, or functions in it that read state. */
import { unwrap, type Node } from "../parse/ast.ts";
import type { Module } from "./analyze.ts";
import { initOf } from "./declaration-kinds.ts";
import { isBind } from "./lifted.ts";
import { bindingAt } from "./prop-names.ts";
import { returnsFunction } from "./returned-functions.ts";
import { isObjectOfStores } from "./store-containers.ts";
import { readsStore } from "./store-items.ts";

/**
 * What may change behind a name: an object that the browser creates again, `const api = { label: () => n.value }`, or what an `<Await>` shows of a
 * resource. Undefined for other names, whose values are passed on as they are.
 */
export function changingBehind(module: Module, name: Node): Node | undefined {
  const binding = bindingAt(module, name);
  if (binding && module.kind(binding) === "awaited") return name;
  const init = liftedInit(module, name);
  return init?.type === "ObjectExpression" ? init : undefined;
}

/**
 * Whether a name is a constant list with functions that read state: `ids.map((id) => ({ id, label: () => n.value }))`. A list that the browser
 * makes again would have other items than the one from the server, so its rows would be others.
 */
export function isListOfFunctions(module: Module, name: Node): boolean {
  const init = liftedInit(module, name);
  if (!init || (init.type !== "ArrayExpression" && (init.type !== "CallExpression" || isBind(init)))) return false;
  return module.liveness(init) === "live" && !returnsFunction(module, init);
}

/** Whether a name is a constant of the component with a store in its literal: `const form = { values, label: "Name" }`. */
export function isLiteralWithStore(module: Module, name: Node): boolean {
  const binding = name.type === "Identifier" ? bindingAt(module, name) : undefined;
  const init = binding?.declared === "const" && binding.owner ? initOf(binding) : undefined;
  if (!binding || init?.type !== "ObjectExpression") return false;
  return readsStore(module, init) || isObjectOfStores(binding, module.scopes);
}

/** Whether a name is that of a resource, which an `<Await>` of another component may show. */
export function isResource(module: Module, name: Node): boolean {
  const binding = name.type === "Identifier" ? bindingAt(module, name) : undefined;
  return binding !== undefined && module.kind(binding) === "resource";
}

function liftedInit(module: Module, name: Node): Node | undefined {
  const inner = unwrap(name);
  const binding = inner.type === "Identifier" ? bindingAt(module, inner) : undefined;
  return binding?.owner && module.kind(binding) === "lifted" ? initOf(binding) : undefined;
}
