/**
 * Comparisons with a signal in a row, such as `selected.value === row.id`: the part `select` keeps them, so that a change
 * asks the rows that it is about and not all of them.
 */
import type { ESTree } from "vite";
import { memberName, type Node } from "../parse/ast.ts";

export interface Selection {
  comparison: ESTree.BinaryExpression;
  /** Which side the signal stands on. */
  isLeft: boolean;
}

/** The comparison whose one side is `.value` of `target`. */
export function selectionOf(target: Node, parentOf: (node: Node) => Node | undefined): Selection | undefined {
  const member = parentOf(target);
  if (member?.type !== "MemberExpression" || member.object !== target || member.optional) return undefined;
  if (memberName(member) !== "value") return undefined;
  const comparison = parentOf(member);
  if (comparison?.type !== "BinaryExpression") return undefined;
  if (comparison.operator !== "===" && comparison.operator !== "!==") return undefined;
  return { comparison, isLeft: comparison.left === member };
}
