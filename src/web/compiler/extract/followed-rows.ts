/**
 * Finds lists among what the server writes once, so that an instance with live props keeps their rows: the browser creates, moves and removes
 * rows by their keys, and each row from the server follows its item by the bindings of its own scope.
 */
import type { Module } from "../analyze/analyze.ts";
import { svcName } from "../analyze/declaration-kinds.ts";
import type { List } from "../model.ts";
import { isFunction, unwrap, type Node } from "../parse/ast.ts";
import { attributeExpression, mappedRows, onlyChild } from "./jsx-forms.ts";

/** `<For each={list}>{(item) => …}</For>` or `list.map((item) => …)` as a list whose rows are ranges; undefined for other content. */
export function followedRows(module: Module, content: Node): List | undefined {
  const node = unwrap(content);
  const rest = {
    kind: "list",
    node,
    virtual: undefined,
    element: undefined,
    level: 0,
    isSole: false,
    key: undefined,
  } as const;
  const rows = mappedRows(node);
  if (rows) return { ...rest, ...rows, each: rows.list, by: undefined };
  if (node.type !== "JSXElement" || svcName(node.openingElement.name, module.scopes) !== "For") return undefined;
  const each = attributeExpression(node, "each");
  const row = onlyChild(node);
  if (!each || !row || !isFunction(row)) return undefined;
  const by = attributeExpression(node, "by");
  return { ...rest, each, row, by, before: "", behind: "", isByIndex: false };
}
