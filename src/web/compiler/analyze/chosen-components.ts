/** Finds components that values choose: `<props.as />`, `const Icon = ICONS[props.kind]`, the item of a row, and `<Dynamic>`. */
import type { ESTree } from "vite";
import { isFunction, tagName, unwrap, type Node } from "../parse/ast.ts";
import type { Module } from "./analyze.ts";
import { functionOf, svcName } from "./declaration-kinds.ts";
import { bindingAt } from "./prop-names.ts";
import { propReads } from "./prop-reads.ts";

/** The name behind a tag, if it is one of a component's values or of a row's. */
export function chosenName(module: Module, { name }: ESTree.JSXOpeningElement): Node | undefined {
  let root: Node = name;
  while (root.type === "JSXMemberExpression") root = root.object;
  const binding = bindingAt(module, root);
  const isValue = binding?.owner !== undefined && binding.owner !== null && !functionOf(binding);
  return isValue && !tagName(name).endsWith(".Provider") ? root : undefined;
}

/** Whether the component behind such a name may change in the browser: it depends on props, or belongs to a row. */
export function mayChange(module: Module, name: Node): boolean {
  const owner = bindingAt(module, name)?.owner;
  return (owner != null && !module.components.has(owner)) || propReads(module, name) !== "";
}

/** What decides which component or element is shown and depends on props: the name of a tag, and attributes of a `<Dynamic>`. */
export function choiceByProps(module: Module, { openingElement }: ESTree.JSXElement): readonly Node[] {
  const name = chosenName(module, openingElement);
  const isDynamic = svcName(openingElement.name, module.scopes) === "Dynamic";
  const decides = name ? [name] : isDynamic ? openingElement.attributes.flatMap(valueOf) : [];
  return decides.filter((node) => propReads(module, node) !== "");
}

/** Whether props choose which component or element a node is. */
export function isChosenByProps(module: Module, node: Node): boolean {
  return node.type === "JSXElement" && choiceByProps(module, node).length > 0;
}

function valueOf(attribute: ESTree.JSXAttributeItem): Node[] {
  if (attribute.type === "JSXSpreadAttribute") return [attribute.argument];
  const value = attribute.value?.type === "JSXExpressionContainer" ? attribute.value.expression : undefined;
  return value && !isFunction(unwrap(value)) ? [value] : [];
}
