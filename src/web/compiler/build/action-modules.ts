/**
 * Recognises modules of server actions by their calls of `action` from "svckit", and replaces them by stubs in the browser. Only
 * exported actions have stubs. The functions never leave the server.
 */
import type { ESTree } from "vite";
import { PATHS } from "../../../platform/shared/wire.ts";
import { parse } from "../parse/parse.ts";
import { diagnostic, type SourceFile } from "../diagnostics.ts";
import { patternNames, resolveScopes, type Scopes } from "../parse/scopes.ts";
import { functionOf, indexImports, svcName } from "../analyze/declaration-kinds.ts";
import { isFunction, unwrap, type Node } from "../parse/ast.ts";
import { importsFramework, NO_ALIASES, nameFrameworkImports, type FrameworkAliases } from "../framework-imports.ts";

/** One action that a module exports. */
export interface ExportedAction {
  /** Name of the export; may be `default`. */
  exported: string;
  /** Name in HTTP requests: the name of the export, or the local name of a default export. */
  name: string;
  /** Whether it streams: its function is an `async function*`. */
  isStream: boolean;
}

/** @returns the exports whose value is `action(…)`; undefined for a module without actions. @throws SVC117 for an action without a name */
export function exportedActions(
  file: SourceFile,
  aliases: FrameworkAliases = NO_ALIASES,
): ExportedAction[] | undefined {
  // A text search avoids parsing every helper module.
  if (!/\baction\b/.test(file.text) || !importsFramework(file.text, aliases)) return undefined;
  const program = parse(file);
  nameFrameworkImports(program, aliases);
  indexImports(program);
  const scopes = resolveScopes(program);
  const actionCall = (node: Node | null): ESTree.CallExpression | undefined => {
    const call = node && unwrap(node);
    return call?.type === "CallExpression" && svcName(call.callee, scopes) === "action" ? call : undefined;
  };
  const calls = new Map<string, ESTree.CallExpression>();
  for (const statement of program.body) {
    if (statement.type === "ExportDefaultDeclaration" && actionCall(statement.declaration)) {
      throw diagnostic(
        file,
        "SVC117",
        statement,
        "This action has no name, but browser code calls actions by name. Write export const save = action(…), or assign it to a name and export that as default.",
      );
    }
    const inner = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (inner?.type !== "VariableDeclaration") continue;
    for (const item of inner.declarations) {
      const [name] = patternNames(item.id);
      const call = actionCall(item.init);
      if (call && name?.type === "Identifier") calls.set(name.name, call);
    }
  }
  if (calls.size === 0) return undefined;
  return program.body.flatMap((statement) =>
    exportsOf(statement).flatMap(({ local, exported }) => {
      const call = calls.get(local);
      if (!call) return [];
      return [{ exported, name: exported === "default" ? local : exported, isStream: isStream(call, scopes) }];
    }),
  );
}

/** Whether the function of an action is an `async function*`, written inline or in the same module. */
function isStream(call: ESTree.CallExpression, scopes: Scopes): boolean {
  return call.arguments.slice(0, 2).some((argument) => {
    const run = unwrap(argument);
    const binding = scopes.within(run).find(({ node }) => node === run)?.binding;
    const made = isFunction(run) ? run : binding && functionOf(binding);
    return made?.type !== "ArrowFunctionExpression" && made?.generator === true && made.async;
  });
}

function exportsOf(statement: ESTree.Program["body"][number]): { local: string; exported: string }[] {
  if (statement.type === "ExportDefaultDeclaration") {
    const { declaration } = statement;
    return declaration.type === "Identifier" ? [{ local: declaration.name, exported: "default" }] : [];
  }
  if (statement.type !== "ExportNamedDeclaration" || statement.source) return [];
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

/** Local names that cannot collide with actions named act and lines. */
const ACT = "$svc_act";
const LINES = "$svc_lines";

/** The browser module that replaces a module of actions. */
export function actionStubs(actions: readonly ExportedAction[]): string {
  const stub = ({ exported, name, isStream: isLines }: ExportedAction): string => {
    const call = `/* @__PURE__ */ ${isLines ? LINES : ACT}(${JSON.stringify(name)});`;
    return exported === "default" ? `export default ${call}` : `export const ${exported} = ${call}`;
  };
  const imports = [
    ...(actions.every((each) => each.isStream) ? [] : [`import { act as ${ACT} } from ${JSON.stringify(PATHS.act)};`]),
    ...(actions.some((each) => each.isStream)
      ? [`import { lines as ${LINES} } from ${JSON.stringify(PATHS.lines)};`]
      : []),
  ];
  return [...imports, ...actions.map(stub), ""].join("\n");
}
