/** Finds constants that contain stores: `[store({ … }), store({ … })]`, `{ cart: store({ … }) }` and `ids.map((id) => store({ id }))`. */
import type { ESTree } from "vite";
import { isFunction, memberName, returnsOf, unwrap, type Node } from "../parse/ast.ts";
import type { Binding, Scopes } from "../parse/scopes.ts";
import { functionOf, initOf, svcName } from "./declaration-kinds.ts";
import { propertyOf } from "./lifted.ts";

/** Whether an array or object, or the array that a call makes, consists of stores. An object may have plain members too, but no functions. */
export function containsStores(value: Node, scopes: Scopes): boolean {
  const node = unwrap(value);
  if (node.type === "ArrayExpression")
    return node.elements.length > 0 && node.elements.every((item) => item !== null && isStore(item, scopes));
  if (node.type === "ObjectExpression") return objectContainsStores(node, scopes);
  return node.type === "CallExpression" && isMappedToStores(node, scopes);
}

/** Whether a constant of a component is an object with stores, whose other members may be anything. */
export function isObjectOfStores(binding: Binding, scopes: Scopes): boolean {
  const init = binding.declared === "const" && binding.owner ? initOf(binding) : undefined;
  return init?.type === "ObjectExpression" && objectContainsStores(init, scopes);
}

/** Whether a value is an array or object of the file, so that nothing hears its changes. */
export function isContainer(init: Node, scopes: Scopes): boolean {
  return init.type === "ObjectExpression" || init.type === "ArrayExpression" || containsStores(init, scopes);
}

/** As in mutations.ts. */
interface PlaceOfChange {
  path: readonly (string | undefined)[];
  depth: number;
}

/** Whether a change of such a constant is one of a store in it: `boxes[0].n++`. */
export function isInStore(init: Node, { path, depth }: PlaceOfChange, scopes: Scopes): boolean {
  if (depth === 0 || !containsStores(init, scopes)) return false;
  const member = init.type === "ObjectExpression" ? propertyOf(init, path[0]) : undefined;
  return init.type !== "ObjectExpression" || (member !== undefined && isStore(member, scopes));
}

function objectContainsStores({ properties }: ESTree.ObjectExpression, scopes: Scopes): boolean {
  let isAny = false;
  for (const item of properties) {
    if (item.type !== "Property" || item.kind !== "init" || isFunction(item.value)) return false;
    isAny ||= isStore(item.value, scopes);
  }
  return isAny;
}

function isStore(value: Node, scopes: Scopes): boolean {
  const node = unwrap(value);
  if (node.type === "CallExpression" && (svcName(node.callee, scopes) === "store" || makesStore(node, scopes)))
    return true;
  return containsStores(node, scopes);
}

/** A call of a function of the file that returns a store. */
function makesStore({ callee }: ESTree.CallExpression, scopes: Scopes): boolean {
  const binding = callee.type === "Identifier" ? scopes.within(callee)[0]?.binding : undefined;
  const maker = binding && functionOf(binding);
  const results = maker ? returnsOf(maker) : [];
  return results.length > 0 && results.every((result) => namesStore(result, scopes));
}

/** `store({ … })`, or the name of a constant with one. */
function namesStore(result: Node, scopes: Scopes): boolean {
  const node = unwrap(result);
  const binding = node.type === "Identifier" ? scopes.within(node)[0]?.binding : undefined;
  const made = (binding && initOf(binding)) ?? node;
  return made.type === "CallExpression" && svcName(made.callee, scopes) === "store";
}

/** `ids.map((id) => store({ id }))`, `Array.from({ length: 3 }, () => store({ n: 0 }))` */
function isMappedToStores({ callee, arguments: args }: ESTree.CallExpression, scopes: Scopes): boolean {
  const method = callee.type === "MemberExpression" ? memberName(callee) : undefined;
  const row = args.at(-1);
  if ((method !== "map" && method !== "from") || !row || !isFunction(row)) return false;
  const results = returnsOf(row);
  return results.length > 0 && results.every((result) => isStore(result, scopes));
}
