/**
 * Components inside of a component that take their props apart: `const Badge = ({ label }) => <b>{label}</b>`. The names become reads of a
 * props object, so that an instance which the browser creates follows them.
 */
import type { ESTree } from "vite";
import { findComponents } from "../analyze/components.ts";
import type { Edit } from "../edits.ts";
import type { SourceFile } from "../diagnostics.ts";
import type { FunctionNode, Node } from "../parse/ast.ts";
import type { Binding, Scopes } from "../parse/scopes.ts";
import { unusedName } from "./unused-names.ts";

/** Whether a module may have such components: a function with the name of a component whose parameter is a pattern. */
export const MAY_BE_INNER = /\b(?:const|function)\s+[A-Z]\w*[^{;]*\(\s*\{/;

/** @returns the change for the first such component; undefined if there is none */
export function innerComponentEdits({ text }: SourceFile, program: ESTree.Program, scopes: Scopes): Edit[] | undefined {
  const components = findComponents(program, scopes);
  for (const component of components) {
    const [pattern] = component.params;
    if (pattern?.type !== "ObjectPattern" || !isInside(component, components)) continue;
    const name = unusedName("own", text);
    const codes = codesOf(pattern, scopes, text, name);
    if (!codes) continue;
    const end = pattern.typeAnnotation?.start ?? pattern.end;
    const uses = scopes.references.flatMap(({ binding, node, parent, name: used }) => {
      const code = binding && codes.get(binding);
      if (code === undefined || (node.start >= pattern.start && node.end <= pattern.end)) return [];
      const isShort = parent.type === "Property" && parent.shorthand;
      return [{ start: node.start, end: node.end, insert: isShort ? `${used}: ${code}` : code }];
    });
    return [{ start: pattern.start, end, insert: name }, ...uses];
  }
  return undefined;
}

function isInside({ start, end }: FunctionNode, components: ReadonlySet<FunctionNode>): boolean {
  return [...components].some((other) => other.start < start && other.end >= end);
}

/** Reads of the props by the names of a pattern; undefined for patterns with other members than names with simple defaults. */
function codesOf(
  { properties }: ESTree.ObjectPattern,
  scopes: Scopes,
  text: string,
  props: string,
): Map<Binding, string> | undefined {
  const codes = new Map<Binding, string>();
  for (const item of properties) {
    if (item.type !== "Property" || item.computed || item.key.type !== "Identifier") return undefined;
    const read = `${props}.${item.key.name}`;
    const value: Node = item.value;
    const target = value.type === "AssignmentPattern" ? value.left : value;
    const binding = scopes.bindingAt(target);
    if (target.type !== "Identifier" || !binding || binding.isAssigned) return undefined;
    if (value.type === "AssignmentPattern" && !isFixed(value.right)) return undefined;
    const code =
      value.type === "AssignmentPattern"
        ? `(${read} === undefined ? ${text.slice(value.right.start, value.right.end)} : ${read})`
        : read;
    codes.set(binding, code);
  }
  return codes;
}

/** Whether a default is the same at each read. */
function isFixed(node: Node): boolean {
  return node.type === "Literal" || (node.type === "TemplateLiteral" && node.expressions.length === 0);
}
