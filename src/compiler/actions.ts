/**
 * Modules of server actions: recognised by a call of `action` from "svc", and replaced by stubs in the browser.
 * Only exported actions exist there; the functions never leave the server.
 */
import type { ESTree } from "vite";
import { PATHS } from "../shared/wire.ts";
import { parse } from "./1-parse.ts";
import type { SourceFile } from "./diagnostics.ts";
import { patternNames, resolveScopes } from "./scopes.ts";
import { indexImports, svcName } from "./kinds.ts";
import { unwrap, type Node } from "./ast.ts";

/** Exported names whose value is `action(…)`; undefined for a module that makes none. */
export function exportedActions(file: SourceFile): string[] | undefined {
  // Parsing every helper module would cost more than looking for the word first.
  if (!/\baction\b/.test(file.text) || !/["']svc["']/.test(file.text)) return undefined;
  const program = parse(file);
  indexImports(program);
  const scopes = resolveScopes(program);
  const isAction = (node: Node | null): boolean => {
    const call = node && unwrap(node);
    return call?.type === "CallExpression" && svcName(call.callee, scopes) === "action";
  };
  const declared = new Set<string>();
  for (const statement of program.body) {
    const inner = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (inner?.type !== "VariableDeclaration") continue;
    for (const item of inner.declarations) {
      const [name] = patternNames(item.id);
      if (isAction(item.init) && name?.type === "Identifier") declared.add(name.name);
    }
  }
  if (declared.size === 0) return undefined;
  return program.body.flatMap((statement) =>
    exportsOf(statement).flatMap(({ local, exported }) => (declared.has(local) ? [exported] : [])),
  );
}

function exportsOf(statement: ESTree.Program["body"][number]): { local: string; exported: string }[] {
  if (statement.type !== "ExportNamedDeclaration") return [];
  if (statement.declaration?.type === "VariableDeclaration") {
    const names = statement.declaration.declarations.flatMap((item) => patternNames(item.id));
    return names.flatMap((name) => (name.type === "Identifier" ? [{ local: name.name, exported: name.name }] : []));
  }
  return statement.specifiers.flatMap(({ local, exported }) =>
    local.type === "Identifier" && exported.type === "Identifier"
      ? [{ local: local.name, exported: exported.name }]
      : [],
  );
}

/** Browser module in place of an actions module. */
export function actionStubs(names: readonly string[]): string {
  const lines = names.map((name) => `export const ${name} = /* @__PURE__ */ act(${JSON.stringify(name)});`);
  return [`import { act } from ${JSON.stringify(PATHS.act)};`, ...lines, ""].join("\n");
}
