/** Removes types from compiled modules. */
import path from "node:path";
import { transformWithOxc } from "vite";
import type { SourceFile } from "../diagnostics.ts";
import type { Output } from "../model.ts";

/** The compiler keeps types. Vite's transformer removes them, together with unused imports. */
export async function stripTypes(output: Output, file: SourceFile): Promise<{ code: string; map: string }> {
  const inMap = JSON.parse(output.map) as object;
  const result = await transformWithOxc(
    output.code,
    `${file.path}.ts`,
    { lang: "ts", sourcemap: true, tsconfig: false, target: "es2022" },
    inMap,
  );
  // Tools that combine source maps resolve sources relative to the module.
  return { code: result.code, map: JSON.stringify({ ...result.map, sources: [path.basename(file.path)] }) };
}
