/**
 * Finds the values that a row takes: its index, names in the pattern of its item, and spreads of the item. Scopes in a row of the server
 * capture the first values, and no code can make them again from the item. So the browser makes the row anew when one changes.
 */
import type { Module } from "../analyze/analyze.ts";
import { namedMembers } from "../analyze/mutations.ts";
import { isFunction, memberName, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";

/** A value that a row takes. */
export interface TakenRead {
  node: Node;
  /** Name of the row that it starts at. */
  binding: Binding;
  /** Code behind the name: `?.user?.name`. */
  path: string;
  /** Whether its fields count, which the row may show. */
  isWhole: boolean;
  /** Whether it is spread into props, which then are a copy. */
  isSpread?: true;
}

/** Code of a read. @param name code of the name at its start */
export function readCode({ path, isWhole }: TakenRead, name: string): string {
  return isWhole ? `{ ...${name}${path} }` : name + path;
}

export function takenReads(module: Module, row: FunctionNode): TakenRead[] {
  return module.scopes.within(row).flatMap(({ binding, node }): TakenRead[] => {
    if (binding?.owner !== row || binding.declared !== "param" || binding.node === node) return [];
    const isItem = binding.node === row.params[0];
    if (isInFunction(module, node, row)) return isItem ? [] : [{ node, binding, path: "", isWhole: false }];
    const members = namedMembers(module, node);
    const last = members.at(-1);
    const user = last && module.parentOf(last);
    // A method is read from the object before it.
    if (last && user?.type === "CallExpression" && user.callee === last) members.pop();
    const end = module.parentOf(members.at(-1) ?? node);
    const isSpread = end?.type === "JSXSpreadAttribute";
    const path = members.map((member) => `?.${memberName(member) ?? ""}`).join("");
    if (isSpread) return [{ node, binding, path, isWhole: true, isSpread }];
    return isItem ? [] : [{ node, binding, path, isWhole: true }];
  });
}

/** Whether code of a row is in a handler or another function, which captures the value but shows none of its fields. */
function isInFunction(module: Module, node: Node, row: FunctionNode): boolean {
  for (let at = module.parentOf(node); at && at !== row; at = module.parentOf(at)) if (isFunction(at)) return true;
  return false;
}
