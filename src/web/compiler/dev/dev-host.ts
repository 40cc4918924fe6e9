/**
 * The development host: the compiler output of production, on demand and current after every edit. It owns a Vite server in
 * middleware mode (no port, no socket). The app layer serves its results.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import {
  createRunnableDevEnvironment,
  createServer,
  isRunnableDevEnvironment,
  normalizePath,
  type ViteDevServer,
} from "vite";
import { invariant } from "../../../platform/shared/errors.ts";
import type { Manifest } from "../../../platform/shared/manifest.ts";
import { PATHS } from "../../../platform/shared/wire.ts";
import { unwrapErrors } from "../build/build-errors.ts";
import { folderOf, requirePath } from "../build/app-path.ts";
import { findEntry } from "../build/build.ts";
import { DevChunks } from "./dev-chunks.ts";
import { moduleErrors } from "./module-errors.ts";
import { createHotModules, type HotModules } from "./hot-modules.ts";
import { relativePath } from "../build/import-chain.ts";
import { importError } from "../build/import-errors.ts";
import { SVC } from "../analyze/declaration-kinds.ts";
import { createManifest } from "../build/manifest.ts";
import { newAppModules, type AppModules } from "../build/app-modules.ts";
import { forgetCompiled } from "../build/compiled-modules.ts";
import { svc } from "../plugin.ts";
import { writeGraphTypes } from "../build/graph-types.ts";
import { writeRouteTypes } from "../build/route-types.ts";
import type { Position } from "../parse/source-positions.ts";
import { ASSET_BUILD } from "../styles/asset-config.ts";
import { scopedNames } from "../styles/scoped-names.ts";
import { DevStyles } from "./dev-styles.ts";

/** Files that can change a module or chunk, even before any module imports them. */
const CODE = /(?<!\.d)\.(?:[cm]?[jt]sx?|json)$/;

/** Folders in the app that contain no source. Folders around the app may have these names. */
const NOT_SOURCE = /(?:^|[\\/])(?:dist|\.svc|node_modules)(?:[\\/]|$)/;

/** An evaluation of the app's modules. */
export interface LoadedModules {
  readonly default: unknown;
  /** Closes what the modules opened (`import.meta.hot.dispose`). @throws AggregateError */
  dispose(): Promise<void>;
}

/** A change of a file. */
export interface FileChange {
  /** Absolute path, with forward slashes. */
  readonly file: string;
  /** Whether it may change the app: it contains code, or a module imports it. */
  readonly isUsed: boolean;
  /** URLs of the imported stylesheets that it may change. */
  readonly styles: readonly string[];
}

export interface DevHost {
  /** Path of the app module, relative to the root. */
  readonly entry: string;
  /** Evaluates all modules of the app again. @throws SvcError all errors of the compiler, as one. */
  loadApp(): Promise<LoadedModules>;
  /** Code of a browser chunk by its name without `.js`, including replaced ones; undefined for unknown names. */
  chunk(name: string): Promise<string | undefined>;
  /** Chunks of the modules loaded so far. The name of a chunk changes when an edit may have changed its code. */
  manifest(): Manifest;
  /** Source position of a position in a chunk (line and column from 1) of this build or an earlier one. */
  sourceOf(name: string, line: number, column: number): Position | undefined;
  /** Opens the editor for a request with the query `file=<path>:<line>:<column>`. */
  openEditor(message: IncomingMessage, reply: ServerResponse): void;
  /**
   * Answers a request for a stylesheet or another file that a module imports. @param file its path behind `PATHS.devFiles`
   * @throws SvcError if it is a stylesheet with an error. The request then has no answer.
   */
  serveFile(file: string, message: IncomingMessage, reply: ServerResponse): Promise<void>;
  /**
   * Calls `listener` after a file of the app was changed, added or removed, and at once for the changes before the first listener.
   * @returns removes the listener
   */
  onChange(listener: (change: FileChange) => void): () => void;
  close(): Promise<void>;
}

/**
 * @param options.root folder of the app.
 * @example
 * const host = await createDevHost({ root: process.cwd() });
 */
export async function createDevHost(options: { root: string }): Promise<DevHost> {
  const root = folderOf(options.root);
  requirePath(root, /[#?]/);
  const entry = findEntry(root);
  writeRouteTypes(entry);
  writeGraphTypes(entry);
  const modules = newAppModules();
  const hot = createHotModules();
  const server = await startVite(root, modules, hot);
  const environment = server.environments.ssr;
  invariant(isRunnableDevEnvironment(environment), "Vite's ssr environment runs modules");
  const namesOf = async (specifier: string): Promise<string[]> =>
    Object.keys(await environment.runner.import<object>(specifier));
  const listeners = new Set<(change: FileChange) => void>();
  /** Changes that no listener has seen. */
  const early: FileChange[] = [];
  const chunks = new DevChunks(root, modules);
  const styles = new DevStyles(root, entry, modules, server);
  const publicFolder = `${normalizePath(root)}/public/`;

  server.watcher.on("all", (event, rawPath) => {
    // Module ids have forward slashes, but the watcher reports backslashes on Windows.
    const file = normalizePath(rawPath);
    const isCode = CODE.test(file) && !file.startsWith(publicFolder);
    // A module that refers to a file in public/ fails without it.
    const decides = event !== "change" && modules.publicFiles.asked.has(file);
    const isUsed = isCode || decides || (environment.moduleGraph.getModulesByFile(file)?.size ?? 0) > 0;
    if (isUsed) {
      if (event === "add" || event === "unlink") writeRouteTypes(entry);
      writeGraphTypes(entry);
      // Imports may resolve to an added file, or no longer to a removed one.
      if (event === "change") environment.moduleGraph.onFileChange(file);
      else environment.moduleGraph.invalidateAll();
      // Their compiled code registers the actions that they reach through this file.
      for (const [module, searched] of modules.searched)
        if (searched.has(file)) environment.moduleGraph.onFileChange(module);
      forgetCompiled(modules, file);
      // Building the chunks records the called actions again.
      modules.actions.clear();
      chunks.changed(event === "change" ? file : undefined);
    }
    const change: FileChange = { file, isUsed, styles: styles.changed(file, event === "change") };
    if (listeners.size === 0) early.push(change);
    for (const listener of listeners) listener(change);
  });

  return {
    entry: relativePath(root, entry),
    async loadApp() {
      // Modules keep their compiled code but run again, because state of an old module belongs to the old app.
      environment.runner.clearCache();
      try {
        const { default: app } = await unwrapErrors(() => environment.runner.import<{ default: unknown }>(entry));
        await styles.read();
        return { default: app, dispose: hot.takeDisposals() };
      } catch (error) {
        const files = environment.moduleGraph.fileToModulesMap.keys();
        const unresolved = await importError(error, root, namesOf, files);
        await hot.takeDisposals()();
        const problems = await moduleErrors(environment, entry);
        if (unresolved) problems.add(unresolved);
        problems.throwAny();
        throw error;
      }
    },
    chunk: (name) => chunks.code(name),
    manifest: () => ({
      ...createManifest(chunks.names(), [...modules.actions.values()].flat()),
      styles: styles.current,
    }),
    sourceOf: (name, line, column) => chunks.sourceOf(name, line, column),
    openEditor: (message, reply) => {
      message.url = `/__open-in-editor${new URL(message.url ?? "", "http://svc").search}`;
      server.middlewares(message, reply);
    },
    serveFile: (file, message, reply) => styles.serve(file, message, reply),
    onChange(listener) {
      listeners.add(listener);
      for (const change of early.splice(0)) listener(change);
      return () => listeners.delete(listener);
    },
    close: () => server.close(),
  };
}

function startVite(root: string, modules: AppModules, evaluator: HotModules): Promise<ViteDevServer> {
  return createServer({
    root,
    logLevel: "error",
    appType: "custom",
    publicDir: false,
    build: ASSET_BUILD,
    plugins: [svc({ modules }), scopedNames()],
    server: {
      middlewareMode: true,
      // Prefix of the URLs of files that modules and stylesheets import.
      origin: PATHS.devFiles,
      // dev-endpoints.ts checks the host.
      allowedHosts: true,
      ws: false,
      hmr: false,
      watch: { ignored: (file) => NOT_SOURCE.test(path.relative(root, file)), ignoreInitial: true },
    },
    environments: {
      ssr: {
        dev: {
          createEnvironment: (name, config) =>
            createRunnableDevEnvironment(name, config, { runnerOptions: { evaluator } }),
        },
      },
    },
    // The app must use the module instances that the framework has loaded.
    ssr: { external: [SVC] },
    optimizeDeps: { noDiscovery: true, include: [] },
  });
}
