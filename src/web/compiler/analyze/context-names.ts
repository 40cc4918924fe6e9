/**
 * Names of contexts. The components that read a context may be in other files than its providers, so a context has one name in all files of an
 * app, as live props have: that of its declaration.
 */
import type { Module } from "./analyze.ts";
import { memberName, unwrap, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";

/** Begins the name of a context. No prop and no hook has such a name. */
const CONTEXT = "~useContext/";

/** The name of a context in all files: `~useContext/Cart` for `Cart`, `contexts.Cart` and `Cart as Basket`. */
export function contextName(module: Module, node: Node): string {
  const context = unwrap(node);
  if (context.type === "MemberExpression") return CONTEXT + (memberName(context) ?? "");
  if (context.type === "JSXMemberExpression") return CONTEXT + context.property.name;
  const binding = module.scopes.within(context).find((reference) => reference.node === context)?.binding;
  return CONTEXT + (binding ? exportedName(module, binding) : "");
}

/** The name of a context in the name of a held value: `~useContext/Cart` in `~useContext/Cart:total12`; undefined for results of hooks. */
export function contextIn(held: string): string | undefined {
  return held.startsWith(CONTEXT) ? held.split(":")[0] : undefined;
}

/** Names that code reads, with those of values from contexts replaced by the names of the contexts. */
export function contextsIn(names: string): string {
  return names
    .split(" ")
    .map((name) => contextIn(name) ?? name)
    .join(" ");
}

/** The name under which the module of a declaration exports it. */
export function exportedName({ program }: Module, { name, source }: Binding): string {
  if (source.type === "ImportDefaultSpecifier") return "default";
  if (source.type === "ImportSpecifier")
    return source.imported.type === "Identifier" ? source.imported.name : source.imported.value;
  const isDefault = program.body.some(
    (statement) =>
      statement.type === "ExportDefaultDeclaration" &&
      (statement.declaration === source ||
        (statement.declaration.type === "Identifier" && statement.declaration.name === name)),
  );
  return isDefault ? "default" : name;
}
