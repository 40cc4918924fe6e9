/** `svc build`: the app's folder into `dist/`. */
import { relative } from "node:path";
import { performance } from "node:perf_hooks";
import { buildApp } from "../compiler/build.ts";
import type { CommandOptions } from "./arguments.ts";
import type { Output } from "./output.ts";

export async function build({ root, publicMaps }: CommandOptions, output: Output): Promise<void> {
  const startedMs = performance.now();
  const { manifest } = await buildApp({ root, publicMaps });
  const chunks = Object.keys(manifest.chunks).length;
  const tookMs = Math.round(performance.now() - startedMs);
  const place = `${relative(process.cwd(), root) || "."}/dist`;
  output.line(
    `${output.style("green", "Built")} ${place} in ${tookMs} ms: ${chunks} browser chunks, build ${manifest.build}`,
  );
}
