/**
 * Finds the code that gives a name of a component its value: its initializer, its assignments, and statements that change the object in it. The
 * browser may not be able to run that code again, because it contains JSX or changes an object.
 */
import type { Module } from "./analyze.ts";
import { svcName } from "./declaration-kinds.ts";
import { deepChangeOf } from "./mutations.ts";
import { isFunction, unwrap, walk, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";

/** Statements that change no value of the component, or that return one. */
const OTHERS = new Set(["VariableDeclaration", "FunctionDeclaration", "ClassDeclaration", "ReturnStatement"]);

/** @returns nothing for parameters, functions and names that no component declares */
export function valueSources(module: Module, binding: Binding): readonly Node[] {
  const { owner, source, declared } = binding;
  if (!["const", "let", "var"].includes(declared) || !owner || !module.components.has(owner)) return [];
  if (source.type !== "VariableDeclarator" || owner.body?.type !== "BlockStatement") return [];
  const init = source.init ? unwrap(source.init) : undefined;
  if (init && isFunction(init)) return [];
  const changes = owner.body.body.filter(
    (statement) =>
      !OTHERS.has(statement.type) && !callsFramework(module, statement) && isChanged(module, binding, statement),
  );
  return init ? [init, ...changes] : changes;
}

function isChanged(module: Module, binding: Binding, statement: Node): boolean {
  return module.scopes
    .within(statement)
    .some(
      ({ binding: used, node, isWrite }) => used === binding && (isWrite || deepChangeOf(module, node) !== undefined),
    );
}

/** `effect(…)` and `onLoad(…)` run later. */
function callsFramework(module: Module, statement: Node): boolean {
  if (statement.type !== "ExpressionStatement") return false;
  const inner = unwrap(statement.expression);
  return inner.type === "CallExpression" && svcName(inner.callee, module.scopes) !== undefined;
}

/** The parts of a node that match. */
export function partsOf(root: Node, matches: (node: Node) => boolean): Node[] {
  const found: Node[] = [];
  walk(root, (node) => {
    if (!matches(node)) return undefined;
    found.push(node);
    return false;
  });
  return found;
}
