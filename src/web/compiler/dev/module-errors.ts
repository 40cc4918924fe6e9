/** Finds the errors of all modules of an app under `svc dev`. The module runner stops at the first module that the compiler refuses. */
import { readFile } from "node:fs/promises";
import { parseSync, type TransformResult } from "vite";
import { SVC } from "../analyze/declaration-kinds.ts";
import { svcErrors } from "../build/build-errors.ts";
import { Problems } from "../problems.ts";

/** The used part of Vite's environment. */
interface Compiling {
  transformRequest(url: string): Promise<Pick<TransformResult, "deps" | "dynamicDeps"> | null>;
  readonly pluginContainer: {
    resolveId(specifier: string, importer: string): Promise<{ id: string; external?: boolean | string } | null>;
  };
}

const MODULE = /\.[cm]?[jt]sx?$/;

/**
 * Compiles the modules that a module imports, directly or through others, without running them.
 * @param entry absolute path of the first module
 * @returns the compiler's errors
 */
export async function moduleErrors(environment: Compiling, entry: string): Promise<Problems> {
  const problems = new Problems();
  const modules = new Set([entry]);
  for (const module of modules)
    for (const specifier of await importsOf(environment, module, problems)) {
      // It is no part of the app, and takes longer to compile than most apps.
      if (specifier === SVC || specifier.startsWith(`${SVC}/`)) continue;
      const found = await environment.pluginContainer.resolveId(specifier, module);
      if (found && !found.external && isOfApp(found.id)) modules.add(found.id);
    }
  return problems;
}

function isOfApp(id: string): boolean {
  return MODULE.test(id) && !id.includes("/node_modules/");
}

/** The specifiers of a module's imports. Adds the module's errors to `problems`. */
async function importsOf(environment: Compiling, module: string, problems: Problems): Promise<string[]> {
  try {
    const compiled = await environment.transformRequest(module);
    return [...(compiled?.deps ?? []), ...(compiled?.dynamicDeps ?? [])];
  } catch (error) {
    for (const one of svcErrors(error)) problems.add(one);
    return importsInSource(module);
  }
}

async function importsInSource(module: string): Promise<string[]> {
  const text = await readFile(module, "utf8");
  const { staticImports, staticExports } = parseSync(module, text).module;
  const exported = staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value));
  return [...staticImports.map(({ moduleRequest }) => moduleRequest.value), ...exported].filter(
    (specifier) => specifier !== undefined,
  );
}
