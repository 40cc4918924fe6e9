/** Finds members that a statement of the module gives to a component: `Card.Title = Title`, `Menu.Item = function MenuItem(props) {…}`. */
import type { Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";
import type { Module } from "./analyze.ts";
import { bindingAt } from "./prop-names.ts";

/** `Card` in `Card.Title = Title`. */
export function memberOwner(module: Module, node: Node): Binding | undefined {
  if (node.type !== "AssignmentExpression" || node.left.type !== "MemberExpression") return undefined;
  const binding = bindingAt(module, node.left.object);
  return binding?.owner === null && binding.declared !== "import" ? binding : undefined;
}

/** The values of the members that statements of the module assign to a name. */
export function assignedMembers(module: Module, owner: Binding): Node[] {
  return module.program.body.flatMap((statement) => {
    const assignment = statement.type === "ExpressionStatement" ? statement.expression : undefined;
    if (assignment?.type !== "AssignmentExpression" || memberOwner(module, assignment) !== owner) return [];
    return [assignment.right];
  });
}
