/**
 * Reduces values of `class`, `style`, URL and state attributes to plain attributes at build time where possible, so the browser does not
 * need `attr.js`.
 */
import type { ESTree } from "vite";
import { unwrap, type Expression, type Node } from "../parse/ast.ts";
import type { AttributeKind, Code } from "../model.ts";
import { valueKind } from "../analyze/expression-kinds.ts";

/** Prefixes that rule out a script URL. */
const HARMLESS_URL = /^(?:[/#?.]|https?:|mailto:|tel:)/i;

/** @returns code of the value that `A` writes; undefined if the browser must inspect the value. */
export function plainAttribute(how: AttributeKind, expression: Expression): Code | undefined {
  const inner = unwrap(expression);
  const kind = valueKind(inner);
  if (how === "class" || how === "style") {
    if (kind === "string") return choiceOfTexts(inner) ?? ["(", expression, ") || null"];
    return how === "class" ? classCode(inner) : undefined;
  }
  if (how === "url") return hasHarmlessStart(inner) ? [expression] : undefined;
  if (how === "enumerated") {
    if (kind === "boolean") return ["String(", expression, ")"];
    return kind === "unknown" ? undefined : [expression];
  }
  return undefined;
}

/** `todo.done ? "done" : ""` -> `todo.done ? "done" : null`. */
function choiceOfTexts(value: Node): Code | undefined {
  if (value.type !== "ConditionalExpression") return undefined;
  const texts = [value.consequent, value.alternate].map((side) => {
    const text = unwrap(side);
    return text.type === "Literal" && typeof text.value === "string" ? JSON.stringify(text.value || null) : undefined;
  });
  const [yes, no] = texts;
  return yes !== undefined && no !== undefined ? ["(", value.test, `) ? ${yes} : ${no}`] : undefined;
}

/** `{ done: todo.done }` -> `todo.done ? "done" : null`. */
function classCode(value: Node): Code | undefined {
  const items = classItems(value);
  if (!items?.length) return undefined;
  const [only] = items;
  if (only && items.length === 1 && "name" in only) {
    return ["(", only.test, `) ? ${JSON.stringify(only.name)} : null`];
  }
  const code = items.flatMap((item): Code =>
    "name" in item ? ["(", item.test, `) && ${JSON.stringify(item.name)}, `] : [item.text, ", "],
  );
  return ["[", ...code, '].filter(Boolean).join(" ") || null'];
}

/** A class with a condition, or an expression whose value is classes or falsy. */
type ClassItem = { test: Node; name: string } | { text: Node };

function classItems(value: Node): ClassItem[] | undefined {
  if (value.type === "ObjectExpression") return allOf(value.properties, namedClass);
  if (value.type !== "ArrayExpression") return undefined;
  return allOf(value.elements, (element) => {
    if (!element || element.type === "SpreadElement") return undefined;
    const inner = unwrap(element);
    return isClassText(inner) ? [{ text: element }] : classItems(inner);
  });
}

function allOf<T>(values: readonly T[], itemsOf: (value: T) => ClassItem[] | undefined): ClassItem[] | undefined {
  const found = values.map(itemsOf);
  return found.every((items) => items !== undefined) ? found.flat() : undefined;
}

function namedClass(property: ESTree.ObjectPropertyKind): ClassItem[] | undefined {
  // Captures expand shorthand properties to `name: …`, which is not an expression.
  if (property.type !== "Property" || property.computed || property.shorthand || property.method) return undefined;
  const { key } = property;
  if (key.type === "Identifier") return [{ test: property.value, name: key.name }];
  return key.type === "Literal" && typeof key.value === "string"
    ? [{ test: property.value, name: key.value }]
    : undefined;
}

function isClassText(node: Node): boolean {
  if (valueKind(node) === "string") return true;
  if (node.type === "LogicalExpression" && node.operator === "&&") return isClassText(unwrap(node.right));
  if (node.type === "ConditionalExpression") {
    return [node.consequent, node.alternate].map(unwrap).every((side) => isClassText(side) || isNothing(side));
  }
  return false;
}

function isNothing(node: Node): boolean {
  return (
    (node.type === "Literal" && !node.value && typeof node.value !== "number") ||
    (node.type === "Identifier" && node.name === "undefined")
  );
}

export function hasHarmlessStart(node: Node): boolean {
  if (node.type === "TemplateLiteral") return HARMLESS_URL.test(node.quasis[0]?.value.cooked ?? "");
  if (node.type === "Literal") return HARMLESS_URL.test(String(node.value));
  if (node.type === "BinaryExpression" && node.operator === "+") return hasHarmlessStart(unwrap(node.left));
  if (node.type === "ConditionalExpression") {
    return hasHarmlessStart(unwrap(node.consequent)) && hasHarmlessStart(unwrap(node.alternate));
  }
  return false;
}
