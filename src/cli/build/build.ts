/** `svc build`: builds an app into `dist/`. */
import { join, relative } from "node:path";
import { performance } from "node:perf_hooks";
import { buildApp, findEntry } from "../../web/compiler/build/build.ts";
import { importError } from "../../web/compiler/build/import-errors.ts";
import { buildStatic } from "./build-static.ts";
import { checkBuilt } from "./check-built.ts";
import { loadEnvFiles } from "../env-files.ts";
import type { Output } from "../output.ts";

export interface BuildTask {
  /** Absolute path. */
  root: string;
  publicMaps: boolean;
  /** Also write pages that need no request as files. */
  isStatic: boolean;
}

/** Resources that the app's code left open must not keep the command running. */
const LINGER_MS = 500;

/** @returns the exit code */
export async function build({ root, publicMaps, isStatic }: BuildTask, output: Output): Promise<number> {
  const startedMs = performance.now();
  loadEnvFiles(root, "production", process.env);
  const { manifest, outDir, hints, importers } = await buildApp({ root, publicMaps });
  if (!isStatic) await checkAlone(root, outDir, importers, output);
  const chunks = Object.keys(manifest.chunks).length;
  const tookMs = Math.round(performance.now() - startedMs);
  const place = `${relative(process.cwd(), root) || "."}/dist`;
  output.line(
    `${output.style("green", "Built")} ${place} in ${tookMs} ms: ${chunks} browser ${chunks === 1 ? "chunk" : "chunks"}, build ${manifest.build}`,
  );
  for (const hint of hints) output.line(hint);
  return isStatic ? buildStatic(outDir, output) : 0;
}

/** Names that a package exports, for a suggestion. None for a package that only the app can resolve. */
async function exportsOf(specifier: string): Promise<string[]> {
  try {
    return Object.keys((await import(specifier)) as object);
  } catch {
    return [];
  }
}

/** Loads the built app. Work that its modules start, such as a connection, must neither fail the command nor keep it running. */
async function checkAlone(root: string, outDir: string, importers: readonly string[], output: Output): Promise<void> {
  process.on("uncaughtException", () => undefined);
  // Stack traces show positions in the source.
  process.setSourceMapsEnabled(true);
  try {
    await checkBuilt(join(outDir, "server", "app.js"), relative(root, findEntry(root)), output);
  } catch (error) {
    throw (await importError(error, root, exportsOf, importers)) ?? error;
  } finally {
    setTimeout(() => process.exit(), LINGER_MS).unref();
  }
}
