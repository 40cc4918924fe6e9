/** Tells which members of a captured value browser code reads. It gets only these. */
import type { Module } from "./analyze.ts";
import { memberName, type Node } from "../parse/ast.ts";

/**
 * `["email"]` for `user` in `user.email`, and the names in `const { set, values } = form`.
 * @returns undefined for a value that is used as a whole, or whose member is set
 */
export function membersRead(module: Module, node: Node): string[] | undefined {
  const parent = module.parentOf(node);
  if (parent?.type === "VariableDeclarator" && parent.init === node) return namesOfPattern(parent.id);
  if (parent?.type !== "MemberExpression" || parent.object !== node || isChanged(parent, module.parentOf(parent)))
    return undefined;
  const name = memberName(parent);
  return name === undefined ? undefined : [name];
}

function namesOfPattern(pattern: Node): string[] | undefined {
  if (pattern.type !== "ObjectPattern") return undefined;
  const names: string[] = [];
  for (const item of pattern.properties) {
    if (item.type !== "Property" || item.computed || item.key.type !== "Identifier") return undefined;
    names.push(item.key.name);
  }
  return names;
}

function isChanged(member: Node, parent: Node | undefined): boolean {
  if (parent?.type === "AssignmentExpression") return parent.left === member;
  return parent?.type === "UpdateExpression" || (parent?.type === "UnaryExpression" && parent.operator === "delete");
}
