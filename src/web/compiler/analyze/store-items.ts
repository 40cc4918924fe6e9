/**
 * Finds stores and the items of their lists among the names of an expression. An item stays the same object while its fields change, so a
 * component that gets one, or a field of one, as a prop has to follow it.
 */
import { isInside, readsGivenState, type Module } from "./analyze.ts";
import { initOf, svcName } from "./declaration-kinds.ts";
import { containsStores } from "./store-containers.ts";
import { attributeExpression, mappedRows, onlyChild } from "../extract/jsx-forms.ts";
import { memberName, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";

/** Whether an expression is the name of a store, or of an item of its list, so that its value is never another object. */
export function isNamedStore(module: Module, expression: Node): boolean {
  const inner = unwrap(expression);
  return inner.type === "Identifier" && readsStore(module, inner);
}

/** Whether an expression reads a store or an item of its list. */
export function readsStore(module: Module, expression: Node): boolean {
  return module.scopes.within(expression).some(({ binding }) => binding?.owner && isOfStore(module, binding));
}

function isOfStore(module: Module, binding: Binding): boolean {
  if (module.kind(binding) === "store" || isSignalOfStores(module, binding)) return true;
  const list = itemList(module, binding);
  return list !== undefined && isMadeOfStore(module, list);
}

/** `signal([store({ … })])`: its rows are stores. */
function isSignalOfStores(module: Module, binding: Binding): boolean {
  const init = module.kind(binding) === "signal" ? initOf(binding) : undefined;
  const first = init?.type === "CallExpression" ? init.arguments[0] : undefined;
  return first !== undefined && containsStores(first, module.scopes);
}

/** Whether a list has items of a store: it reads one, or a computed that does. */
function isMadeOfStore(module: Module, list: Node): boolean {
  return madeFrom(module, list).some((code) => readsStore(module, code));
}

/** Whether a list may have items of a store that the file does not show: it comes from a hook, a context or a prop, also by computeds. */
export function mayListStores(module: Module, list: Node): boolean {
  return madeFrom(module, list).some((code) => readsGivenState(module, code));
}

/** A list, and the initializers of the computeds that it names, directly or through others. */
function madeFrom(module: Module, list: Node): Node[] {
  const found = new Set([list]);
  for (const code of found)
    for (const { binding } of module.scopes.within(code)) {
      const init = binding && module.kind(binding) === "computed" ? initOf(binding) : undefined;
      if (init) found.add(init);
    }
  return [...found];
}

/**
 * A name in an expression that a row takes out of the item of a store's list: `n` of `({ n }) => …`, or `entry` of `Object.entries(users)`.
 * No code can make it again, because the store does not contain it.
 */
export function takenFromItem(module: Module, expression: Node): Node | undefined {
  return module.scopes.within(expression).find(({ binding }) => {
    const row = binding?.declared === "param" ? binding.owner : undefined;
    const list = row && listOfRow(module, row);
    const item = row?.params[0];
    if (!binding || !list || !item || !isInside(binding.node, item) || isInside(row, expression)) return false;
    return (item !== binding.node || makesEntries(list)) && isMadeOfStore(module, list);
  })?.node;
}

function makesEntries(list: Node): boolean {
  let found = false;
  walk(list, (node) => {
    const callee = node.type === "CallExpression" ? unwrap(node.callee) : undefined;
    found ||= callee?.type === "MemberExpression" && memberName(callee) === "entries";
  });
  return found;
}

/** The list whose item a parameter is: of the row in `<For each={list}>` or `list.map(row)`. */
export function itemList(module: Module, { declared, owner, node }: Binding): Node | undefined {
  if (declared !== "param" || !owner || owner.params[0] !== node) return undefined;
  return listOfRow(module, owner);
}

/** The list whose items a row shows. */
export function listOfRow(module: Module, row: FunctionNode): Node | undefined {
  const parent = module.parentOf(row);
  if (parent?.type === "CallExpression") {
    const rows = mappedRows(parent);
    return rows?.row === row ? rows.list : undefined;
  }
  const element = parent?.type === "JSXExpressionContainer" ? module.parentOf(parent) : undefined;
  if (element?.type !== "JSXElement" || svcName(element.openingElement.name, module.scopes) !== "For") return undefined;
  return onlyChild(element) === row ? attributeExpression(element, "each") : undefined;
}
