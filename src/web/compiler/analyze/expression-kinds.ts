/** Determines the type of an expression from its syntax, as far as possible. `count.value` may be anything. */
import { isFunction, memberName, unwrap, walk, type Node } from "../parse/ast.ts";

/** Strings and numbers are written as `String(value)`, booleans as nothing. */
export type ValueKind = "string" | "number" | "boolean" | "unknown";

const COMPARISONS = new Set(["===", "!==", "==", "!=", "<", "<=", ">", ">=", "in", "instanceof"]);

const STRING_METHODS = new Set(
  "toFixed toString toUpperCase toLowerCase trim join padStart padEnd replace replaceAll toLocaleString toISOString".split(
    " ",
  ),
);

/** Whether values of this kind are written as `String(value)`. Booleans are written as nothing. */
export const isTextKind = (kind: ValueKind): boolean => kind === "string" || kind === "number";

export function valueKind(expression: Node): ValueKind {
  const node = unwrap(expression);
  if (node.type === "TemplateLiteral") return "string";
  if (node.type === "Literal") return typeof node.value === "string" ? "string" : "unknown";
  if (node.type === "UnaryExpression" && node.operator === "!") return "boolean";
  if (node.type === "LogicalExpression" && node.operator !== "??") {
    return valueKind(node.left) === "boolean" && valueKind(node.right) === "boolean" ? "boolean" : "unknown";
  }
  if (node.type === "BinaryExpression") {
    if (COMPARISONS.has(node.operator)) return "boolean";
    if (["-", "*", "/", "%", "**"].includes(node.operator)) return "number";
    if (node.operator !== "+") return "unknown";
    return valueKind(node.left) === "string" || valueKind(node.right) === "string" ? "string" : "unknown";
  }
  if (node.type === "ConditionalExpression") {
    const kinds = [valueKind(node.consequent), valueKind(node.alternate)];
    if (kinds[0] === kinds[1]) return kinds[0]!;
    return kinds.every((kind) => kind === "string" || kind === "number") ? "string" : "unknown";
  }
  if (node.type === "MemberExpression") return memberName(node) === "length" ? "number" : "unknown";
  if (node.type === "CallExpression" && node.callee.type === "MemberExpression") {
    return STRING_METHODS.has(memberName(node.callee) ?? "") ? "string" : "unknown";
  }
  return "unknown";
}

/** Whether an expression only chooses a value, so that it may be evaluated in the browser too: `ICONS[kind]`, `isOpen ? Up : Down`. */
export function isChoice(init: Node): boolean {
  let isPure = true;
  walk(init, (node) => {
    isPure &&= !isFunction(node) && !["CallExpression", "NewExpression", "AwaitExpression"].includes(node.type);
    return isPure;
  });
  return isPure;
}
