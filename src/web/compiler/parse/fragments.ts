/** `<Fragment key={row.id}>` of the JSX runtime, read as `<>` whose row has this key. */
import type { ESTree } from "vite";
import { isJsx, walk, type Expression, type Node } from "./ast.ts";

const keys = new WeakMap<Node, Expression>();

/** `key={…}` of an element, or of what was a `<Fragment>`. */
export function keyOf(node: Node): Expression | undefined {
  return node.type === "JSXElement" ? keyIn(node.openingElement) : keys.get(node);
}

/** Makes each `<Fragment>` a fragment in the tree. The text keeps it. @param runtime specifier of the JSX runtime */
export function readFragments(program: ESTree.Program, runtime: string): void {
  const names = new Set(program.body.flatMap((statement) => namesIn(statement, runtime)));
  if (names.size === 0) return;
  walk(program, (node) => {
    if (node.type !== "JSXElement" || node.openingElement.name.type !== "JSXIdentifier") return;
    if (!names.has(node.openingElement.name.name)) return;
    const key = keyIn(node.openingElement);
    // The key stays in the tree, so that its names are resolved. The tags are no part of it any more.
    Object.assign(node, { type: "JSXFragment", key, openingElement: undefined, closingElement: undefined });
    if (key && isJsx(node)) keys.set(node, key);
  });
}

function namesIn(statement: Node, runtime: string): string[] {
  if (statement.type !== "ImportDeclaration" || statement.source.value !== runtime) return [];
  return statement.specifiers.flatMap((item) =>
    item.type === "ImportSpecifier" && item.imported.type === "Identifier" && item.imported.name === "Fragment"
      ? [item.local.name]
      : [],
  );
}

function keyIn({ attributes }: ESTree.JSXOpeningElement): Expression | undefined {
  for (const attribute of attributes) {
    if (attribute.type !== "JSXAttribute" || attribute.name.name !== "key") continue;
    const value = attribute.value?.type === "JSXExpressionContainer" ? attribute.value.expression : undefined;
    if (value && value.type !== "JSXEmptyExpression") return value;
  }
  return undefined;
}
