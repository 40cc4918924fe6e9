/**
 * Texts and conditions that the children of an `<Await>` return: `{(user) => user.name}`. In a fragment they may follow a resource, although no
 * element of their own is around them.
 */
import type { ESTree } from "vite";
import { svcName } from "../analyze/declaration-kinds.ts";
import type { Edit } from "../edits.ts";
import { isFunction, isJsx, returnsOf, unwrap, walk, type Node } from "../parse/ast.ts";
import type { Scopes } from "../parse/scopes.ts";
import { fixedText, onlyChild } from "./jsx-forms.ts";

/** Whether a source may have such content. */
export const MAY_AWAIT = /<Await\b/;

/** @returns the change that puts the content of the first such function into fragments; undefined if there is none */
export function awaitedContentEdits(program: ESTree.Program, scopes: Scopes): Edit[] | undefined {
  let edits: Edit[] | undefined;
  walk(program, (node) => {
    if (edits || node.type !== "JSXElement" || svcName(node.openingElement.name, scopes) !== "Await") return;
    const child = onlyChild(node);
    const content = child && unwrap(child);
    const values = content && isFunction(content) ? returnsOf(content).filter(mayChange) : [];
    if (values.length > 0)
      edits = values.flatMap(({ start, end }) => [
        { start, end: start, insert: "<>{" },
        { start: end, end, insert: "}</>" },
      ]);
  });
  return edits;
}

function mayChange(value: Node): boolean {
  const inner = unwrap(value);
  return !isJsx(inner) && !isFunction(inner) && fixedText(inner) === undefined;
}
