/** Chooses how a module is compiled: as one with JSX, or as one that may define hooks. */
import { compile, compileHooks, type Compiled, type CompileOptions } from "../compile.ts";
import type { SourceFile } from "../diagnostics.ts";
import { importsFramework, type FrameworkAliases } from "../framework-imports.ts";
import { exportedActions } from "./action-modules.ts";
import { STATE_FUNCTIONS } from "./state-hooks.ts";

/** Whether a module of the app without JSX may define hooks. */
export function mayHoldHooks(id: string, file: SourceFile, aliases: FrameworkAliases): boolean {
  if (id.includes("/node_modules/") || /\.server\.[cm]?[jt]s$/.test(id) || !STATE_FUNCTIONS.test(file.text))
    return false;
  return importsFramework(file.text, aliases) && exportedActions(file, aliases) === undefined;
}

export function compileTsx({ text, path: shown }: SourceFile, options: CompileOptions): Compiled {
  return compile(text, shown, options);
}

/** @returns undefined for a module without JSX that stays as it is */
export function compiledFrom(file: SourceFile, options: CompileOptions): Compiled | undefined {
  return /\.[jt]sx$/.test(file.path)
    ? compile(file.text, file.path, options)
    : compileHooks(file.text, file.path, options);
}
