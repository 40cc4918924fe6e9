/** Recognises forms of JSX: conditions, lists, children, attributes of built-in components. */
import type { ESTree } from "vite";
import {
  holdsJsx,
  isComponentTag,
  isFunction,
  isJsx,
  memberName,
  returnsOf,
  tagName,
  unwrap,
  type Expression,
  type FunctionNode,
  type Node,
} from "../parse/ast.ts";
import { decodeEntities, normaliseText } from "../parse/jsx-text.ts";
import { svcName } from "../analyze/declaration-kinds.ts";
import type { Binding, Scopes } from "../parse/scopes.ts";

/** Text of literals and of values that render as nothing; undefined for expressions that must be evaluated. */
export function fixedText(node: Node): string | undefined {
  if (node.type === "Literal") {
    if (node.value === null || typeof node.value === "boolean") return "";
    return typeof node.value === "string" || typeof node.value === "number" ? String(node.value) : undefined;
  }
  if (node.type === "Identifier" && node.name === "undefined") return "";
  if (node.type === "TemplateLiteral" && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}

/** Whether an expression is a condition or list of JSX, which is compiled in place. */
export function isStructured(node: Node): boolean {
  const inner = unwrap(node);
  if (isJsx(inner)) return true;
  if (inner.type === "ConditionalExpression") return isStructured(inner.consequent) || isStructured(inner.alternate);
  if (inner.type === "LogicalExpression") return inner.operator === "&&" && isStructured(inner.right);
  return mappedRows(inner) !== undefined;
}

/** `value || <p/>` or `value ?? <p/>`. */
export function isAlternative(node: Node): node is ESTree.LogicalExpression & { operator: "||" | "??" } {
  return node.type === "LogicalExpression" && node.operator !== "&&" && holdsJsx(node.right);
}

/** A list of JSX: its items are `before`, the source of `list`, `behind`. */
export interface MappedRows {
  list: Expression;
  row: FunctionNode;
  before: string;
  behind: string;
  /** Whether the items are unlikely to identify their rows, as in `Array.from({ length: 3 }, row)`. */
  isByIndex: boolean;
}

/** `list.map((item, index) => <li/>)`, `list?.map(…)` or `Array.from(list, (item, index) => <li/>)`. */
export function mappedRows(node: Node): MappedRows | undefined {
  const call = node.type === "ChainExpression" ? node.expression : node;
  if (call.type !== "CallExpression" || call.optional || call.callee.type !== "MemberExpression") return undefined;
  const { callee } = call;
  const row = call.arguments.at(-1);
  if (!row || !isFunction(row) || row.async || row.params.length > 2) return undefined;
  if (!returnsOf(row).some((item) => isStructured(item))) return undefined;
  if (memberName(callee) === "map" && call.arguments.length === 1) {
    const behind = node.type === "ChainExpression" ? " ?? []" : "";
    return { list: callee.object as Expression, row, before: "", behind, isByIndex: false };
  }
  const [list] = call.arguments;
  const isFrom = callee.object.type === "Identifier" && callee.object.name === "Array" && memberName(callee) === "from";
  if (!isFrom || call.arguments.length !== 2 || !list || list.type === "SpreadElement") return undefined;
  return { list, row, before: "Array.from(", behind: ")", isByIndex: true };
}

/** What decides the content of a `<For>`, `<Show>`, `<Match>` or mapped list; undefined for other expressions. */
export function readsOfRegion(node: Node, scopes: Scopes): Node[] | undefined {
  const rows = mappedRows(node);
  if (rows) return [rows.list];
  if (node.type !== "JSXElement") return undefined;
  const builtin = svcName(node.openingElement.name, scopes);
  if (builtin === "For" || builtin === "Show") {
    const read = attributeExpression(node, builtin === "For" ? "each" : "when");
    return read && [read];
  }
  if (builtin !== "Match") return undefined;
  return casesOf(node, scopes)?.flatMap(({ when }) => (when ? [when] : []));
}

/** `children`, `props.children`, and other names of them: `const kids = props.children`, `({ children: kids })`. */
export function isChildren(node: Node, scopes: Scopes): boolean {
  if (node.type === "MemberExpression") return memberName(node) === "children";
  if (node.type !== "Identifier") return false;
  if (node.name === "children") return true;
  const binding = scopes.within(node)[0]?.binding;
  return binding !== undefined && binding.owner !== null && namesChildren(binding, scopes);
}

function namesChildren({ declared, node, source, owner }: Binding, scopes: Scopes): boolean {
  if (declared === "param")
    return (
      owner?.params.some((param) => isNamedIn(param.type === "AssignmentPattern" ? param.left : param, node)) === true
    );
  if (declared !== "const" || source.type !== "VariableDeclarator") return false;
  if (source.id !== node) return isNamedIn(source.id, node);
  return source.init !== null && isChildren(unwrap(source.init), scopes);
}

/** Whether a pattern takes the children out of an object under this name. */
function isNamedIn(pattern: Node, name: Node): boolean {
  return (
    pattern.type === "ObjectPattern" &&
    pattern.properties.some(
      (item) =>
        item.type === "Property" &&
        !item.computed &&
        item.value === name &&
        item.key.type === "Identifier" &&
        item.key.name === "children",
    )
  );
}

/** Built-in components that are compiled in place, with their children. */
const PLACED = new Set(["For", "Show", "Match", "Case", "Portal"]);

/** Whether `node` contains a component. If it may never change, its components need no create functions. */
export function holdsComponent(node: Node, scopes: Scopes): boolean {
  const holds = (child: Node): boolean => holdsComponent(child, scopes);
  const inner = unwrap(node);
  if (inner.type === "JSXElement") {
    const { name } = inner.openingElement;
    const isOther = isComponentTag(tagName(name)) && !PLACED.has(svcName(name, scopes) ?? "");
    return isOther || inner.children.some(holds);
  }
  if (inner.type === "JSXFragment") return inner.children.some(holds);
  if (inner.type === "JSXExpressionContainer") return holds(inner.expression);
  if (inner.type === "ConditionalExpression") return holds(inner.consequent) || holds(inner.alternate);
  if (inner.type === "LogicalExpression") return holds(inner.right);
  if (isFunction(inner)) return returnsOf(inner).some(holds);
  const rows = mappedRows(inner);
  return rows !== undefined && returnsOf(rows.row).some(holds);
}

/** Text of an attribute `name="…"`. */
export function attributeText(node: ESTree.JSXElement, name: string): string | undefined {
  for (const attribute of node.openingElement.attributes) {
    if (attribute.type !== "JSXAttribute" || attribute.name.name !== name) continue;
    return attribute.value?.type === "Literal" ? decodeEntities(String(attribute.value.value)) : undefined;
  }
  return undefined;
}

/** Expression of an attribute `name={…}`. */
export function attributeExpression(node: ESTree.JSXElement, name: string): Expression | undefined {
  for (const attribute of node.openingElement.attributes) {
    if (attribute.type !== "JSXAttribute" || attribute.name.name !== name) continue;
    if (attribute.value?.type !== "JSXExpressionContainer") return undefined;
    return attribute.value.expression.type === "JSXEmptyExpression" ? undefined : attribute.value.expression;
  }
  return undefined;
}

export function hasAttribute(node: ESTree.JSXElement, name: string): boolean {
  return node.openingElement.attributes.some((item) => item.type === "JSXAttribute" && item.name.name === name);
}

/** The only child of a component, apart from white space. */
export function onlyChild(node: ESTree.JSXElement): Node | undefined {
  const kept = node.children.filter((child) => child.type !== "JSXText" || normaliseText(child.value) !== "");
  const [child] = kept;
  if (kept.length !== 1 || !child) return undefined;
  return child.type === "JSXExpressionContainer" ? child.expression : child;
}

/** One `<Case>` of a `<Match>`. */
export interface Case {
  when: Expression | undefined;
  node: ESTree.JSXElement;
}

/** Cases of a `<Match>`; undefined if it has other children. */
export function casesOf(node: ESTree.JSXElement, scopes: Scopes): Case[] | undefined {
  const cases: Case[] = [];
  for (const child of node.children) {
    if (child.type === "JSXText" && normaliseText(child.value) === "") continue;
    if (child.type === "JSXExpressionContainer" && child.expression.type === "JSXEmptyExpression") continue;
    if (child.type !== "JSXElement" || svcName(child.openingElement.name, scopes) !== "Case") return undefined;
    cases.push({ when: attributeExpression(child, "when"), node: child });
  }
  return cases;
}
