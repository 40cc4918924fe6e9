/** Rejects keys that are not unique by their syntax (SVC114). Rendering finds duplicate keys in the data (SVC202). */
import type { ESTree } from "vite";
import type { Module } from "./analyze.ts";
import { isFunction, isJsx, returnsOf, tagName, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import { diagnostic } from "../diagnostics.ts";
import { attributeExpression, attributeText, onlyChild } from "../extract/jsx-forms.ts";
import { svcName } from "./declaration-kinds.ts";

/** Reports SVC114 for a key that is equal in all rows or in two siblings */
export function refuseDoubleKeys(module: Module): void {
  walk(module.program, (node) => {
    if (node.type === "CallExpression") checkMap(module, node);
    if (node.type === "JSXElement" && svcName(node.openingElement.name, module.scopes) === "For")
      checkFor(module, node);
    if (isJsx(node)) checkSiblings(module, node.children);
    if (node.type === "ArrayExpression") checkSiblings(module, node.elements);
  });
}

function checkMap(module: Module, { callee, arguments: [row] }: ESTree.CallExpression): void {
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier" || callee.property.name !== "map")
    return;
  if (row && isFunction(row)) for (const root of returnsOf(row)) checkRow(module, row, unwrap(root));
}

function checkFor(module: Module, node: ESTree.JSXElement): void {
  const by = attributeExpression(node, "by");
  if (by && isFunction(by) && returnsOf(by).length > 0 && !readsParam(module, by, by)) refuseSame(module, by);
  const row = onlyChild(node);
  if (row && isFunction(row)) for (const root of returnsOf(row)) checkRow(module, row, unwrap(root));
}

function checkRow(module: Module, row: FunctionNode, root: Node): void {
  if (root.type !== "JSXElement") return;
  const text = attributeText(root, "key");
  const key = attributeExpression(root, "key");
  if (text !== undefined) refuseSame(module, keyOf(root) ?? root);
  if (key && !readsParam(module, row, key) && !callsSomething(key)) refuseSame(module, key);
}

function refuseSame(module: Module, node: Node): void {
  const error = diagnostic(
    module.file,
    "SVC114",
    node,
    "This key is the same in each row, so it does not identify the row. Use the item: key={item.id}; without a key the item itself is used.",
  );
  module.problems.add(error);
}

function readsParam(module: Module, fn: FunctionNode, within: Node): boolean {
  return module.scopes.within(within).some(({ binding }) => binding?.owner === fn);
}

/** `key={nextId()}` returns another value for each row. */
function callsSomething(key: Node): boolean {
  let calls = false;
  walk(key, (node) => {
    calls ||= node.type === "CallExpression";
  });
  return calls;
}

function checkSiblings(module: Module, nodes: readonly (Node | null)[]): void {
  const keys = new Map<string, Node>();
  for (const node of nodes) {
    if (node?.type !== "JSXElement") continue;
    const text = attributeText(node, "key");
    if (text === undefined) continue;
    if (keys.has(text)) {
      const error = diagnostic(
        module.file,
        "SVC114",
        keyOf(node) ?? node,
        `Another <${tagName(node.openingElement.name)}> beside it has the key "${text}" too. Give each a unique key. Outside of lists no key is needed.`,
      );
      module.problems.add(error);
    }
    keys.set(text, node);
  }
}

function keyOf(node: ESTree.JSXElement): Node | undefined {
  return node.openingElement.attributes.find((item) => item.type === "JSXAttribute" && item.name.name === "key");
}
