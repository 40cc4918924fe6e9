/** Reads the names that a module imports. */
import type { ESTree } from "vite";

export interface ImportedName {
  source: string;
  /** Exported name; `default` or `*`. */
  imported: string;
  local: string;
}

/** Types are left out: the module has no values under their names. */
export function importsOf(program: ESTree.Program): ImportedName[] {
  return program.body.flatMap((statement) => {
    if (statement.type !== "ImportDeclaration" || statement.importKind === "type") return [];
    const values = statement.specifiers.filter((item) => item.type !== "ImportSpecifier" || item.importKind !== "type");
    return values.map((item) => ({
      source: statement.source.value,
      imported: importedName(item),
      local: item.local.name,
    }));
  });
}

function importedName(item: ESTree.ImportDeclarationSpecifier): string {
  if (item.type === "ImportNamespaceSpecifier") return "*";
  if (item.type === "ImportDefaultSpecifier") return "default";
  return item.imported.type === "Identifier" ? item.imported.name : item.imported.value;
}
