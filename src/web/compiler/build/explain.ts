/** `svc explain`: shows server vs browser code and bundle size of one file. It compiles and bundles only that file. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { unwrapErrors } from "./build-errors.ts";
import { browserConfig } from "./build.ts";
import { compileFile } from "../compile.ts";
import { FrameworkImports } from "../framework-imports.ts";
import { relativePath } from "./import-chain.ts";
import { CLIENT_QUERY } from "../plugin.ts";
import { newAppModules } from "./app-modules.ts";
import { reportOf, type FileReport } from "./explain-report.ts";

export type { ComponentReport, FileReport, TemplateReport } from "./explain-report.ts";

export interface Explanation extends FileReport {
  /** Bytes of the file's chunk with its imports, as in production; undefined without browser code. */
  chunk: { bytes: number; gzipBytes: number } | undefined;
}

/**
 * @param root folder of the app. @param file absolute path of a TSX file.
 * @throws SvcError of the compiler.
 * @example
 * const explanation = await explainFile(process.cwd(), "app.tsx");
 */
export async function explainFile(root: string, file: string): Promise<Explanation> {
  const text = await readFile(file, "utf8");
  const aliases = await new FrameworkImports().aliasesIn(text, path.resolve(file), async (specifier) => specifier);
  const { module, client, templates, compiled } = compileFile(text, relativePath(root, file), { aliases });
  const report = reportOf(module, client, templates);
  return { ...report, chunk: compiled.client && (await chunkOf(root, path.resolve(file))) };
}

async function chunkOf(root: string, file: string): Promise<Explanation["chunk"]> {
  const config = browserConfig(root, newAppModules());
  const output = await unwrapErrors(() =>
    build({
      ...config,
      build: {
        ...config.build,
        write: false,
        rolldownOptions: { input: file + CLIENT_QUERY, preserveEntrySignatures: "strict", output: { format: "es" } },
      },
    }),
  );
  const [result] = Array.isArray(output) ? output : "output" in output ? [output] : [];
  const code = (result?.output ?? []).map((item) => (item.type === "chunk" ? item.code : "")).join("");
  return { bytes: Buffer.byteLength(code), gzipBytes: gzipSync(code, { level: 9 }).length };
}
