/** Decides which resources the browser must know: it depends on their sources and on the `<Await>`s that show them. */
import type { ESTree } from "vite";
import { isFunction, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import { attributeExpression, onlyChild } from "../extract/jsx-forms.ts";
import { initOf, svcName } from "./declaration-kinds.ts";
import type { Binding, Scopes } from "../parse/scopes.ts";

/** The part of the analysis that is available before liveness. */
interface Questions {
  scopes: Scopes;
  liveness(node: Node): "static" | "maybe" | "live";
  parentOf(node: Node): Node | undefined;
}

/** Children function of an `<Await>` -> its `value`. */
export function awaitedValues(program: ESTree.Program, scopes: Scopes): ReadonlyMap<FunctionNode, Node> {
  const found = new Map<FunctionNode, Node>();
  walk(program, (node) => {
    if (node.type !== "JSXElement" || svcName(node.openingElement.name, scopes) !== "Await") return undefined;
    const value = attributeExpression(node, "value");
    const child = onlyChild(node);
    if (value && child && isFunction(child)) found.set(child, unwrap(value));
    return undefined;
  });
  return found;
}

/**
 * Whether the browser may fetch a resource again: its source reads a value that may change, or the resource is used outside of the
 * `<Await>`s of this file. Otherwise the browser needs no code for it.
 */
export function mayFetchAgain(module: Questions, binding: Binding): boolean {
  const call = initOf(binding);
  const source = call?.type === "CallExpression" ? call.arguments[0] : undefined;
  if (!source || !isFunction(source) || module.liveness(source) !== "static") return true;
  return module.scopes.references.some(
    (reference) => reference.binding === binding && !isAwaited(module, reference.node),
  );
}

function isAwaited(module: Questions, node: Node): boolean {
  const container = module.parentOf(node);
  const attribute = container && module.parentOf(container);
  const element = attribute && module.parentOf(attribute);
  if (container?.type !== "JSXExpressionContainer" || attribute?.type !== "JSXAttribute") return false;
  return (
    attribute.name.name === "value" &&
    element?.type === "JSXOpeningElement" &&
    svcName(element.name, module.scopes) === "Await"
  );
}
