/**
 * Variables that functions of a component or hook share: `let timer;`, assigned in one handler and read in another, or filled by
 * `ref={field}`. The body runs once, so such a variable is a ref: one object for all code of the page.
 */
import type { ESTree } from "vite";
import { findComponents } from "../analyze/components.ts";
import { mayCreateState, svcName } from "../analyze/declaration-kinds.ts";
import { parentsOf } from "../analyze/analyze.ts";
import type { SourceFile } from "../diagnostics.ts";
import type { Edit } from "../edits.ts";
import { isFunction, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding, Reference, Scopes } from "../parse/scopes.ts";

/** Whether a module may have such variables: one that begins without a value. */
export const MAY_SHARE_LET = /\blet\s+\w+\s*(?:[;\n]|:[^=;]*(?:;|=\s*(?:null|undefined)\b)|=\s*(?:null|undefined)\b)/;

/** @returns the change for the first such variable; undefined if there is none */
export function letRefEdits({ text }: SourceFile, program: ESTree.Program, scopes: Scopes): Edit[] | undefined {
  const parents = parentsOf(program);
  const components = findComponents(program, scopes);
  for (const binding of scopes.bindings) {
    const statement = parents.get(binding.source);
    if (statement?.type !== "VariableDeclaration" || statement.kind !== "let" || statement.declarations.length > 1)
      continue;
    if (!isEmpty(binding)) continue;
    const { owner } = binding;
    if (!owner || !ownsState(owner, components, parents)) continue;
    const uses = scopes.references.filter((one) => one.binding === binding && one.node !== binding.node);
    if (!isShared(uses, owner, parents) || uses.some((use) => use.isWrite && runsOnServer(use, owner, parents, scopes)))
      continue;
    const removed = text.slice(statement.start, statement.end).replaceAll(/[^\n]/g, "");
    return [
      { start: statement.start, end: statement.end, insert: `const ${binding.name} = { current: null };${removed}` },
      ...uses.flatMap((use) => editOf(use, parents, isNullInit(binding))),
    ];
  }
  return undefined;
}

function isEmpty({ source, node }: Binding): boolean {
  if (source.type !== "VariableDeclarator" || source.id !== node) return false;
  const init = source.init && unwrap(source.init);
  return !init || (init.type === "Identifier" && init.name === "undefined") || isNullLiteral(init);
}

function isNullInit({ source }: Binding): boolean {
  return source.type === "VariableDeclarator" && source.init !== null && isNullLiteral(unwrap(source.init));
}

function isNullLiteral(node: Node): boolean {
  return node.type === "Literal" && node.value === null && !("regex" in node);
}

/** A component, or a function whose name says that it creates state. */
function ownsState(fn: FunctionNode, components: ReadonlySet<FunctionNode>, parents: ReadonlyMap<Node, Node>): boolean {
  if (components.has(fn)) return true;
  const parent = parents.get(fn);
  const name =
    fn.id?.name ?? (parent?.type === "VariableDeclarator" && parent.id.type === "Identifier" ? parent.id.name : "");
  return mayCreateState(name);
}

/** Whether only functions inside use the variable, and the refs of elements, and one of them gives it its value. */
function isShared(uses: readonly Reference[], owner: FunctionNode, parents: ReadonlyMap<Node, Node>): boolean {
  const isFilled = uses.some((use) => use.isWrite || isRefOf(use, parents));
  return (
    isFilled && uses.every((use) => (isRefOf(use, parents) ? true : isInInner(use, owner, parents) && isPlain(use)))
  );
}

/** Functions of the framework that run their function on the server, too. The value that it gives the variable would be lost. */
const RUN_ON_SERVER = new Set(["effect", "computed", "resource", "untrack", "batch"]);

function runsOnServer(
  { node }: Reference,
  owner: FunctionNode,
  parents: ReadonlyMap<Node, Node>,
  scopes: Scopes,
): boolean {
  for (let at = parents.get(node); at && at !== owner; at = parents.get(at)) {
    if (at.type === "CallExpression" && RUN_ON_SERVER.has(svcName(at.callee, scopes) ?? "")) return true;
    if (isFunction(at) && isCalledIn(owner, at, parents, scopes)) return true;
  }
  return false;
}

/** Whether the body of the component itself calls a function in it: `const start = () => …; start();`. */
function isCalledIn(owner: FunctionNode, fn: FunctionNode, parents: ReadonlyMap<Node, Node>, scopes: Scopes): boolean {
  const declarator = parents.get(fn);
  const name = fn.id ?? (declarator?.type === "VariableDeclarator" ? declarator.id : undefined);
  const binding = name && scopes.bindingAt(name);
  return scopes.references.some((one) => {
    const isCall = one.parent.type === "CallExpression" && one.parent.callee === one.node;
    return binding !== undefined && one.binding === binding && isCall && !isInInner(one, owner, parents);
  });
}

/** No `timer++` and `[timer] = …`, which have no simple counterpart. */
function isPlain({ isWrite, parent, node }: Reference): boolean {
  return !isWrite || (parent.type === "AssignmentExpression" && parent.left === node && parent.operator === "=");
}

/** `ref={field}` */
function isRefOf({ parent, isWrite }: Reference, parents: ReadonlyMap<Node, Node>): boolean {
  const attribute = parent.type === "JSXExpressionContainer" ? parents.get(parent) : undefined;
  return !isWrite && attribute?.type === "JSXAttribute" && attribute.name.name === "ref";
}

function isInInner({ node }: Reference, owner: FunctionNode, parents: ReadonlyMap<Node, Node>): boolean {
  for (let at = parents.get(node); at && at !== owner; at = parents.get(at)) if (isFunction(at)) return true;
  return false;
}

function editOf(use: Reference, parents: ReadonlyMap<Node, Node>, isNull: boolean): Edit[] {
  if (isRefOf(use, parents)) return [];
  const { start, end } = use.node;
  const read = `${use.name}.current`;
  // A ref is empty with null, and this variable without a value.
  const code = use.isWrite || isNull ? read : `(${read} ?? undefined)`;
  const isShort = use.parent.type === "Property" && use.parent.shorthand;
  return [{ start, end, insert: isShort ? `${use.name}: ${code}` : code }];
}
