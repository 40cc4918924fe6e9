/**
 * Finds the imports of a module that are functions, or objects with functions, from the code of the app's modules that export them. The browser can
 * import them too, unless a module behind them is for the server.
 */
import { builtinModules } from "node:module";
import type { ESTree } from "vite";
import { holdsFunctions } from "../analyze/holds-functions.ts";
import { makesFunctions, type FunctionImports } from "../analyze/returned-functions.ts";
import { isFunction, holdsJsx, type Node } from "../parse/ast.ts";
import { parse } from "../parse/parse.ts";
import { resolveScopes } from "../parse/scopes.ts";
import type { ClientImport } from "../emit/client-module.ts";
import type { SourceFile } from "../diagnostics.ts";
import { nameOf, reexportsOf } from "./reexports.ts";
import { sourcesOf } from "./state-hooks.ts";

/** What the search asks of the plugin. */
export interface FunctionModules {
  /** @returns absolute path of the module behind an import; undefined for the framework, and for modules that do not exist */
  moduleOf(source: string, importer: string): Promise<string | undefined>;
  fileOf(module: string): Promise<SourceFile>;
  /** Whether a module is one of server actions, of which the browser has stubs. */
  hasActions(module: string): Promise<boolean>;
}

/** @param given imports of the module. @returns undefined if none of them is a function, or an object with functions */
export async function functionImports(
  modules: FunctionModules,
  given: readonly ClientImport[],
  importer: string,
): Promise<FunctionImports | undefined> {
  const values = new Set<string>();
  const makers = new Set<string>();
  for (const { source, imported, local } of given) {
    const module = await modules.moduleOf(source, importer);
    const kind = module && (await exportedKind(modules, module, imported, new Set()));
    if (module === undefined || !kind || (await isOfServer(modules, module, new Set()))) continue;
    values.add(local);
    if (kind === "maker") makers.add(local);
  }
  return values.size === 0 ? undefined : { values, makers };
}

/** `maker`: a function that returns functions. `value`: another function, or an object with functions. */
type ExportedKind = "maker" | "value" | undefined;

/** @param name of the export; `*` for any. @param seen exports that are being searched */
async function exportedKind(
  modules: FunctionModules,
  module: string,
  name: string,
  seen: Set<string>,
): Promise<ExportedKind> {
  if (seen.has(`${module} ${name}`) || !isOfApp(module)) return undefined;
  seen.add(`${module} ${name}`);
  if (await modules.hasActions(module)) return "value";
  const program = parse(await modules.fileOf(module));
  const own = declaredKind(program, name);
  if (own) return own;
  for (const { source, imported, exported } of reexportsOf(program)) {
    if (name !== "*" && imported !== "*" && exported !== name) continue;
    const from = await modules.moduleOf(source, module);
    const found = from && (await exportedKind(modules, from, imported === "*" ? name : imported, seen));
    if (found) return found;
  }
  return undefined;
}

/** The server has other files of a package than the browser, so what a package exports is not known. */
function isOfApp(module: string): boolean {
  return !module.includes("/node_modules/") && /\.[cm]?[jt]sx?$/.test(module);
}

function declaredKind(program: ESTree.Program, name: string): ExportedKind {
  const scopes = resolveScopes(program);
  for (const exported of exportsOf(program, name)) {
    const source =
      exported.type === "Identifier"
        ? scopes.bindings.find((one) => one.owner === null && one.name === exported.name)?.source
        : exported;
    const value = source?.type === "VariableDeclarator" ? source.init : source;
    if (value == null || holdsJsx(value)) continue;
    if (isFunction(value)) return makesFunctions(value) ? "maker" : "value";
    if (holdsFunctions(value, scopes)) return "value";
  }
  return undefined;
}

/** Declarations, names and default values that a module exports under a name. */
function exportsOf(program: ESTree.Program, name: string): Node[] {
  const isAsked = (exported: string): boolean => name === "*" || exported === name;
  return program.body.flatMap((statement): Node[] => {
    if (statement.type === "ExportDefaultDeclaration") return isAsked("default") ? [statement.declaration] : [];
    if (statement.type !== "ExportNamedDeclaration" || statement.source) return [];
    const { declaration, specifiers } = statement;
    if (declaration?.type === "FunctionDeclaration")
      return declaration.id && isAsked(declaration.id.name) ? [declaration] : [];
    if (declaration?.type === "VariableDeclaration")
      return declaration.declarations.filter(({ id }) => id.type === "Identifier" && isAsked(id.name));
    return specifiers.filter(({ exported }) => isAsked(nameOf(exported))).map(({ local }) => local);
  });
}

/** Whether a module, or one that it imports, is for the server by its name or uses a module of Node. */
async function isOfServer(modules: FunctionModules, module: string, seen: Set<string>): Promise<boolean> {
  if (seen.has(module) || !isOfApp(module)) return false;
  seen.add(module);
  if (await modules.hasActions(module)) return false;
  if (/\.server\.\w+$/.test(module)) return true;
  for (const source of sourcesOf(module, (await modules.fileOf(module)).text)) {
    if (source.startsWith("node:") || builtinModules.includes(source)) return true;
    const from = await modules.moduleOf(source, module);
    if (from !== undefined && (await isOfServer(modules, from, seen))) return true;
  }
  return false;
}
