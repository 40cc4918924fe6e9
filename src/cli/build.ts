/** `svc build`: the app's folder into `dist/`. */
import { relative } from "node:path";
import { performance } from "node:perf_hooks";
import { buildApp } from "../compiler/build.ts";
import type { CommandOptions } from "./arguments.ts";
import { buildStatic } from "./build-static.ts";
import type { Output } from "./output.ts";

/** @returns the exit code */
export async function build({ root, publicMaps, isStatic = false }: CommandOptions, output: Output): Promise<number> {
  const startedMs = performance.now();
  const { manifest, outDir } = await buildApp({ root, publicMaps });
  const chunks = Object.keys(manifest.chunks).length;
  const tookMs = Math.round(performance.now() - startedMs);
  const place = `${relative(process.cwd(), root) || "."}/dist`;
  output.line(
    `${output.style("green", "Built")} ${place} in ${tookMs} ms: ${chunks} browser ${chunks === 1 ? "chunk" : "chunks"}, build ${manifest.build}`,
  );
  return isStatic ? buildStatic(outDir, output) : 0;
}
