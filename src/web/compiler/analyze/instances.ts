/** Finds functions that return an instance of a class, which the page's state can't contain. */
import type { ESTree } from "vite";
import { isFunction, returnsOf, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import { unserialisableClass } from "./declaration-kinds.ts";

/** @returns name of the class; undefined if the function returns anything else */
export function instanceMadeBy(fn: FunctionNode): string | undefined {
  if (fn.async || fn.generator) return undefined;
  const results = fn.type === "ArrowFunctionExpression" && fn.expression ? [fn.body as Node] : returnsOf(fn);
  for (const result of results) {
    const name = unserialisableClass(unwrap(result));
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The declaration that a module exports under a name, if it contains it. */
export function exportedDeclaration(program: ESTree.Program, name: string): Node | undefined {
  for (const statement of program.body) {
    if (statement.type === "ExportDefaultDeclaration" && name === "default") return statement.declaration;
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : undefined;
    if (declaration?.type === "FunctionDeclaration" && declaration.id?.name === name) return declaration;
    if (declaration?.type !== "VariableDeclaration") continue;
    const found = declaration.declarations.find(({ id }) => id.type === "Identifier" && id.name === name);
    if (found) return found;
  }
  return undefined;
}

/** The function that a module exports under a name, if it declares it. */
export function exportedFunction(program: ESTree.Program, name: string): FunctionNode | undefined {
  const found = exportedDeclaration(program, name);
  const value = found?.type === "VariableDeclarator" ? found.init && unwrap(found.init) : found;
  return value && isFunction(value) ? value : undefined;
}
