/**
 * Finds the server actions that the browser code of a TSX file may call, in its own imports and in those of the modules behind them, and
 * registers them on the server. Registering happens when the server evaluates the TSX file: its compiled module adds them to a list that
 * `createApp` receives (app-calls.ts).
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseSync } from "vite";
import type { ClientImport } from "../emit/client-module.ts";
import type { ExportedAction } from "./action-modules.ts";
import { relativePath } from "./import-chain.ts";

/** Name of the list in compiled modules. */
export const ACTIONS_LIST = "$svc_actions";
/** The module of the list. One exists per build, and per evaluation of the app under `svc dev`. */
export const ACTIONS_MODULE = "virtual:svc-actions";
export const actionsModule = `export const ${ACTIONS_LIST} = [];\n`;
export const importOfActionsList = `import { ${ACTIONS_LIST} } from "${ACTIONS_MODULE}";\n`;

/** An import of a module: `*` is all of its exports. */
interface Link {
  readonly source: string;
  readonly imported: string;
}

export interface HandlerActions {
  readonly actions: readonly (ExportedAction & { readonly module: string })[];
  /** Absolute paths of the modules that were searched. */
  readonly searched: ReadonlySet<string>;
}

/** What the search asks of the plugin. */
export interface ActionSearch {
  /** @returns absolute path of a module of the app; undefined for packages, files that are not code, and modules of the server only. */
  moduleOf(source: string, importer: string): Promise<string | undefined>;
  /** @returns undefined if it is not a module of server actions. */
  actionsOf(module: string): Promise<ExportedAction[] | undefined>;
}

/** @param module absolute path of the TSX file. @param imports those of its browser code */
export async function findHandlerActions(
  module: string,
  imports: readonly ClientImport[],
  search: ActionSearch,
): Promise<HandlerActions> {
  const found = new Map<string, ExportedAction & { module: string }>();
  const searched = new Set<string>();
  const links = imports.map((link): Link & { importer: string } => ({ ...link, importer: module }));
  for (const { source, imported, importer } of links) {
    const target = await search.moduleOf(source, importer);
    if (target === undefined) continue;
    const actions = await search.actionsOf(target);
    for (const action of actions ?? [])
      if (imported === "*" || imported === action.exported)
        found.set(`${target}\0${action.exported}`, { ...action, module: target });
    if (!actions && !searched.has(target))
      links.push(...(await linksOf(target)).map((link) => ({ ...link, importer: target })));
    searched.add(target);
  }
  return { actions: [...found.values()], searched };
}

/** Static, dynamic and re-exporting imports of a module. */
async function linksOf(file: string): Promise<Link[]> {
  const text = await readFile(file, "utf8");
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text, { sourceType: "module" }).module;
  return [
    ...staticImports.flatMap(({ moduleRequest, entries }) =>
      entries
        .filter(({ isType }) => !isType)
        .map(({ importName }) => ({ source: moduleRequest.value, imported: nameOf(importName) })),
    ),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, importName, isType }) =>
        moduleRequest && !isType ? [{ source: moduleRequest.value, imported: nameOf(importName) }] : [],
      ),
    ),
    ...dynamicImports.flatMap(({ moduleRequest }) => {
      const [, source] =
        /^(["'`])([^"'`$]+)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.slice(1) ?? [];
      return source === undefined ? [] : [{ source, imported: "*" }];
    }),
  ];
}

function nameOf({ kind, name }: { kind: string; name: string | null }): string {
  if (kind === "Default") return "default";
  return kind === "Name" && name !== null ? name : "*";
}

/**
 * Adds statements to the end of the compiled server module. The list contains functions, because a module of actions that imports the TSX file
 * is evaluated after it.
 */
export function withRegistrations(code: string, { actions }: HandlerActions, module: string, root: string): string {
  if (actions.length === 0) return code;
  const lines = actions.flatMap(({ exported, name, module: target }, at) => {
    const from = path.relative(path.dirname(module), target).split(path.sep).join("/");
    const local = `$svc_action${at}`;
    const entry = { name, module: relativePath(root, target) };
    return [
      `import { ${exported} as ${local} } from ${JSON.stringify(from.startsWith(".") ? from : `./${from}`)};`,
      `${ACTIONS_LIST}.push({ ...${JSON.stringify(entry)}, action: () => ${local} });`,
    ];
  });
  // The module of the app imports the list already.
  const list = code.includes(`"${ACTIONS_MODULE}"`) ? "" : importOfActionsList;
  return `${code}\n${list}${lines.join("\n")}\n`;
}
