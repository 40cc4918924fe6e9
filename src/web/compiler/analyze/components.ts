/** Decides which functions are components. Their returned JSX is HTML, not a value. */
import type { ESTree } from "vite";
import { holdsJsx, isFunction, returnsOf, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import { diagnostic, type SourceFile } from "../diagnostics.ts";
import type { Problems } from "../problems.ts";
import { functionOf, mayCreateState, svcName } from "./declaration-kinds.ts";
import { memberComponents } from "./member-components.ts";
import type { Reference, Scopes } from "../parse/scopes.ts";

/** Capitalised functions, members that are tags, and the default export, except hooks, and functions that are called and return no JSX. */
export function findComponents(program: ESTree.Program, scopes: Scopes): Set<FunctionNode> {
  const found = new Set<FunctionNode>(memberComponents(program, scopes));
  walk(program, (node) => {
    if (node.type === "FunctionDeclaration" && node.id && /^[A-Z]/.test(node.id.name)) found.add(node);
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier" && /^[A-Z]/.test(node.id.name)) {
      if (node.init && isFunction(node.init)) found.add(node.init);
      const wrapped = node.init && wrappedFunction(node.init, scopes);
      if (wrapped) found.add(wrapped);
      for (const made of node.init ? madeFunctions(node.init, scopes) : []) found.add(made);
    }
    if (isFunction(node) && node.params.some(isComponentName))
      for (const made of returnedComponents(node)) found.add(made);
    if (node.type === "FunctionExpression" && node.id && /^[A-Z]/.test(node.id.name)) found.add(node);
    if (node.type === "ExportDefaultDeclaration" && isFunction(node.declaration) && !isHookItself(node.declaration))
      found.add(node.declaration);
  });
  for (const reference of scopes.references) {
    const fn = calledFunction(reference);
    if (fn && !returnsOf(fn).some(holdsJsx)) found.delete(fn);
  }
  return found;
}

/** Whether a default export is a hook or factory: by its name, or because no component returns an object, array or function. */
function isHookItself(fn: FunctionNode): boolean {
  const returned = returnsOf(fn).map(unwrap);
  if (returned.some(holdsJsx)) return false;
  const isNamed = fn.id !== null && mayCreateState(fn.id.name);
  return isNamed || returned.some((value) => isFunction(value) || /^(?:Object|Array)Expression$/.test(value.type));
}

/** The component in `const Row = memo((props) => <li>…</li>)`. */
function wrappedFunction(init: Node, scopes: Scopes): FunctionNode | undefined {
  if (init.type !== "CallExpression" || svcName(init.callee, scopes) !== undefined) return undefined;
  const [first] = init.arguments;
  return first && isFunction(first) && returnsOf(first).some(holdsJsx) ? first : undefined;
}

/** The component that `makeCard` returns in `const Card = makeCard("title")`. */
function madeFunctions(init: Node, scopes: Scopes): FunctionNode[] {
  if (init.type !== "CallExpression" || init.callee.type !== "Identifier") return [];
  const binding = scopes.within(init.callee)[0]?.binding;
  const maker = binding && functionOf(binding);
  return maker ? returnedComponents(maker) : [];
}

/** The components that a function of a component returns: `(Inner) => (props) => <b><Inner {...props} /></b>`. */
function returnedComponents(maker: FunctionNode): FunctionNode[] {
  return returnsOf(maker)
    .map(unwrap)
    .filter((made): made is FunctionNode => isFunction(made) && returnsOf(made).some(holdsJsx));
}

function isComponentName(param: Node): boolean {
  return param.type === "Identifier" && /^[A-Z]/.test(param.name);
}

/** `Counter`; empty for a default export without a name. */
export function componentName(module: { parentOf(node: Node): Node | undefined }, fn: FunctionNode): string {
  if (fn.id) return fn.id.name;
  const parent = module.parentOf(fn);
  return parent?.type === "VariableDeclarator" && parent.id.type === "Identifier" ? parent.id.name : "";
}

/** Reports SVC109 for a component that is called as a function, because its HTML would be escaped as text. */
export function refuseComponentCalls({
  file,
  scopes,
  components,
  problems,
}: {
  file: SourceFile;
  scopes: Scopes;
  components: ReadonlySet<FunctionNode>;
  problems: Problems;
}): void {
  for (const reference of scopes.references) {
    const fn = calledFunction(reference);
    if (!fn || !components.has(fn)) continue;
    const { name, parent } = reference;
    const error = diagnostic(
      file,
      "SVC109",
      parent,
      `"${name}" is a component, because its name begins with a capital letter, but it is called as a function. Write <${name} … />, or call it ${name.slice(0, 1).toLowerCase()}${name.slice(1)}.`,
    );
    problems.add(error);
  }
}

/** The callee of `name(…)` or `new name(…)`. */
function calledFunction({ node, parent, binding }: Reference): FunctionNode | undefined {
  if (parent.type !== "CallExpression" && parent.type !== "NewExpression") return undefined;
  return parent.callee === node && binding ? functionOf(binding) : undefined;
}
