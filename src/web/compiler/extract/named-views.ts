/**
 * Conditions and lists that a component names before it shows them: `const view = props.isOpen ? <Panel /> : <Icon />` and `<div>{view}</div>`.
 * The compiler reads them where they are shown, so that they follow what they read. Those that are shown more than once become functions.
 */
import type { ESTree } from "vite";
import { findComponents } from "../analyze/components.ts";
import { initOf } from "../analyze/declaration-kinds.ts";
import { parentsOf } from "../analyze/analyze.ts";
import type { SourceFile } from "../diagnostics.ts";
import type { Edit } from "../edits.ts";
import { isFunction, isJsx, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding, Reference, Scopes } from "../parse/scopes.ts";
import { isAlternative, isStructured } from "./jsx-forms.ts";
import { lateEdits } from "./late-names.ts";

/** @returns the change that moves the first such value to its only use, or makes a function of it; undefined if there is none. */
export function namedViewEdits({ text }: SourceFile, program: ESTree.Program, scopes: Scopes): Edit[] | undefined {
  const components = findComponents(program, scopes);
  const parents = parentsOf(program);
  for (const view of scopes.bindings.filter((binding) => isView(binding))) {
    const { owner } = view;
    const statement = parents.get(view.source);
    if (!owner || !components.has(owner) || statement?.type !== "VariableDeclaration") continue;
    const uses = scopes.references.filter(({ binding, node }) => binding === view && node !== view.node);
    const [use, ...others] = uses;
    const init = initOf(view);
    if (!init || !use || statement.declarations.length > 1 || parents.get(statement) !== owner.body) continue;
    const isOnly = others.length === 0 && isInBody(use, parents, owner);
    if (!uses.every((one) => isShown(one, parents) || (isOnly && isProp(one, parents)))) continue;
    if (readsVariable(init, scopes)) continue;
    if (!isOnly) return view.source.type === "VariableDeclarator" ? lateEdits(text, [view.source], scopes) : undefined;
    return [
      {
        start: statement.start,
        end: statement.end,
        insert: text.slice(statement.start, statement.end).replaceAll(/[^\n]/g, ""),
      },
      { start: use.node.start, end: use.node.end, insert: text.slice(init.start, init.end) },
    ];
  }
  return undefined;
}

/** Whether a module may have such values. Most have none, and their names are not resolved twice. */
export function mayNameView(program: ESTree.Program): boolean {
  let isFound = false;
  walk(program, (node) => {
    isFound ||= node.type === "VariableDeclarator" && node.init !== null && isContent(unwrap(node.init));
    return !isFound;
  });
  return isFound;
}

function isView(binding: Binding): boolean {
  const init = binding.declared === "const" ? initOf(binding) : undefined;
  return init !== undefined && isContent(init);
}

/** Whether an expression is a condition or list with JSX. */
function isContent(init: Node): boolean {
  return !isJsx(init) && (isStructured(init) || isAlternative(init));
}

/** Whether a use is a child of an element, or what a component returns. */
function isShown({ parent }: Reference, parents: ReadonlyMap<Node, Node>): boolean {
  const around = parents.get(parent);
  return (
    parent.type === "ReturnStatement" ||
    (parent.type === "JSXExpressionContainer" && around !== undefined && isJsx(around))
  );
}

function isProp({ parent }: Reference, parents: ReadonlyMap<Node, Node>): boolean {
  return parent.type === "JSXExpressionContainer" && parents.get(parent)?.type === "JSXAttribute";
}

/** Whether a use is in no inner function or block, which may have the same names. */
function isInBody({ node }: Reference, parents: ReadonlyMap<Node, Node>, owner: FunctionNode): boolean {
  for (let at = parents.get(node); at && at !== owner.body; at = parents.get(at))
    if (isFunction(at) || at.type === "BlockStatement") return false;
  return true;
}

/** Another value may be in a variable where the view is shown. */
function readsVariable(init: Node, scopes: Scopes): boolean {
  return scopes.within(init).some(({ binding }) => binding?.declared === "let" || binding?.declared === "var");
}
