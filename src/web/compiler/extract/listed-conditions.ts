/**
 * Lists in conditions: `{isOpen.value && list.map(row)}` is read as `{(isOpen.value ? list : []).map(row)}`. A list that is a child of an element
 * keeps the rows of the server when it changes, and a condition makes its content anew.
 */
import type { ESTree } from "vite";
import type { SourceFile } from "../diagnostics.ts";
import type { Edit } from "../edits.ts";
import { isJsx, unwrap, walk, type Node } from "../parse/ast.ts";
import { fixedText, mappedRows } from "./jsx-forms.ts";
import { replaceWith, type Piece } from "./moved-code.ts";

/** A condition with a list in one of its branches. */
interface Listed {
  condition: Node;
  test: Node;
  call: Node;
  list: Node;
  /** What the other branch shows. */
  other: Node | undefined;
  isOtherFirst: boolean;
}

/** Whether a source may have such a condition. */
export const MAY_LIST = /\.map\(/;

/** @returns the change that rewrites the first such condition; undefined if there is none. */
export function listedConditionEdits({ text }: SourceFile, program: ESTree.Program): Edit[] | undefined {
  let edits: Edit[] | undefined;
  walk(program, (node) => {
    if (edits) return false;
    if (node.type !== "JSXElement") return undefined;
    for (const child of node.children) {
      const listed = child.type === "JSXExpressionContainer" ? listedIn(child.expression) : undefined;
      edits ??= listed && editsOf(text, listed);
    }
    return undefined;
  });
  return edits;
}

function listedIn(condition: Node): Listed | undefined {
  const inner = unwrap(condition);
  if (inner.type === "LogicalExpression" && inner.operator === "&&")
    return withList({ condition, test: inner.left, other: undefined, isOtherFirst: false }, inner.right);
  if (inner.type !== "ConditionalExpression") return undefined;
  const { test, consequent, alternate } = inner;
  return (
    withList({ condition, test, other: alternate, isOtherFirst: false }, consequent) ??
    withList({ condition, test, other: consequent, isOtherFirst: true }, alternate)
  );
}

function withList(rest: Omit<Listed, "call" | "list">, branch: Node): Listed | undefined {
  const call = unwrap(branch);
  const rows = mappedRows(call);
  const isKept = rows && rows.before === "" && !isJsx(call);
  return isKept ? { ...rest, call, list: rows.list } : undefined;
}

function editsOf(text: string, { condition, test, call, list, other, isOtherFirst }: Listed): Edit[] {
  const shown = other && fixedText(unwrap(other)) !== "" ? other : undefined;
  const [before, behind] = isOtherFirst ? [" ? [] : (", "))"] : [" ? (", ") : [])"];
  const beside: Piece[] =
    shown === undefined
      ? []
      : ["(", test, ...(isOtherFirst ? [") ? (", shown, ") : null}{"] : [") ? null : (", shown, ")}{"])];
  return [
    ...replaceWith(text, { start: condition.start, end: list.start }, [...beside, "((", test, `)${before}`]),
    { start: list.end, end: list.end, insert: behind },
    { start: call.end, end: condition.end, insert: text.slice(call.end, condition.end).replaceAll(/[^\n]/g, "") },
  ];
}
