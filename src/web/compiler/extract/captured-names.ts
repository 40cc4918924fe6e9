/** What names and expressions that browser code captures are, by their syntax. */
import { functionOf, importOf, SVC } from "../analyze/declaration-kinds.ts";
import { exportedName } from "../emit/client-module.ts";
import { holdsJsx, returnsOf, type Node } from "../parse/ast.ts";
import type { Binding, Reference } from "../parse/scopes.ts";

/** Whether a name refers to a component, as far as the file shows. */
export function isComponent(binding: Binding): boolean {
  if (!/^[A-Z]/.test(binding.name)) return false;
  const fn = functionOf(binding);
  return fn ? returnsOf(fn).some(holdsJsx) : binding.declared === "import";
}

/** A component that is a value: `view.value = Home`, `as={isOpen.value ? Up : Down}`. Classes and enums are called, or followed by a member. */
export function isComponentValue({ name, node, parent }: Reference): boolean {
  if (/^[A-Z][A-Z0-9_]+$/.test(name) || parent.type === "MemberExpression") return false;
  return (parent.type !== "CallExpression" && parent.type !== "NewExpression") || parent.callee !== node;
}

/** `import { Image } from "svckit/assets"` */
export function isImage(binding: Binding): boolean {
  return importOf(binding)?.source.value === `${SVC}/assets` && exportedName(binding) === "Image";
}

/** `format(1)` and `format?.(1)`: the value is a function, which the server can't send. */
export function isCalled({ node, parent }: Reference): boolean {
  return parent.type === "CallExpression" && parent.callee === node;
}

export function isWritten(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === "UpdateExpression") return true;
  return parent?.type === "AssignmentExpression" && parent.left === node;
}
