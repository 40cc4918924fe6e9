/**
 * Finds comparisons with a signal in a row, such as `selected.value === row.id`. The part `select` indexes them, so a change updates only
 * the affected rows.
 */
import type { ESTree } from "vite";
import { memberName, type Node } from "../parse/ast.ts";

export interface Selection {
  comparison: ESTree.BinaryExpression;
  /** Whether the signal is on the left side. */
  isLeft: boolean;
}

/** The comparison with `.value` of `target` on one side. */
export function selectionOf(target: Node, parentOf: (node: Node) => Node | undefined): Selection | undefined {
  const member = parentOf(target);
  if (member?.type !== "MemberExpression" || member.object !== target || member.optional) return undefined;
  if (memberName(member) !== "value") return undefined;
  const comparison = parentOf(member);
  if (comparison?.type !== "BinaryExpression") return undefined;
  if (comparison.operator !== "===" && comparison.operator !== "!==") return undefined;
  return { comparison, isLeft: comparison.left === member };
}
