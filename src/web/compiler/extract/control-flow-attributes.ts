/** Rejects attributes and contents that the components for conditions and lists don't have (SVC109): the compiler would leave them out. */
import type { ESTree } from "vite";
import type { Module } from "../analyze/analyze.ts";
import { svcName } from "../analyze/declaration-kinds.ts";
import { diagnostic } from "../diagnostics.ts";
import { isFunction, unwrap, walk, type Node } from "../parse/ast.ts";
import { contentFunction } from "./control-flow-forms.ts";

/** Attributes by component. `key` identifies the component itself, as a row of a list. */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  For: ["each", "by", "virtual", "fallback"],
  Show: ["when", "fallback"],
  Match: [],
  Case: ["when"],
};

/** What to write instead of attributes of other frameworks. */
const INSTEAD: Readonly<Record<string, string>> = {
  "For key": "Write by={(item) => item.id}.",
  "Match fallback": "Write a last <Case> without when.",
  "Show keyed": "Leave it out: the content follows the value.",
  "Case keyed": "Leave it out: the content follows the value.",
};

export function refuseControlFlowMistakes(module: Module): void {
  walk(module.program, (node) => {
    if (node.type !== "JSXElement") return;
    const name = svcName(node.openingElement.name, module.scopes);
    const known = name === undefined || !Object.hasOwn(ATTRIBUTES, name) ? undefined : ATTRIBUTES[name];
    if (name === undefined || !known) return;
    for (const attribute of node.openingElement.attributes) refuseAttribute(module, name, known, attribute);
    if (name !== "For") refuseContent(module, name, node);
  });
}

function refuseAttribute(module: Module, name: string, known: readonly string[], node: ESTree.JSXAttributeItem): void {
  const attribute = node.type === "JSXAttribute" ? String(node.name.name) : "spread";
  if (known.includes(attribute) || (attribute === "key" && !isFunctionValue(node))) return;
  const instead = INSTEAD[`${name} ${attribute}`] ?? takes(known);
  const mistake = attribute === "spread" ? "takes no spread" : `has no ${attribute}`;
  report(module, node, `<${name}> ${mistake}. ${instead}`);
}

function takes(known: readonly string[]): string {
  return known.length === 0 ? "It takes no attributes." : `It takes ${known.join(", ")}.`;
}

/** `key={(item) => item.id}` of a list is meant for its rows. */
function isFunctionValue(node: ESTree.JSXAttributeItem): boolean {
  if (node.type !== "JSXAttribute" || node.value?.type !== "JSXExpressionContainer") return false;
  return isFunction(unwrap(node.value.expression));
}

/** A function that control-flow-forms.ts could not read as content. */
function refuseContent(module: Module, name: string, node: ESTree.JSXElement): void {
  const content = contentFunction(node);
  if (!content) return;
  report(
    module,
    content,
    `The compiler can't read this function in <${name}>. It needs one named parameter and nothing but an expression: <${name} when={user.value}>{(user) => <p>{user.name}</p>}</${name}>. The parameter can't be a tag. You can also leave the function out and write its elements.`,
  );
}

function report(module: Module, node: Node, text: string): void {
  module.problems.add(diagnostic(module.file, "SVC109", node, text));
}
