/** Helpers for the ESTree of Vite's parser: walking and unwrapping, without scopes. */
import type { ESTree } from "vite";

export type Node = ESTree.Node;
export type Expression = ESTree.Expression;
export type FunctionNode = ESTree.Function | ESTree.ArrowFunctionExpression;
export type JsxRoot = ESTree.JSXElement | ESTree.JSXFragment;

/** TypeScript nodes that contain a value. Every other `TS…` node is a type or a declaration without a value. */
const VALUE_WRAPPERS = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
]);

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** Whether a node exists for the type checker only. */
function isTypeNode(node: Node): boolean {
  return node.type.startsWith("TS") && !VALUE_WRAPPERS.has(node.type) && node.type !== "TSEnumDeclaration";
}

/** Direct children that can contain values, in source order, without types. */
export function childrenOf(node: Node): Node[] {
  const out: Node[] = [];
  for (const [key, value] of Object.entries(node)) {
    if (key === "parent") continue;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (isNode(item) && !isTypeNode(item)) out.push(item);
    }
  }
  return out.sort((left, right) => left.start - right.start);
}

/** Visits `node` and its descendants. `enter` returns false to skip a subtree. */
export function walk(node: Node, enter: (node: Node) => boolean | void): void {
  if (enter(node) === false) return;
  for (const child of childrenOf(node)) walk(child, enter);
}

export function isFunction(node: Node): node is FunctionNode {
  return (
    node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression" || node.type === "FunctionDeclaration"
  );
}

export function isJsx(node: Node): node is JsxRoot {
  return node.type === "JSXElement" || node.type === "JSXFragment";
}

/** The expression below parentheses, `as`, `satisfies`, `!`. */
export function unwrap(node: Node): Node {
  let inner = node;
  while (
    inner.type === "ParenthesizedExpression" ||
    inner.type === "TSAsExpression" ||
    inner.type === "TSSatisfiesExpression" ||
    inner.type === "TSNonNullExpression" ||
    inner.type === "TSTypeAssertion"
  ) {
    inner = inner.expression;
  }
  return inner;
}

export function holdsJsx(node: Node): boolean {
  let found = false;
  walk(node, (inner) => {
    if (isJsx(inner)) found = true;
    return !found;
  });
  return found;
}

/** Name of an element as written: `li`, `Shell`, `ui.Button`, `xlink:href`. */
export function tagName(node: ESTree.JSXElement["openingElement"]["name"]): string {
  if (node.type === "JSXMemberExpression") return `${tagName(node.object)}.${node.property.name}`;
  if (node.type === "JSXNamespacedName") return `${node.namespace.name}:${node.name.name}`;
  return node.name;
}

/** Components start with a capital letter or are members (`ui.Button`). Everything else is a host element. */
export function isComponentTag(tag: string): boolean {
  return /^[A-Z]/.test(tag) || tag.includes(".");
}

/** Expressions that a function may return, in source order, without those of nested functions. */
export function returnsOf(fn: FunctionNode): Node[] {
  if (fn.type === "ArrowFunctionExpression" && fn.expression) return [fn.body];
  const out: Node[] = [];
  if (fn.body === null) return out;
  for (const statement of childrenOf(fn.body)) {
    walk(statement, (node) => {
      if (isFunction(node)) return false;
      if (node.type === "ReturnStatement" && node.argument !== null) out.push(node.argument);
      return undefined;
    });
  }
  return out;
}

/** Static name of a member access, or undefined for `a[b]`. */
export function memberName(node: ESTree.MemberExpression): string | undefined {
  return !node.computed && node.property.type === "Identifier" ? node.property.name : undefined;
}

/** Whether the code of an expression begins with `{`, as `{ a: 1 }[key]` does: an arrow function would take it for a block. */
export function beginsWithBrace(expression: Node): boolean {
  let found = false;
  walk(expression, (node) => {
    found ||= node.type === "ObjectExpression" && node.start === expression.start;
    return node.start === expression.start;
  });
  return found;
}
