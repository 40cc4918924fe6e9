/** `<Slot>`: finds the props of the component around it, and children that name a slot. */
import type { ESTree } from "vite";
import { isComponentTag, isFunction, tagName, type FunctionNode, type Node } from "../parse/ast.ts";
import { fail, type Extraction } from "./extraction.ts";
import { svcName } from "../analyze/declaration-kinds.ts";

/** Name in `slot="…"` of a child of a component; "" without one. */
export function slotNameOf(extraction: Extraction, child: Node): string {
  if (child.type !== "JSXElement" || !isSlotted(extraction, child)) return "";
  for (const attribute of child.openingElement.attributes) {
    if (attribute.type !== "JSXAttribute" || attribute.name.name !== "slot") continue;
    if (attribute.value?.type === "Literal") return String(attribute.value.value);
  }
  return "";
}

/** Whether `slot` of an element names a slot of the component around it. Elsewhere it is HTML's attribute for shadow trees. */
function isSlotted({ module }: Extraction, element: Node): boolean {
  const parent = module.parentOf(element);
  if (parent?.type !== "JSXElement" || !isComponentTag(tagName(parent.openingElement.name))) return false;
  return svcName(parent.openingElement.name, module.scopes) !== "Dynamic";
}

/** Children grouped into runs with the same slot, in source order. */
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

/** The component whose JSX contains a `<Slot>`. @throws SvcError SVC109 if there is none with props as its only parameter */
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
    "<Slot> shows the children of a component, so it must be in the JSX of a component: a function with a capitalised name whose only parameter is its props.",
  );
}
