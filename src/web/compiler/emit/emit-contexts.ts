/** Step 4, server code: names the contexts that a module declares, and records which exports may read contexts. */
import type { Module } from "../analyze/analyze.ts";
import { contextNames, ContextUseFinder } from "../analyze/contexts.ts";
import type { ServerOutput } from "./server-output.ts";

/** @param isBrowser whether browser code imports the module, so that it needs no records. @returns whether the module needs any of this */
export function emitContexts(module: Module, out: ServerOutput, isBrowser = false): boolean {
  const declared = contextNames(module.program, module.file.path);
  const exported = isBrowser ? [] : new ContextUseFinder(module).exported();
  for (const { at, code } of declared) out.insert(at, code);
  for (const { name, list } of exported) out.append(`\n${out.use("uses")}(${name}, ${list});`);
  return declared.length + exported.length > 0;
}
