/** Finds the handlers in an object that a call of a component spreads: `<Button {...handlers} />`, `{...table.save}`. */
import type { ESTree } from "vite";
import type { Module } from "../analyze/analyze.ts";
import { originOf, valuesAt } from "../analyze/jsx-members.ts";
import { isMethod } from "../analyze/jsx-values.ts";
import { bindingAt, rootOfObject } from "../analyze/prop-names.ts";
import { isFunctionProp } from "../extract/handlers.ts";
import { unwrap, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";
import { headOf } from "./emit-lifted.ts";

/** A function that a constant contains under the name of a handler. */
export interface SpreadHandler {
  name: string;
  node: Node;
  /** Keywords that a method lacks. */
  head: string;
}

/** Handlers of the literal that the object is; none for other objects, such as props. */
export function handlersOf(module: Module, object: Node): SpreadHandler[] {
  return literalOf(module, object)?.properties.flatMap((property) => handlerOf(module, property) ?? []) ?? [];
}

/** Whether handlers are all that a spread object has of values that change. */
export function changesHandlersOnly(module: Module, object: Node): boolean {
  const { properties } = literalOf(module, object) ?? {};
  return (
    properties?.every(
      (property) =>
        handlerOf(module, property) !== undefined ||
        (property.type === "Property" && module.liveness(property.value) === "static"),
    ) === true
  );
}

function literalOf(module: Module, object: Node): ESTree.ObjectExpression | undefined {
  const origin = originOf(module, object);
  const values = origin?.init ? valuesAt(origin.init, origin.path) : [unwrap(object)];
  const [literal] = values;
  return values.length === 1 && literal?.type === "ObjectExpression" ? literal : undefined;
}

function handlerOf(module: Module, property: ESTree.ObjectPropertyKind): SpreadHandler | undefined {
  if (property.type !== "Property" || property.computed || property.key.type !== "Identifier") return undefined;
  const { key, value } = property;
  if (!isFunctionProp(key.name) || property.kind !== "init") return undefined;
  return { name: key.name, node: value, head: isMethod(module, value) ? headOf({ node: value }) : "" };
}

/** The import that a spread object is, or is a member of. */
export function importOfObject(module: Module, object: Node): { binding: Binding; node: Node } | undefined {
  const node = object.type === "CallExpression" ? undefined : rootOfObject(object);
  const binding = node && bindingAt(module, node);
  return node && binding?.declared === "import" ? { binding, node } : undefined;
}
