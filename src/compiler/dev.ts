/**
 * The development host: the same compiler output as production, made on demand and fresh after every edit.
 * Owns one Vite server in middleware mode (no port, no socket); the app layer serves what it gives.
 */
import path from "node:path";
import { build, createServer, isRunnableDevEnvironment, type ViteDevServer } from "vite";
import { invariant } from "../shared/errors.ts";
import type { Manifest } from "../shared/manifest.ts";
import { unwrapErrors } from "./build-errors.ts";
import { baseName, browserConfig, findEntry } from "./build.ts";
import { SVC } from "./kinds.ts";
import { createManifest, shortHash } from "./manifest.ts";
import { CLIENT_QUERY, newAppModules, svc, type AppModules } from "./plugin.ts";

/** Files that can change what a chunk holds; others, such as a database the app writes, leave chunk names alone. */
const CODE = /\.(?:[cm]?[jt]sx?|json)$/;

export interface DevHost {
  /** The app module, evaluated anew after an edit. @throws SvcError from the compiler. */
  loadApp(): Promise<{ default: unknown }>;
  /** Code of a browser chunk by its name without `.js`; undefined for a name of no current chunk. */
  chunk(name: string): Promise<string | undefined>;
  /** Chunks of the modules loaded so far; their names change with every edit. */
  manifest(): Manifest;
  /** Calls `listener` after a file of the app changed; returns a function that stops it. */
  onChange(listener: (file: string) => void): () => void;
  close(): Promise<void>;
}

/** @param options.root folder of the app. */
export async function createDevHost(options: { root: string }): Promise<DevHost> {
  const root = path.resolve(options.root);
  const entry = findEntry(root);
  const modules = newAppModules();
  const server = await startVite(root, modules);
  const environment = server.environments.ssr;
  invariant(isRunnableDevEnvironment(environment), "Vite's ssr environment runs modules");
  const listeners = new Set<(file: string) => void>();
  const built = new Map<string, Promise<string>>();
  let edits = 0;

  server.watcher.on("all", (_event, file) => {
    if (CODE.test(file)) {
      edits++;
      built.clear();
      modules.browser.delete(file);
      environment.moduleGraph.invalidateAll();
      environment.runner.clearCache();
    }
    for (const listener of listeners) listener(file);
  });
  const nameOf = (module: string): string => `${baseName(module)}-${shortHash(`${module} ${edits}`)}`;

  return {
    loadApp: () => unwrapErrors(() => environment.runner.import<{ default: unknown }>(entry)),
    async chunk(name) {
      const file = [...modules.browser].find(([, module]) => nameOf(module) === name)?.[0];
      if (file === undefined) return undefined;
      const known = built.get(file) ?? buildChunk(root, file, modules);
      built.set(file, known);
      return known;
    },
    manifest() {
      const chunks = new Map([...modules.browser.values()].map((module) => [module, nameOf(module)]));
      return createManifest(chunks, modules.actions);
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

/** One chunk with its helpers inside; shared helpers are doubled, which development can afford. */
async function buildChunk(root: string, file: string, modules: AppModules): Promise<string> {
  const config = browserConfig(root, modules);
  const output = await unwrapErrors(() =>
    build({
      ...config,
      build: {
        ...config.build,
        write: false,
        minify: false,
        sourcemap: "inline",
        rolldownOptions: { input: file + CLIENT_QUERY, preserveEntrySignatures: "strict", output: { format: "es" } },
      },
    }),
  );
  const [result] = Array.isArray(output) ? output : "output" in output ? [output] : [];
  const chunk = result?.output.find((item) => item.type === "chunk");
  invariant(chunk?.type === "chunk", "a build of one entry gives one chunk");
  return chunk.code;
}
