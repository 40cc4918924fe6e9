/** The other frameworks: installed from a lockfile at their first use, and built by their own Vite. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type * as Vite from "vite";
import { peersDir } from "./places.ts";
import { progress } from "./report.ts";

/** Installs the packages of `folder` from its package-lock.json, unless they are installed. */
export async function install(folder = peersDir): Promise<void> {
  const wanted = readFileSync(join(folder, "package-lock.json"), "utf8");
  const record = join(folder, "node_modules/.svc-bench-lock");
  if (existsSync(record) && readFileSync(record, "utf8") === wanted) return;
  progress(`installing the other frameworks into ${folder}`);
  await promisify(execFile)("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder });
  writeFileSync(record, wanted);
}

/** A package of `folder`. The caller declares its exports, because it is not installed when types are checked. */
export async function load<T>(name: string, folder = peersDir): Promise<T> {
  const path = createRequire(join(folder, "package.json")).resolve(name);
  return (await import(pathToFileURL(path).href)) as T;
}

export function versionOf(name: string, folder = peersDir): string {
  const file = join(folder, "node_modules", name, "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

/** Marko resolves its own packages from the working directory. */
export async function inFolder<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await run();
  } finally {
    process.chdir(before);
  }
}

type Plugins = Vite.PluginOption[];

/** Vite's plugins for the sources in bench/peers, for the browser or for the server. */
export async function plugins(isServer: boolean, options: { hydratable?: boolean } = {}): Promise<Plugins> {
  const solid = await load<{ default(options: object): Plugins }>("vite-plugin-solid");
  const svelte = await load<{ svelte(options: object): Plugins }>("@sveltejs/vite-plugin-svelte");
  const generate = isServer ? "ssr" : "dom";
  return [
    solid.default({
      ssr: isServer,
      include: /solid\.jsx$/,
      solid: { generate, hydratable: options.hydratable ?? false },
    }),
    svelte.svelte({ configFile: false, compilerOptions: { css: "injected" } }),
  ];
}

/** Production build. @param entry "" if `config` has its own entries. @returns path of the built entry */
export async function buildPeer(entry: string, outDir: string, config: Vite.InlineConfig): Promise<string> {
  const vite = await load<typeof Vite>("vite");
  await vite.build({
    root: peersDir,
    configFile: false,
    mode: "production",
    logLevel: "error",
    publicDir: false,
    ...config,
    build: {
      outDir,
      emptyOutDir: true,
      modulePreload: false,
      target: "es2022",
      ...config.build,
      rolldownOptions: {
        ...(entry !== "" && { input: join(peersDir, entry) }),
        output: { entryFileNames: "entry.js", chunkFileNames: "[name]-[hash].js" },
        ...config.build?.rolldownOptions,
      },
    },
  });
  return join(outDir, "entry.js");
}
