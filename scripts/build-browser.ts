/**
 * Builds the browser assets from src/web/client and src/ops/client into out/assets: each a module of its own (the parts get core from the loader),
 * with a brotli and a gzip copy, and benchmark.json with the bytes of each.
 */
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { minify } from "terser";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const target = join(root, "out/assets");
const devTarget = join(root, "out/assets-dev");
const CORE_URL = "/_svc/core.js";
const LOADER_URL = "/_svc/loader.js";
const REGION_URL = "/_svc/region.js";
const ACT_URL = "/_svc/act.js";
const EFFECT_URL = "/_svc/effect.js";
const BOUNDARY_URL = "/_svc/boundary.js";
const CREATE_URL = "/_svc/create.js";
const PROP_URL = "/_svc/prop.js";

/** Core first: it fixes the short names of the properties that the parts share. */
const ASSETS = [
  "core",
  "region",
  "attr",
  "raw",
  "store",
  "data",
  "act",
  "lines",
  "call",
  "form",
  "moments",
  "prefetch",
  "ref",
  "fn",
  "stream",
  "resource",
  "effect",
  "portal",
  "boundary",
  "select",
  "virtual",
  "toast",
  "page-swap",
  "reseat",
  "token",
  "forms",
  "loader",
  "runtime",
  "stub",
  "swap",
  "links",
  "visit",
  "navigate",
  "ui",
  "ui-menu",
  "ui-theme",
  "ui-gesture",
  "flow",
  "ops",
  "ops-palette",
  "ops-brush",
  "ops-entries",
  "ops-splitter",
  "flow-live",
  "flow-graph",
  "flow-log",
  "create",
  "context",
  "builtins",
  "spread",
  "dynamic",
  "error-boundary",
  "created-moments",
  "widgets",
  "image",
  "portals",
  "prop",
  "handler/element",
];
/** Folders of src/web/client that hold assets under their own names. */
const CLIENT_FOLDERS = ["runtime", "bindings", "created", "state", "actions", "streaming", "navigation"];
/** Assets that contain core. */
const HOLDS_CORE = new Set(["core", "runtime", "dev/core", "dev/runtime"]);
/** Assets of development: file -> source. They have a separate folder, because production serves the whole other one. */
const DEV_ASSETS = {
  core: "dev/core",
  runtime: "dev/runtime",
  dev: "dev/client",
  region: "region",
  stream: "stream",
  effect: "effect",
};

/** Inline scripts, which share values through global names. */
const INLINE = new Set(["stub", "swap"]);

/** Bytes of an asset, raw and compressed. */
interface Sizes {
  raw: number;
  gzip: number;
  brotli: number;
}

const importsByUrl: Plugin = {
  name: "imports-by-url",
  setup(builder) {
    builder.onResolve({ filter: /\/loader\.ts$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: LOADER_URL, external: true },
    );
    // All parts share one class of errors and one function that sends requests.
    builder.onResolve({ filter: /\/act\.ts$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: ACT_URL, external: true },
    );
    // A part that extends another.
    builder.onResolve({ filter: /\/region\.ts$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: REGION_URL, external: true },
    );
    builder.onResolve({ filter: /\/create\.ts$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: CREATE_URL, external: true },
    );
    builder.onResolve({ filter: /\/(?:attr|spread)\.ts$/ }, ({ kind, path }) =>
      kind === "entry-point"
        ? undefined
        : { path: `/_svc/${path.includes("attr") ? "attr" : "spread"}.js`, external: true },
    );
    builder.onResolve({ filter: /\/state\/prop\.ts$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: PROP_URL, external: true },
    );
    builder.onResolve({ filter: /\/bindings\/boundary\.ts$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: BOUNDARY_URL, external: true },
    );
    // Effects and created components share the list of cleanups.
    builder.onResolve({ filter: /\/state\/effect\.ts$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: EFFECT_URL, external: true },
    );
    // All parts share core's dependency graph.
    builder.onResolve({ filter: /\/(?:core|signal|system)\.ts$/ }, () => ({ path: CORE_URL, external: true }));
  },
};

const CLIENT = join(root, "src/web/client");
const OPS_CLIENT = join(root, "src/ops/client");

/** Assets whose source file has another name. */
const RENAMED: Readonly<Record<string, string>> = {
  form: "bindings/bound-fields",
  raw: "bindings/raw-html",
  moments: "runtime/triggers",
  reseat: "navigation/transfer-state",
  visit: "navigation/client-navigation",
  "handler/element": "created/element-chunk",
};

/** Source file of an asset. `ui-menu` is `ui/menu.ts`; parts of the operator pages are in the client folder of `ops`. */
function sourceOf(name: string): string {
  const [, family, part] = /^(ui|flow|ops)-(.+)$/.exec(name) ?? [];
  if (family === "ui") return join(CLIENT, "ui", `${part}.ts`);
  if (family === "flow") return join(OPS_CLIENT, "widgets", `${part}.ts`);
  if (family === "ops") return join(OPS_CLIENT, "screens", `${part === "palette" ? "command-palette" : part}.ts`);
  if (name === "flow" || name === "ops") return join(OPS_CLIENT, `${name}.ts`);
  if (name === "ui" || (name.includes("/") && !(name in RENAMED))) return join(CLIENT, `${name}.ts`);
  return join(CLIENT, `${RENAMED[name] ?? inSomeFolder(name)}.ts`);
}

function inSomeFolder(name: string): string {
  const folder = CLIENT_FOLDERS.find((candidate) => existsSync(join(CLIENT, candidate, `${name}.ts`)));
  if (folder === undefined) throw new Error(`No source of the asset ${name}.js is in src/web/client`);
  return `${folder}/${name}`;
}

/** Names of properties with an underscore, the same in every asset. */
const names: Record<string, string | false> = {};

/** Exports that only the parts import from core and from each other. No chunk or loader uses them, so they are shortened on both sides. */
const INTERNALS =
  "Cell nodesOf bind dispose guard isResuming kinds chunkNamed pageState refresh scoped slotsAt touch unboundRows valueAt values wake watch landed lost post sendBy".split(
    " ",
  );

/** `export { q as slotsAt }` -> `export { q as h }`, and the same in imports. Works only for the plain clauses of minified code. */
function shortened(code: string): string {
  const shortOf = (name: string): string => {
    const place = INTERNALS.indexOf(name);
    return place < 0 ? name : String.fromCharCode(97 + place);
  };
  return throughLoader(
    code.replaceAll(/\b(import|export)\{([^}]*)\}/g, (_clause, word: string, list: string) => {
      const names = list.split(",").map((item) => {
        const [first = "", second = first] = item.split(" as ");
        return word === "import" ? `${shortOf(first)} as ${second}` : `${first} as ${shortOf(second)}`;
      });
      return `${word}{${names.join(",")}}`;
    }),
  );
}

/** `import{a as e}from"/_svc/core.js"` -> `const{a:e}=await $svc.load("core")`: a failed import could never be retried. */
function throughLoader(code: string): string {
  return code.replaceAll(
    /\bimport\{([^}]*)\}from"\/_svc\/(core|act|region|effect|create|boundary|attr|spread|prop)\.js"/g,
    (_import, list: string, part: string) => `const{${list.replaceAll(" as ", ":")}}=await $svc.load("${part}")`,
  );
}

async function bundle(name: string, isDev: boolean): Promise<string> {
  const result = await build({
    entryPoints: [sourceOf(name)],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    minify: true,
    // The package is marked free of side effects; its assets are not.
    ignoreAnnotations: true,
    // Fields that are assigned in the constructor need no declaration in the output.
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
    define: { __DEV__: String(isDev) },
    mangleProps: /^_[a-z]/,
    mangleCache: names,
    plugins: HOLDS_CORE.has(name) ? [] : [importsByUrl],
  });
  Object.assign(names, result.mangleCache);
  const [file] = result.outputFiles;
  if (!file) throw new Error(`esbuild produced no output for ${name}.ts`);
  return file.text;
}

/** Functions at the top compress better in some assets and worse in others, so the smaller result counts. */
async function minified(name: string, isDev = false): Promise<string> {
  const code = await bundle(name, isDev);
  const [one, other] = [await terse(name, code, false), await terse(name, code, true)];
  return gzipped(one).length <= gzipped(other).length ? one : other;
}

async function terse(name: string, bundled: string, hoist_funs: boolean): Promise<string> {
  const { code } = await minify(bundled, {
    module: !INLINE.has(name),
    ecma: 2020,
    toplevel: !INLINE.has(name),
    compress: { passes: 3, unsafe_arrows: true, hoist_funs },
    mangle: { reserved: ["__EVENTS__", "__EVENTS__HOW"] },
    format: { ascii_only: true },
  });
  if (code === undefined) throw new Error(`terser produced no output for ${name}.ts`);
  return `${shortened(code.trim())}\n`;
}

const gzipped = (code: string): Buffer => gzipSync(code, { level: 9 });

/** A stylesheet, bundled with its imports. */
async function style(name: string): Promise<string> {
  const entry = join(/^(flow|ops)\./.test(name) ? OPS_CLIENT : CLIENT, name);
  const result = await build({ entryPoints: [entry], bundle: true, minify: true, write: false });
  return result.outputFiles[0]?.text ?? "";
}

/** @param file name in the folder of assets */
async function write(file: string, code: string): Promise<Sizes> {
  const bytes = Buffer.from(code);
  const gzip = gzipped(code);
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  const path = join(target, file);
  await Promise.all([writeFile(path, bytes), writeFile(`${path}.gz`, gzip), writeFile(`${path}.br`, brotli)]);
  return { raw: bytes.length, gzip: gzip.length, brotli: brotli.length };
}

await rm(target, { recursive: true, force: true });
await mkdir(join(target, "handler"), { recursive: true });
const sizes: Record<string, Sizes> = {};
for (const name of ASSETS) sizes[`${name}.js`] = await write(`${name}.js`, await minified(name));
for (const name of ["ui.css", "flow.css", "ops.css", "forms.css"]) sizes[name] = await write(name, await style(name));
sizes["ops-icon.svg"] = await write("ops-icon.svg", await readFile(join(root, "src/ops/client/ops-icon.svg"), "utf8"));
await rm(devTarget, { recursive: true, force: true });
await mkdir(devTarget, { recursive: true });
for (const [name, source] of Object.entries(DEV_ASSETS)) {
  await writeFile(join(devTarget, `${name}.js`), await minified(source, true));
}
await writeFile(join(target, "benchmark.json"), `${JSON.stringify(sizes, null, 2)}\n`);
