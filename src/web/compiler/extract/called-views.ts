/**
 * Local functions that return what other local functions return as JSX: `const body = () => (edit.value ? form() : view())`. Each call
 * becomes the content of a fragment, so that all of these functions are known to return JSX.
 */
import type { ESTree } from "vite";
import { findComponents } from "../analyze/components.ts";
import { functionOf } from "../analyze/declaration-kinds.ts";
import type { Edit } from "../edits.ts";
import { holdsJsx, isJsx, returnsOf, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Scopes } from "../parse/scopes.ts";

/** Whether a module may have such functions: one that returns a call outside of JSX. */
export function mayCallViews(program: ESTree.Program): boolean {
  let isFound = false;
  walk(program, (node) => {
    isFound ||=
      (node.type === "ArrowFunctionExpression" && node.expression && leaves(node.body).some(isLocalCall)) ||
      (node.type === "ReturnStatement" && node.argument !== null && leaves(node.argument).some(isLocalCall));
    return !isFound && !isJsx(node);
  });
  return isFound;
}

/** @returns the change for the first such function; undefined if there is none */
export function calledViewEdits(program: ESTree.Program, scopes: Scopes): Edit[] | undefined {
  const components = findComponents(program, scopes);
  for (const binding of scopes.bindings) {
    const fn = binding.owner === null ? undefined : functionOf(binding);
    if (!fn || components.has(fn)) continue;
    const calls = returnsOf(fn)
      .flatMap(leaves)
      .filter((leaf) => isLocalCall(leaf) && showsJsx(leaf, scopes, components));
    if (calls.length === 0) continue;
    return calls.flatMap(({ start, end }) => [
      { start, end: start, insert: "<>{" },
      { start: end, end, insert: "}</>" },
    ]);
  }
  return undefined;
}

/** The values among which an expression chooses. */
function leaves(node: Node): Node[] {
  const inner = unwrap(node);
  if (inner.type === "ConditionalExpression") return [...leaves(inner.consequent), ...leaves(inner.alternate)];
  if (inner.type === "LogicalExpression") return leaves(inner.right);
  return [inner];
}

function isLocalCall(node: Node): node is ESTree.CallExpression {
  return node.type === "CallExpression" && node.callee.type === "Identifier" && !node.optional;
}

/** Whether a call calls a function of a component that returns JSX. */
function showsJsx({ callee }: ESTree.CallExpression, scopes: Scopes, components: ReadonlySet<FunctionNode>): boolean {
  const binding = scopes.within(callee).find(({ node }) => node === callee)?.binding;
  const fn = binding?.owner ? functionOf(binding) : undefined;
  return fn !== undefined && !components.has(fn) && returnsOf(fn).some(holdsJsx);
}
