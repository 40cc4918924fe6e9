/**
 * The production build: `dist/server/app.js`, `dist/client/handler/*.js`, `dist/public`, `dist/manifest.json`.
 *
 * The server build runs first and finds the TSX files that have browser code; these are the entries of the browser
 * build. Chunks of earlier builds stay, so pages from before a deploy keep working (docs/reference/http.md). Source maps of browser
 * code are in `dist/maps`, which no server serves.
 */
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build, type InlineConfig, type Rollup } from "vite";
import { SvcError } from "../../../platform/shared/errors.ts";
import { folderOf, requirePath } from "./app-path.ts";
import { keepErrors } from "./build-errors.ts";
import { collectErrors } from "./collect-errors.ts";
import { PURE_CALLS } from "./import-chain.ts";
import type { Manifest } from "../../../platform/shared/manifest.ts";
import { DOM, PATHS, STATIC_INDEX } from "../../../platform/shared/wire.ts";
import { sortedImports } from "../emit/chunk-imports.ts";
import { disposalSymbols } from "../emit/disposal-symbols.ts";
import { createManifest } from "./manifest.ts";
import { Problems } from "../problems.ts";
import { browserEntries, newAppModules, requireFramework, type AppModules } from "./app-modules.ts";
import { CLIENT_QUERY, svc } from "../plugin.ts";
import { writeGraphTypes } from "./graph-types.ts";
import { writeRouteTypes } from "./route-types.ts";
import { precompress } from "./precompress.ts";
import { buildStyles } from "./build-styles.ts";
import { ASSET_BUILD, ASSET_OUTPUT, ASSET_URLS } from "../styles/asset-config.ts";
import { scopedNames } from "../styles/scoped-names.ts";
import { styleOrder } from "../styles/style-order.ts";

const ENTRIES = ["", "src/"].flatMap((folder) =>
  ["tsx", "ts", "jsx", "js"].map((extension) => `${folder}app.${extension}`),
);

export interface BuildOptions {
  /** Folder of the app. */
  root: string;
  /** Default: `dist` in the root. */
  outDir?: string;
  /** Whether the server serves source maps, and so the source code. Default false: they are in `maps` only. */
  publicMaps?: boolean;
  /** Called with one line per step. */
  log?: (line: string) => void;
}

export interface BuildResult {
  manifest: Manifest;
  outDir: string;
  /** Chunks that pages may name, smallest first. */
  chunks: { name: string; module: string; bytes: number; gzipBytes: number }[];
  milliseconds: number;
  /** What the developer should know, in a sentence each. */
  hints: string[];
  /** Absolute paths of the modules that import the framework. */
  importers: string[];
}

/**
 * Builds an app for `svc start`.
 * @throws SvcError SVC_DEFINITION without an entry, SVC101 … SVC128 from the compiler: the errors of all files as one.
 * @example
 * const { manifest } = await buildApp({ root: process.cwd(), log: console.log });
 */
export async function buildApp(options: BuildOptions): Promise<BuildResult> {
  const began = performance.now();
  const root = folderOf(options.root);
  const outDir = path.resolve(root, options.outDir ?? "dist");
  const log = options.log ?? (() => {});
  requirePath(root, /\?/);
  const entry = findEntry(root);
  writeRouteTypes(entry);
  writeGraphTypes(entry);
  const modules = newAppModules(true);
  await rm(path.join(outDir, "server"), { recursive: true, force: true });
  // Static pages of another build refer to chunks and data that this build may lack.
  await rm(path.join(outDir, STATIC_INDEX), { force: true });
  const problems = new Problems();
  const server = await keepErrors(problems, () => build(serverConfig(root, outDir, entry, modules, problems)), root);
  // The browser build finds other errors.
  if (!server && problems.hasOnlyPositions)
    await buildBrowser(root, outDir, modules, problems, options.publicMaps ?? false);
  problems.throwAny();
  await sayModule(path.join(outDir, "server"));
  await writeTypes(path.join(outDir, "server"), entry);
  await moveAssets(outDir);
  log(`server: ${path.relative(root, path.join(outDir, "server", "app.js"))}`);
  const { chunks, callers, needs } = await buildBrowser(root, outDir, modules, problems, options.publicMaps ?? false);
  problems.throwAny();
  requireFramework(modules);
  const code = outputOf(server).flatMap((file) => (file.type === "chunk" ? [file.code] : []));
  const found = styleOrder(modules.styles, entry, modules.jsx);
  const styles = found && (await buildStyles(root, path.join(outDir, "client"), found));
  const manifest = {
    ...createManifest(chunks, [...modules.actions.values()].flat(), styles ? [...code, JSON.stringify(styles)] : code),
    callers,
    ...(Object.keys(needs).length > 0 && { needs }),
    ...(styles && { styles }),
  };
  await copyPublic(root, outDir);
  await modules.images.write(path.join(outDir, "client"));
  await modules.publicFiles.copy(path.join(root, "public"), path.join(outDir, "client", "public"));
  await precompress(path.join(outDir, "client"));
  await mkdir(outDir, { recursive: true });
  await writeFile(path.join(outDir, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const sizes = await chunkSizes(outDir, manifest);
  for (const chunk of sizes)
    log(`browser: ${chunk.name}.js ${chunk.bytes} B, gzip ${chunk.gzipBytes} B (${chunk.module})`);
  const hint = await modules.images.hint();
  const milliseconds = Math.round(performance.now() - began);
  const hints = hint === undefined ? [] : [hint];
  return { manifest, outDir, chunks: sizes, milliseconds, hints, importers: [...modules.framework] };
}

/** Moves the files that server modules import to those that browsers load. */
async function moveAssets(outDir: string): Promise<void> {
  const { assetsDir } = ASSET_BUILD;
  const source = path.join(outDir, "server", assetsDir);
  if (!existsSync(source)) return;
  await cp(source, path.join(outDir, "client", assetsDir), { recursive: true });
  await rm(source, { recursive: true });
}

/**
 * Writes a package.json for the server's code if the app's own does not set `"type": "module"`, as after `npm init`. Otherwise none is
 * written, because an app may import from its own package by name.
 */
async function sayModule(folder: string): Promise<void> {
  if ((await typeOfPackage(folder)) === "module") return;
  await writeFile(path.join(folder, "package.json"), `${JSON.stringify({ type: "module" })}\n`);
}

/** Types of the built app for TypeScript code that mounts it. Without them, the compiler would check the built JavaScript. */
async function writeTypes(folder: string, entry: string): Promise<void> {
  const source = path.relative(folder, entry).split(path.sep).join("/");
  const specifier = JSON.stringify(source.replace(/\.([jt])sx?$/, ".js"));
  await writeFile(path.join(folder, "app.d.ts"), `export { default } from ${specifier};\n`);
}

async function typeOfPackage(folder: string): Promise<string | undefined> {
  const text = await readFile(path.join(folder, "package.json"), "utf8").catch(() => undefined);
  if (text !== undefined) return (JSON.parse(text) as { type?: string }).type;
  const above = path.dirname(folder);
  return above === folder ? undefined : typeOfPackage(above);
}

/** Absolute path of the module whose default export is the app. */
export function findEntry(root: string): string {
  const found = ENTRIES.map((name) => path.join(root, name)).find((file) => existsSync(file));
  if (found) return found;
  throw new SvcError(
    "SVC_DEFINITION",
    `No app found in ${root}: looked for ${ENTRIES.join(", ")}. Write one with createApp(…) as its default export, or create an app with "svc new <folder>".`,
  );
}

function serverConfig(
  root: string,
  outDir: string,
  entry: string,
  modules: AppModules,
  problems: Problems,
): InlineConfig {
  return {
    root,
    // Errors are thrown, so Vite need not log them as well.
    logLevel: "silent",
    publicDir: false,
    experimental: ASSET_URLS,
    plugins: [collectErrors(svc({ modules }), problems), scopedNames()],
    build: {
      ...ASSET_BUILD,
      ssr: entry,
      // Pages use files that no browser code imports, such as pictures.
      ssrEmitAssets: true,
      outDir: path.join(outDir, "server"),
      emptyOutDir: true,
      target: "node20",
      sourcemap: true,
      minify: false,
      rolldownOptions: {
        output: { ...ASSET_OUTPUT, entryFileNames: "app.js", chunkFileNames: "[name]-[hash].js", format: "es" },
      },
    },
  };
}

/** Names sources in source maps by their path in the app, wherever the map is stored. */
export function fromRoot(root: string): (source: string, map: string) => string {
  return (source, map) =>
    path
      .relative(root, path.resolve(path.dirname(map), source))
      .split(path.sep)
      .join("/");
}

/** Settings of a browser build, shared with the development host. @param problems gets the errors of all modules; default: the first one ends the build */
export function browserConfig(root: string, modules: AppModules, problems?: Problems): InlineConfig {
  const plugin = svc({ modules });
  return {
    root,
    // Errors are thrown, so Vite need not log them as well.
    logLevel: "silent",
    publicDir: false,
    experimental: ASSET_URLS,
    plugins: [problems ? collectErrors(plugin, problems) : plugin, sortedImports(), disposalSymbols(), scopedNames()],
    build: {
      ...ASSET_BUILD,
      target: "es2022",
      modulePreload: false,
      reportCompressedSize: false,
      cssCodeSplit: false,
      minify: "oxc",
      rolldownOptions: { treeshake: { manualPureFunctions: PURE_CALLS } },
    },
  };
}

interface BrowserChunks {
  /** Module -> name of its chunk. */
  readonly chunks: ReadonlyMap<string, string>;
  /** Names of the chunks that may call actions. */
  readonly callers: string[];
  /** Chunk that creates components -> other modules that it imports. */
  readonly needs: Record<string, string[]>;
}

async function buildBrowser(
  root: string,
  outDir: string,
  modules: AppModules,
  problems: Problems,
  areMapsPublic: boolean,
): Promise<BrowserChunks> {
  const entries = browserEntries(modules);
  if (entries.size === 0) return { chunks: new Map(), callers: [], needs: {} };
  const config = browserConfig(root, modules, problems);
  const input = [...entries.keys()].map((file) => file + CLIENT_QUERY);
  const output = await keepErrors(
    problems,
    () =>
      build({
        ...config,
        build: {
          ...config.build,
          outDir: path.join(outDir, "client"),
          emptyOutDir: false,
          // Hidden: the map is written, but the chunk does not refer to it.
          sourcemap: areMapsPublic ? true : "hidden",
          rolldownOptions: {
            ...config.build?.rolldownOptions,
            input,
            preserveEntrySignatures: "strict",
            output: {
              ...ASSET_OUTPUT,
              format: "es",
              entryFileNames: (chunk) => `handler/${baseName(chunk.facadeModuleId ?? chunk.name)}-[hash:8].js`,
              chunkFileNames: "handler/shared-[hash:8].js",
              sourcemapPathTransform: fromRoot(root),
            },
          },
        },
      }),
    root,
  );
  if (!output) return { chunks: new Map(), callers: [], needs: {} };
  if (!areMapsPublic) await takeMapsAway(outDir);
  const files = outputOf(output);
  const written = new Map(files.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file]] : [])));
  const chunks = new Map<string, string>();
  const callers: string[] = [];
  const needs: Record<string, string[]> = {};
  for (const file of written.values()) {
    if (!file.isEntry || file.facadeModuleId === null) continue;
    const module = entries.get(file.facadeModuleId.slice(0, -CLIENT_QUERY.length));
    if (module === undefined) continue;
    const name = path.posix.basename(file.fileName, ".js");
    chunks.set(module, name);
    if (withImports(file, written).some((one) => modules.actions.has(one.facadeModuleId ?? one.fileName)))
      callers.push(name);
    const needed = importedModules(file, written);
    if (needed.includes(CREATE)) needs[name] = needed;
  }
  return { chunks, callers: callers.sort(), needs };
}

/** Part of the runtime that creates components. */
const CREATE = path.posix.basename(PATHS.create, ".js");
/** How a chunk imports a part of the runtime (emit/chunk-imports.ts). */
const PART_IMPORT = new RegExp(`${DOM.queue.replaceAll("$", "\\$")}\\.load\\(["'\`]([\\w-]+)["'\`]\\)`, "g");

/** Modules that a chunk imports statically, directly or not, by the names under which the loader fetches them. */
function importedModules(chunk: Rollup.OutputChunk, all: ReadonlyMap<string, Rollup.OutputChunk>): string[] {
  const found = new Set([chunk]);
  for (const one of found)
    for (const name of one.imports) {
      const other = all.get(name);
      if (other) found.add(other);
    }
  const parts = [...found].flatMap(({ code }) => [...code.matchAll(PART_IMPORT)].map(([, part = ""]) => part));
  const chunks = [...found].filter((one) => one !== chunk).map(({ fileName }) => fileName.replace(/\.js$/, ""));
  return [...new Set([...chunks, ...parts])].filter((name) => name !== "core").sort();
}

/** Files that a build has written; none for a build that watches. */
function outputOf(built: Awaited<ReturnType<typeof build>> | undefined): (Rollup.OutputChunk | Rollup.OutputAsset)[] {
  return (Array.isArray(built) ? built : built && "output" in built ? [built] : []).flatMap((one) => one.output);
}

/** A chunk and the chunks that it imports, statically or dynamically. */
function withImports(chunk: Rollup.OutputChunk, all: ReadonlyMap<string, Rollup.OutputChunk>): Rollup.OutputChunk[] {
  const found = new Set([chunk]);
  for (const one of found)
    for (const name of [...one.imports, ...one.dynamicImports]) {
      const other = all.get(name);
      if (other) found.add(other);
    }
  return [...found];
}

/** Files below `client` are served. */
async function takeMapsAway(outDir: string): Promise<void> {
  const client = path.join(outDir, "client");
  for (const name of await readdir(client, { recursive: true })) {
    if (!name.endsWith(".js.map")) continue;
    const target = path.join(outDir, "maps", name);
    await mkdir(path.dirname(target), { recursive: true });
    await rename(path.join(client, name), target);
  }
}

/** `/app/pages/Todo.tsx?svc-client` -> `todo`, with characters that are safe in a URL. */
export function baseName(id: string): string {
  const file = path.basename(id.split("?")[0] ?? id).replace(/\.[cm]?[jt]sx?$/, "");
  return file.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-") || "chunk";
}

async function copyPublic(root: string, outDir: string): Promise<void> {
  const source = path.join(root, "public");
  const target = path.join(outDir, "public");
  await rm(target, { recursive: true, force: true });
  if (!existsSync(source)) return;
  await cp(source, target, { recursive: true });
  await precompress(target);
}

async function chunkSizes(outDir: string, manifest: Manifest): Promise<BuildResult["chunks"]> {
  const sizes: BuildResult["chunks"] = [];
  for (const [module, name] of Object.entries(manifest.chunks)) {
    const bytes = await readFile(path.join(outDir, "client", "handler", `${name}.js`));
    sizes.push({ name, module, bytes: bytes.length, gzipBytes: gzipSync(bytes, { level: 9 }).length });
  }
  return sizes.sort((left, right) => left.bytes - right.bytes);
}
