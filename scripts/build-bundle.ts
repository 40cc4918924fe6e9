/**
 * Bundles the package's modules into few files in out/bundle, because a start mostly loads modules, at half a millisecond of processor time
 * each (decisions 041 and 054). Every public entry point is an entry. `core` has the modules that `svckit` imports, `common` the part that small
 * programs need, and `work` the modules of graphs, webhooks and the database. Modules that load on demand stay separate, so that a process has
 * each module once. Tests of single files use the unbundled modules, through the condition `svc-modules`.
 */
import { readFile } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { build, type Plugin } from "vite";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const outDir = join(root, "out/bundle");

/** Programs that are started by file, in addition to the entry points. */
const PROGRAMS: Readonly<Record<string, string>> = {
  main: "out/cli/main.js",
  "worker-thread": "out/graphs/execution/remote/worker-thread.js",
  "postgres-keeper": "out/testing/postgres-keeper.js",
  "typescript-hooks": "out/web/compiler/typescript-hooks.js",
};
/** Entry points that every app imports. */
const APPS = ["index", "jsx-runtime"];
/** The backend, which loads at the boot or at its first use (decision 066). */
const WORK = "out/app/lifecycle/backend.js";
/** Programs that may run without `svckit`, so their part of it is a separate file. */
const SMALL = ["main", "worker-thread", "postgres-keeper", "testing", "i18n"];

interface Face {
  "svc-modules": string;
  /** Undefined for types only. */
  default?: string;
}

async function readEntries(): Promise<Record<string, string>> {
  const { exports: faces } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    exports: Record<string, Face | string>;
  };
  const entries: Record<string, string> = { ...PROGRAMS };
  for (const face of Object.values(faces)) {
    if (typeof face === "string" || face.default === undefined) continue;
    const name = /^\.\/out\/bundle\/([\w-]+)\.js$/.exec(face.default)?.[1];
    if (name === undefined) throw new Error(`package.json: ${face.default} is not in out/bundle`);
    entries[name] = face["svc-modules"];
  }
  return Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(root, file)]));
}

/** Static imports of each module. */
const imports = new Map<string, readonly string[]>();

const modules: Plugin = {
  name: "svc-modules",
  load: {
    filter: { id: /\/out\/.*\.js$/ },
    /** Loads the source map too, so that the maps of the bundle lead to the TypeScript. */
    handler: async (id) => {
      const [code, map] = await Promise.all([readFile(id, "utf8"), readFile(`${id}.map`, "utf8").catch(() => null)]);
      return { code: code.replace(/^\/\/# sourceMappingURL=.*$/m, ""), map };
    },
  },
  moduleParsed: ({ id, importedIds }) => void imports.set(id, importedIds),
  /** Without comments, and in ASCII: a single character beyond Latin-1 makes V8 store the file with two bytes per character. */
  renderChunk: (code, { fileName }) =>
    transform(code, { charset: "ascii", target: "node20.19", sourcemap: "external", sourcefile: fileName }),
  buildEnd: () => {
    const small = loadedWith(filesOf(SMALL));
    const apps = loadedWith(filesOf(APPS));
    for (const id of loadedWith([...filesOf(APPS), join(root, WORK)])) {
      const own = apps.has(id) ? "core" : "work";
      fileOf.set(id, small.has(id) ? "common" : own);
    }
  },
};

const entries = await readEntries();

/** The output file of each module; the bundler assigns the others. */
const fileOf = new Map<string, string>();

function filesOf(names: readonly string[]): string[] {
  return names.map((name) => entries[name] ?? "");
}

/** All modules that load with any of these. */
function loadedWith(files: readonly string[]): Set<string> {
  const found = new Set<string>();
  const todo = [...files];
  for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    todo.push(...(imports.get(id) ?? []));
  }
  return found;
}

await build({
  configFile: false,
  root,
  logLevel: "warn",
  publicDir: false,
  plugins: [modules],
  build: {
    ssr: true,
    outDir,
    emptyOutDir: true,
    target: "esnext",
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      // Suppresses the warning about slow plugins: our hooks are known.
      checks: { bundlerTimings: false },
      input: entries,
      external: (id) => !id.startsWith(".") && !isAbsolute(id),
      treeshake: { annotations: false, moduleSideEffects: true },
      preserveEntrySignatures: "allow-extension",
      output: {
        format: "esm",
        minify: false,
        comments: false,
        entryFileNames: "[name].js",
        chunkFileNames: "[name]-[hash].js",
        hashCharacters: "hex",
        sourcemapExcludeSources: true,
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: (id) => fileOf.get(id) ?? null, debugName: "common, core and work" }],
        },
      },
    },
  },
});
