/**
 * Puts the package's modules together into few files, out/bundle: nearly all of a start is loading modules, each at half a
 * millisecond of processor time, whatever its size (decisions 041 and 054). Every public face is an entry. What `svc` itself
 * imports is one file, `core`, with what small programs need of it beside; `work` is what graphs, webhooks and the database
 * need of it once something has them. What is loaded on demand stays apart, so that a process has each module once. The modules stay for tests of single files, which import the faces under the condition
 * `svc-modules`.
 */
import { readFile } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { build, type Plugin } from "vite";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const outDir = join(root, "out/bundle");

/** What is started by its file, beside the faces. */
const PROGRAMS: Readonly<Record<string, string>> = {
  main: "out/cli/main.js",
  "worker-thread": "out/graphs/execution/remote/worker-thread.js",
  "postgres-keeper": "out/testing/postgres-keeper.js",
};
/** What every app imports. */
const APPS = ["index", "jsx-runtime"];
/** What of an app's work is loaded as it is opened: at the boot, or with the first that asks (decision 066). */
const WORK = "out/app/lifecycle/backend.js";
/** Run where nobody may have loaded `svc`, so what they need of it is a file of its own. */
const SMALL = [...Object.keys(PROGRAMS), "testing", "i18n"];

interface Face {
  "svc-modules": string;
  default: string;
}

async function readEntries(): Promise<Record<string, string>> {
  const { exports: faces } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    exports: Record<string, Face | string>;
  };
  const entries: Record<string, string> = { ...PROGRAMS };
  for (const face of Object.values(faces)) {
    if (typeof face === "string") continue;
    const name = /^\.\/out\/bundle\/([\w-]+)\.js$/.exec(face.default)?.[1];
    if (name === undefined) throw new Error(`package.json: ${face.default} is not in out/bundle`);
    entries[name] = face["svc-modules"];
  }
  return Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(root, file)]));
}

/** Of each module those that it imports and doesn't load on demand. */
const imports = new Map<string, readonly string[]>();

const modules: Plugin = {
  name: "svc-modules",
  load: {
    filter: { id: /\/out\/.*\.js$/ },
    /** With the map beside it, so that those of the bundle lead to the TypeScript. */
    handler: async (id) => {
      const [code, map] = await Promise.all([readFile(id, "utf8"), readFile(`${id}.map`, "utf8").catch(() => null)]);
      return { code: code.replace(/^\/\/# sourceMappingURL=.*$/m, ""), map };
    },
  },
  moduleParsed: ({ id, importedIds }) => void imports.set(id, importedIds),
  /** Without comments, and in ASCII: one letter beyond Latin-1 has V8 keep all of a file in two bytes for each. */
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

/** Which file a module goes to; of one that isn't named the bundler says it. */
const fileOf = new Map<string, string>();

function filesOf(names: readonly string[]): string[] {
  return names.map((name) => entries[name] ?? "");
}

/** All that is loaded with any of these modules. */
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
      // How long our own hooks take is known.
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
