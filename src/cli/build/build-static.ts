/**
 * `svc build --static`: writes the pages that need no request to `dist/static`, with all files that they load, for a static host.
 * src/app/pages/static-export.ts decides which pages can be exported.
 */
import { ASSETS_DIR } from "../../platform/package/package-root.ts";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BASE_PATH, STATIC_INDEX, VARIABLES } from "../../platform/shared/wire.ts";
import type { ExportedFile, LeftOut } from "../../app/pages/static-export.ts";
import { loadBuilt } from "../load-app.ts";
import type { Output } from "../output.ts";

/** Assets of the runtime in the package. */
/** Resources that the app's code left open must not keep the command running. */
const LINGER_MS = 500;

/** @returns the exit code: 1 if a page with `static: true` can't be exported. */
export async function buildStatic(dist: string, output: Output): Promise<number> {
  // Render as in production, but start no background work and require no production secret.
  process.env[VARIABLES.nodeEnv] = "production";
  process.env[VARIABLES.databaseUrl] = "memory:";
  process.env[VARIABLES.secret] ??= randomBytes(32).toString("hex");
  const entry = join(dist, "server", "app.js");
  const app = await loadBuilt(entry);
  const target = join(dist, "static");
  await rm(target, { recursive: true, force: true });
  await copyAssets(dist, target);
  const files: ExportedFile[] = [];
  const leftOut: LeftOut[] = [];
  for await (const step of app.exportPages(dist)) {
    if (step.kind === "left-out") leftOut.push(step);
    else {
      files.push(step);
      await mkdir(dirname(join(target, step.name)), { recursive: true });
      await writeFile(join(target, step.name), step.body);
    }
  }
  const served = files.filter((file) => file.isServed).map(({ path, name, hashes }) => ({ path, name, hashes }));
  await writeFile(join(dist, STATIC_INDEX), `${JSON.stringify(served, null, 2)}\n`);
  report(files, leftOut, output);
  await app.close();
  const code = leftOut.some(({ isRequired }) => isRequired) ? 1 : 0;
  setTimeout(() => process.exit(code), LINGER_MS).unref();
  return code;
}

/** Copies all files, each to the address at which pages load it. */
async function copyAssets(dist: string, target: string): Promise<void> {
  const plain = (source: string): boolean => !/\.(?:br|gz|map)$|[/\\](?:stub|swap)\.js$|benchmark\.json$/.test(source);
  const copy = async (from: string, to: string): Promise<void> => {
    if (existsSync(from)) await cp(from, to, { recursive: true, filter: plain });
  };
  await copy(join(dist, "public"), target);
  await copy(join(dist, "client", "public"), target);
  await copy(ASSETS_DIR, join(target, BASE_PATH));
  await copy(join(dist, "client", "handler"), join(target, BASE_PATH, "handler"));
  await copy(join(dist, "client", "handler"), join(target, BASE_PATH, "island"));
  await copy(join(dist, "client", "asset"), join(target, BASE_PATH, "asset"));
}

function report(files: readonly ExportedFile[], leftOut: readonly LeftOut[], output: Output): void {
  output.line(`${output.style("green", "Exported")} ${files.length} files to dist/static`);
  for (const { path, name, callsActions } of files)
    output.line(`  ${path} → ${name}${callsActions ? " (calls actions, which need the app at the same address)" : ""}`);
  if (leftOut.length > 0) output.line(`${output.style("bold", "Left out")}, for svc start to serve:`);
  for (const { path, why, isRequired } of leftOut) {
    const line = `  ${path} ${why}`;
    if (isRequired) output.error(`${line}, but has static: true`);
    else output.line(line);
  }
}
