/** Reads what a module exports of other modules. */
import type { ESTree } from "vite";
import { importsOf } from "../parse/imports.ts";

export interface Reexport {
  exported: string;
  /** `*` for all names. */
  imported: string;
  source: string;
}

/** `export * from "./a.ts"`, `export { a } from "./a.ts"`, and `import { a } from "./a.ts"; export { a };`. */
export function reexportsOf(program: ESTree.Program): Reexport[] {
  const imports = new Map(importsOf(program).map((item) => [item.local, item]));
  return program.body.flatMap((statement): Reexport[] => {
    if (statement.type === "ExportAllDeclaration")
      return statement.exported === null ? [{ exported: "*", imported: "*", source: statement.source.value }] : [];
    if (statement.type !== "ExportNamedDeclaration") return [];
    return statement.specifiers.flatMap(({ local, exported }) => {
      const item = statement.source
        ? { source: statement.source.value, imported: nameOf(local) }
        : imports.get(nameOf(local));
      return item ? [{ exported: nameOf(exported), imported: item.imported, source: item.source }] : [];
    });
  });
}

export function nameOf(name: ESTree.ModuleExportName): string {
  return name.type === "Literal" ? name.value : name.name;
}
