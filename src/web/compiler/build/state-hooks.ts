/**
 * Finds out which imported hooks may return state: those behind which a module uses the state functions of the framework. What components
 * show of the others needs no code in the browser, so it may use modules of the server.
 */
import { parseSync } from "vite";
import { isHookName, mayCreateState } from "../analyze/declaration-kinds.ts";
import type { SourceFile } from "../diagnostics.ts";
import { importsOf } from "../parse/imports.ts";
import { parse } from "../parse/parse.ts";

/** Names of the framework by which a module may define hooks with state. */
export const STATE_FUNCTIONS =
  /\b(?:signal|store|computed|createRef|resource|createContext|useContext|effect|onLoad|onVisible|onIdle|onMedia|Signal|Computed)\b/;

/** Those by which other functions create state. A module of translations often has the context and its hook beside them. */
const CREATING_FUNCTIONS = /\b(?:signal|store|computed|createRef|resource|Signal|Computed)\b/;

/** What the search asks of the plugin. */
export interface HookModules {
  /** @returns absolute path of the module behind an import; undefined for the framework and modules of the runtime */
  moduleOf(source: string, importer: string): Promise<string | undefined>;
  textOf(module: string): Promise<string>;
}

/**
 * Local names of the imports of a module whose hooks, also as members, return no state.
 * @param others local names of further functions to search
 */
export async function plainHooks(
  modules: HookModules,
  file: SourceFile,
  id: string,
  others: ReadonlySet<string> = new Set(),
): Promise<ReadonlySet<string>> {
  const plain = new Set<string>();
  for (const { source, imported, local } of importsOf(parse(file))) {
    const isHook = imported === "*" || isHookName(local);
    if (!isHook && !mayCreateState(local) && !others.has(local)) continue;
    const module = await modules.moduleOf(source, id);
    if (module === undefined || !(await mayReturnState(modules, module, isHook ? STATE_FUNCTIONS : CREATING_FUNCTIONS)))
      plain.add(local);
  }
  return plain;
}

/** @param seen modules whose imports are being searched */
async function mayReturnState(
  modules: HookModules,
  module: string,
  names: RegExp,
  seen = new Set<string>(),
): Promise<boolean> {
  if (seen.has(module)) return false;
  seen.add(module);
  if (!/\.[cm]?[jt]sx?$/.test(module)) return false;
  // The code of a package may be minified.
  if (module.includes("/node_modules/")) return true;
  const text = await modules.textOf(module);
  if (names.test(text)) return true;
  for (const source of sourcesOf(module, text)) {
    const found = await modules.moduleOf(source, module);
    if (found !== undefined && (await mayReturnState(modules, found, names, seen))) return true;
  }
  return false;
}

/** Specifiers of the modules whose values a module imports or exports. */
export function sourcesOf(module: string, text: string): string[] {
  const { staticImports, staticExports } = parseSync(module, text, { sourceType: "module" }).module;
  const imported = staticImports
    .filter(({ entries }) => entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value);
  const exported = staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ isType, moduleRequest }) => (isType || !moduleRequest ? [] : [moduleRequest.value])),
  );
  return [...imported, ...exported];
}
