/**
 * The development host: the same compiler output as production, made on demand and fresh after every edit. Owns one Vite
 * server in middleware mode (no port, no socket); the app layer serves what it gives.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { createServer, isRunnableDevEnvironment, normalizePath, type ViteDevServer } from "vite";
import { invariant } from "../../../platform/shared/errors.ts";
import type { Manifest } from "../../../platform/shared/manifest.ts";
import { unwrapErrors } from "../build/build-errors.ts";
import { findEntry } from "../build/build.ts";
import { DevChunks } from "./dev-chunks.ts";
import { relativePath } from "../build/import-chain.ts";
import { importError } from "../build/import-errors.ts";
import { SVC } from "../analyze/declaration-kinds.ts";
import { createManifest } from "../build/manifest.ts";
import { newAppModules, svc, type AppModules } from "../plugin.ts";
import { writeRouteTypes } from "../build/route-types.ts";
import type { Position } from "../parse/source-positions.ts";

/** Files that can change what a module or chunk holds; others, such as a database the app writes, are left alone. */
const CODE = /(?<!\.d)\.(?:[cm]?[jt]sx?|json)$/;

export interface DevHost {
  /** Where the app module is, from the root. */
  readonly entry: string;
  /** The app module, evaluated anew after an edit. @throws SvcError from the compiler. */
  loadApp(): Promise<{ default: unknown }>;
  /** Code of a browser chunk by its name without `.js`, also of one that an edit has replaced; undefined for others. */
  chunk(name: string): Promise<string | undefined>;
  /** Chunks of the modules loaded so far; the name of one changes when an edit may have changed its code. */
  manifest(): Manifest;
  /** Where a place of a chunk (line and column from 1), of this build or an earlier one, stands in the source. */
  sourceOf(name: string, line: number, column: number): Position | undefined;
  /** Opens the editor: answers a request whose query has `file=<path>:<line>:<column>`. */
  openEditor(message: IncomingMessage, reply: ServerResponse): void;
  /** Calls `listener` after a file of the app changed, came or went; returns a function that stops it. */
  onChange(listener: (file: string) => void): () => void;
  close(): Promise<void>;
}

/** @param options.root folder of the app. */
export async function createDevHost(options: { root: string }): Promise<DevHost> {
  const root = path.resolve(options.root);
  const entry = findEntry(root);
  writeRouteTypes(entry);
  const modules = newAppModules();
  const server = await startVite(root, modules);
  const environment = server.environments.ssr;
  invariant(isRunnableDevEnvironment(environment), "Vite's ssr environment runs modules");
  const namesOf = async (specifier: string): Promise<string[]> =>
    Object.keys(await environment.runner.import<object>(specifier));
  const listeners = new Set<(file: string) => void>();
  const chunks = new DevChunks(root, modules);

  server.watcher.on("all", (event, rawPath) => {
    // As modules are known by: on Windows the watcher tells backslashes.
    const file = normalizePath(rawPath);
    if (CODE.test(file)) {
      if (event === "add" || event === "unlink") writeRouteTypes(entry);
      // A file that came or went may be what another's import means from now on.
      if (event === "change") environment.moduleGraph.onFileChange(file);
      else environment.moduleGraph.invalidateAll();
      modules.browser.delete(file);
      // Which actions are called is known again once the chunks are.
      modules.actions.clear();
      chunks.changed(event === "change" ? file : undefined);
      // Modules keep their compiled code but run anew: what an old one has set up is of the old app.
      environment.runner.clearCache();
    }
    for (const listener of listeners) listener(file);
  });

  return {
    entry: relativePath(root, entry),
    loadApp: () =>
      unwrapErrors(() =>
        environment.runner.import<{ default: unknown }>(entry).catch(async (error: unknown) => {
          throw (await importError(error, root, namesOf)) ?? error;
        }),
      ),
    chunk: (name) => chunks.code(name),
    manifest: () => createManifest(chunks.names(), [...modules.actions.values()].flat()),
    sourceOf: (name, line, column) => chunks.sourceOf(name, line, column),
    openEditor: (message, reply) => {
      message.url = `/__open-in-editor${new URL(message.url ?? "", "http://svc").search}`;
      server.middlewares(message, reply);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => server.close(),
  };
}

function startVite(root: string, modules: AppModules): Promise<ViteDevServer> {
  return createServer({
    root,
    logLevel: "error",
    appType: "custom",
    publicDir: false,
    plugins: [svc({ modules })],
    server: {
      middlewareMode: true,
      ws: false,
      hmr: false,
      watch: { ignored: ["**/dist/**", "**/.svc/**", "**/node_modules/**"], ignoreInitial: true },
    },
    // The app must meet the very instances that the framework around it has loaded.
    ssr: { external: [SVC] },
    optimizeDeps: { noDiscovery: true, include: [] },
  });
}
