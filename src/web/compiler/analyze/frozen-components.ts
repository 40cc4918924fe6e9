/**
 * Finds components that can't follow props which change, because they choose between returns in a way that the browser can't repeat
 * (early-returns.ts). In content that the browser may create, an instance of such a component is made anew when a prop changes.
 */
import type { ESTree } from "vite";
import type { Module } from "./analyze.ts";
import { mayReturn, returnsOfChoice } from "./early-returns.ts";
import { propReads } from "./prop-reads.ts";
import { isFunction, returnsOf, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";

/** Kinds of names whose values can't be made again. */
const KEPT = new Set(["signal", "store", "resource", "ref", "class", "let"]);

/** Names under which a module exports such components. */
export function frozenComponents(module: Module): string[] {
  return exportedNodes(module).flatMap(([name, node]) => (isFrozen(module, node) ? [name] : []));
}

/** What a module exports, apart from what it exports again. */
export function exportedNodes(module: Module): Named[] {
  return module.program.body.flatMap((statement): Named[] => {
    if (statement.type === "ExportDefaultDeclaration")
      return [["default", declarationOf(module, statement.declaration)]];
    if (statement.type !== "ExportNamedDeclaration" || statement.source) return [];
    return [...declared(statement.declaration), ...renamed(module, statement)];
  });
}

type Named = [name: string, node: Node | null | undefined];

function declared(declaration: Node | null): Named[] {
  if (declaration?.type === "FunctionDeclaration" && declaration.id) return [[declaration.id.name, declaration]];
  if (declaration?.type !== "VariableDeclaration") return [];
  return declaration.declarations.flatMap(({ id, init }): Named[] =>
    id.type === "Identifier" ? [[id.name, init]] : [],
  );
}

function renamed(module: Module, { specifiers }: ESTree.ExportNamedDeclaration): Named[] {
  return specifiers.map(({ local, exported }): Named => {
    return [exported.type === "Identifier" ? exported.name : exported.value, declarationOf(module, local)];
  });
}

/** The value behind a name; other nodes as they are. */
function declarationOf(module: Module, node: Node): Node | null | undefined {
  if (node.type !== "Identifier") return node;
  const source = module.scopes.within(node)[0]?.binding?.source;
  return source?.type === "VariableDeclarator" ? source.init : source;
}

export function isFrozen(module: Module, node: Node | null | undefined): boolean {
  const fn = node && unwrap(node);
  const first = fn && isFunction(fn) ? firstChoice(module, fn) : undefined;
  return (
    first !== undefined && (!returnsOfChoice(fn as FunctionNode) || !mayRunFrom(module, fn as FunctionNode, first))
  );
}

/** The first statement of a component that returns if its props say so. */
export function firstChoice(module: Module, fn: FunctionNode): Node | undefined {
  if (!module.components.has(fn) || returnsOf(fn).length < 2 || !decidesByProps(module, fn)) return undefined;
  return fn.body?.type === "BlockStatement" ? fn.body.body.find(mayReturn) : undefined;
}

/** Whether the statements of a component from `first` on create nothing that has to stay. */
export function mayRunFrom(module: Module, fn: FunctionNode, first: Node): boolean {
  return !module.scopes.bindings.some(
    (binding) => binding.owner === fn && binding.source.start > first.start && KEPT.has(module.kind(binding)),
  );
}

function decidesByProps(module: Module, fn: FunctionNode): boolean {
  let found = false;
  walk(fn, (node) => {
    if (node !== fn && isFunction(node)) return false;
    const test =
      node.type === "SwitchStatement" ? node.discriminant : node.type === "IfStatement" ? node.test : undefined;
    found ||= test !== undefined && propReads(module, test) !== "";
    return !found;
  });
  return found;
}
