/** `<Slot>` and what it shows: the props of the component around it, and children that name a slot. */
import type { ESTree } from "vite";
import { isComponentTag, isFunction, tagName, type FunctionNode, type Node } from "../parse/ast.ts";
import { fail, type Extraction } from "./extraction.ts";
import { svcName } from "../analyze/declaration-kinds.ts";

/** Slot that a child of a component names by `slot="…"`; "" for none. */
export function slotNameOf(extraction: Extraction, child: Node): string {
  if (child.type !== "JSXElement" || !isSlotted(extraction, child)) return "";
  for (const attribute of child.openingElement.attributes) {
    if (attribute.type !== "JSXAttribute" || attribute.name.name !== "slot") continue;
    if (attribute.value?.type === "Literal") return String(attribute.value.value);
  }
  return "";
}

/** Whether `slot` of an element names a slot of the component around it; elsewhere it is HTML's, of a shadow tree. */
function isSlotted({ module }: Extraction, element: Node): boolean {
  const parent = module.parentOf(element);
  if (parent?.type !== "JSXElement" || !isComponentTag(tagName(parent.openingElement.name))) return false;
  return svcName(parent.openingElement.name, module.scopes) !== "Dynamic";
}

/** Children in runs of those that name the same slot, in their order. */
export function bySlot(extraction: Extraction, children: readonly Node[]): { name: string; children: Node[] }[] {
  const runs: { name: string; children: Node[] }[] = [];
  for (const child of children) {
    const name = slotNameOf(extraction, child);
    const last = runs.at(-1);
    if (last?.name === name) last.children.push(child);
    else runs.push({ name, children: [child] });
  }
  return runs;
}

/** The component in whose JSX a `<Slot>` stands. @throws SvcError SVC109 where there is none that takes its props alone */
export function componentAround(extraction: Extraction, node: ESTree.JSXElement): FunctionNode {
  const { module } = extraction;
  for (let at: Node | undefined = node; at; at = module.parentOf(at)) {
    if (!isFunction(at) || !module.components.has(at)) continue;
    if (at.params.length < 2) return at;
    break;
  }
  throw fail(
    extraction,
    "SVC109",
    node,
    "<Slot> shows what stands between the tags of a component, so it stands in the JSX of one: a function with a capital that takes its props and nothing else.",
  );
}
