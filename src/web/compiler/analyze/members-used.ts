/** Finds the members that a component uses of the result of a hook or the value of a context. Browser code that captures it gets only these. */
import type { Module } from "./analyze.ts";
import { memberName, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding, Reference } from "../parse/scopes.ts";

/** Names of the members, separated by spaces; undefined if the component uses the value as a whole, or sets a member of it. */
export function membersUsed(module: Module, fn: FunctionNode, binding: Binding): string | undefined {
  const names = new Set<string>();
  for (const reference of module.scopes.within(fn)) {
    if (reference.binding !== binding || reference.node === binding.node) continue;
    const used = namesIn(module, reference);
    if (!used) return undefined;
    for (const name of used) names.add(name);
  }
  return [...names].sort().join(" ");
}

/** `set` for `form.set("x")`, and the names in `const { set, values } = form`. */
function namesIn(module: Module, { node, parent }: Reference): string[] | undefined {
  if (parent.type === "VariableDeclarator" && parent.init === node) return namesOfPattern(parent.id);
  if (parent.type !== "MemberExpression" || parent.object !== node || isChanged(parent, module.parentOf(parent)))
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
