/**
 * Conditions, lists and other values that components return: `return props.isOpen ? <Panel /> : <Icon />`. An instance that the browser creates
 * shows them as the content of a fragment, so they follow what they read.
 */
import type { ESTree } from "vite";
import { findComponents } from "../analyze/components.ts";
import { functionOf, indexImports } from "../analyze/declaration-kinds.ts";
import type { Edit } from "../edits.ts";
import { holdsJsx, isFunction, isJsx, returnsOf, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import { resolveScopes, type Scopes } from "../parse/scopes.ts";
import { fixedText, isChildren } from "./jsx-forms.ts";

/** @returns the change that puts each such value into a fragment: `return <>{props.isOpen ? <Panel /> : <Icon />}</>`. */
export function returnedFormEdits(program: ESTree.Program): Edit[] {
  indexImports(program);
  const scopes = resolveScopes(program);
  return [...findComponents(program, scopes)].flatMap((component) =>
    returnsOf(component)
      .filter((value) => mayChange(unwrap(value), component, scopes))
      .flatMap(({ start, end }) => [
        { start, end: start, insert: "<>{" },
        { start: end, end, insert: "}</>" },
      ]),
  );
}

/** Whether a returned value is content, and not the same in any case. */
function mayChange(value: Node, component: FunctionNode, scopes: Scopes): boolean {
  if (isJsx(value) || isFunction(value) || fixedText(value) !== undefined) return false;
  return holdsJsx(component) || isChildren(value, scopes) || isTag(component, scopes);
}

/** Whether an element of the file is this component, which may show only a text. */
function isTag(component: FunctionNode, scopes: Scopes): boolean {
  return scopes.references.some(
    ({ node, binding }) => node.type === "JSXIdentifier" && binding !== undefined && functionOf(binding) === component,
  );
}
