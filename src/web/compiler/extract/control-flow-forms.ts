/**
 * Forms of Solid that the compiler reads as others: `<For fallback={…}>` as a condition before the list, and a function in `<Show>` or `<Case>`
 * as its content, with the expression of `when` in place of its parameter.
 */
import type { ESTree } from "vite";
import type { SourceFile } from "../diagnostics.ts";
import type { Edit } from "../edits.ts";
import { svcName } from "../analyze/declaration-kinds.ts";
import { isFunction, isJsx, unwrap, walk, type Expression, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Reference, Scopes } from "../parse/scopes.ts";
import { attributeExpression, attributeText, onlyChild } from "./jsx-forms.ts";

/** Whether a source may have such a form. */
export const MAY_HAVE_FORM = /\bfallback\b|<(?:Show|Case)\b[^]*?(?:=>|\bfunction\b)/;

/**
 * @returns the change that rewrites the first form of this kind in a source; undefined if it has none. Lines stay the same, except those of attributes with a text or comment.
 * @example
 * // <For each={list} fallback={<p/>}>{row}</For>   →   <>{list?.length ? null : <p/>}<For each={list}>{row}</For></>
 * // <Show when={user.value}>{(u) => <b>{u.name}</b>}</Show>   →   <Show when={user.value}>{<b>{user.value.name}</b>}</Show>
 */
export function controlFlowEdits({ text }: SourceFile, program: ESTree.Program, scopes: Scopes): Edit[] | undefined {
  const children = new Set<Node>();
  let edits: Edit[] | undefined;
  walk(program, (node) => {
    if (isJsx(node)) for (const child of node.children) children.add(child);
    if (edits || node.type !== "JSXElement") return;
    const name = svcName(node.openingElement.name, scopes);
    if (name === "For") edits = bareFallbackEdits(text, node) ?? fallbackEdits(text, node, children.has(node));
    else if (name === "Show") edits = bareFallbackEdits(text, node) ?? contentEdits(text, node, scopes);
    else if (name === "Case") edits = contentEdits(text, node, scopes);
  });
  return edits;
}

/** @param isChild whether JSX is around the list, so that it needs no fragment. */
function fallbackEdits(text: string, list: ESTree.JSXElement, isChild: boolean): Edit[] | undefined {
  const { openingElement, start, end } = list;
  const each = attributeExpression(list, "each");
  const shown = attributeExpression(list, "fallback");
  const fallback = fallbackOf(list);
  if (!fallback || !shown || !each) return undefined;
  const others = openingElement.attributes.filter((attribute) => attribute !== fallback);
  const head = [
    text.slice(openingElement.name.start, openingElement.name.end),
    ...others.map((each) => oneLine(textOf(text, each))),
  ];
  const before = `${isChild ? "" : "<>"}{${operand(text, each)}?.length ? null : (${lines(text, start, shown.start)}`;
  const behind = `)}<${head.join(" ")}>${lines(text, shown.end, openingElement.end)}`;
  const edits = [
    { start, end: shown.start, insert: before },
    { start: shown.end, end: openingElement.end, insert: behind },
  ];
  return isChild ? edits : [...edits, { start: end, end, insert: "</>" }];
}

function contentEdits(text: string, element: ESTree.JSXElement, scopes: Scopes): Edit[] | undefined {
  const when = attributeExpression(element, "when");
  const content = contentFunction(element);
  const body = content && bodyOf(content);
  if (!content || !body) return undefined;
  const uses = usesOf(content, scopes);
  const value = when ? operand(text, when) : "undefined";
  if (!uses?.every(canReplace)) return undefined;
  return [
    { start: content.start, end: body.start, insert: lines(text, content.start, body.start) },
    { start: body.end, end: content.end, insert: lines(text, body.end, content.end) },
    ...uses.map((use) => ({ start: use.node.start, end: use.node.end, insert: replacementOf(use, value) })),
  ];
}

/** The function in a `<Show>` or `<Case>`. */
export function contentFunction(element: ESTree.JSXElement): FunctionNode | undefined {
  const child = onlyChild(element);
  const inner = child && unwrap(child);
  return inner && isFunction(inner) ? inner : undefined;
}

/** The only expression that a function returns, if it does nothing else. */
function bodyOf(content: FunctionNode): Node | undefined {
  if (content.async || content.generator || !content.body) return undefined;
  if (content.body.type !== "BlockStatement") return content.body;
  const [statement, ...others] = content.body.body;
  return statement?.type === "ReturnStatement" && others.length === 0 ? (statement.argument ?? undefined) : undefined;
}

/** Uses of the function's parameter; undefined for parameters that are no single name. */
function usesOf(content: FunctionNode, scopes: Scopes): Reference[] | undefined {
  const [param] = content.params;
  if (!param) return [];
  const binding = scopes.bindingAt(param);
  if (content.params.length > 1 || !binding || binding.isAssigned) return undefined;
  return scopes.within(content).filter((use) => use.binding === binding);
}

/** A tag takes only a name, and has a closing tag too. */
function canReplace({ node }: Reference): boolean {
  return node.type === "Identifier";
}

function replacementOf({ node, name, parent }: Reference, value: string): string {
  const isShorthand = parent.type === "Property" && parent.shorthand && parent.value === node;
  return isShorthand ? `${name}: ${value}` : value;
}

function fallbackOf({ openingElement }: ESTree.JSXElement): ESTree.JSXAttribute | undefined {
  return openingElement.attributes.find(
    (item): item is ESTree.JSXAttribute => item.type === "JSXAttribute" && item.name.name === "fallback",
  );
}

/** `fallback="none"` and `fallback=<p/>` become `fallback={…}`. */
function bareFallbackEdits(text: string, element: ESTree.JSXElement): Edit[] | undefined {
  const value = fallbackOf(element)?.value;
  if (!value || value.type === "JSXExpressionContainer") return undefined;
  const { start, end } = value;
  const literal = attributeText(element, "fallback");
  const breaks = literal === undefined ? "" : lines(text, start, end);
  const expression = literal === undefined ? textOf(text, value) : JSON.stringify(literal);
  return [{ start, end, insert: `{${expression}${breaks}}` }];
}

/** An expression that can stand before `?.`. */
function operand(text: string, expression: Expression): string {
  const source = oneLine(textOf(text, expression));
  return /^[\w$.]+$/.test(source) ? source : `(${source})`;
}

function textOf(text: string, { start, end }: Node): string {
  return text.slice(start, end);
}

/** Joins the lines of an expression, unless a text or comment in it may need them. */
function oneLine(source: string): string {
  return /["'`/]/.test(source) ? source : source.replaceAll(/\s*\n\s*/g, " ");
}

/** The line breaks of a part that is left out. */
function lines(text: string, start: number, end: number): string {
  return text.slice(start, end).replaceAll(/[^\n]/g, "");
}
