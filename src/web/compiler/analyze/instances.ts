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

/** The function that a module exports under a name, if it declares it. */
export function exportedFunction(program: ESTree.Program, name: string): FunctionNode | undefined {
  for (const statement of program.body) {
    if (statement.type === "ExportDefaultDeclaration" && name === "default") {
      return isFunction(statement.declaration) ? statement.declaration : undefined;
    }
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : undefined;
    if (declaration?.type === "FunctionDeclaration" && declaration.id?.name === name) return declaration;
    if (declaration?.type !== "VariableDeclaration") continue;
    for (const { id, init } of declaration.declarations) {
      const value = init && unwrap(init);
      if (id.type === "Identifier" && id.name === name && value && isFunction(value)) return value;
    }
  }
  return undefined;
}
