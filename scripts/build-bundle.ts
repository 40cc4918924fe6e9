/**
 * Puts the package's modules together into few files, out/bundle: nearly all of a start is loading modules, each at half a
 * millisecond of processor time, whatever its size (decision 041). Every public face is an entry, with what several need in
 * files of its own, so that a process has each module once. The modules stay for tests of single files, which import the
 * faces under the condition `svc-modules`.
 */
import { readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const outdir = join(root, "out/bundle");

/** What is started by its file, beside the faces. */
const PROGRAMS = {
  main: "out/cli/main.js",
  thread: "out/graph/running/thread.js",
  "postgres-keeper": "out/testing/postgres-keeper.js",
};

interface Face {
  "svc-modules": string;
  default: string;
}

const { exports: faces } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
  exports: Record<string, Face | string>;
};

const entryPoints: Record<string, string> = { ...PROGRAMS };
for (const face of Object.values(faces)) {
  if (typeof face === "string") continue;
  const name = /^\.\/out\/bundle\/([\w-]+)\.js$/.exec(face.default)?.[1];
  if (name === undefined) throw new Error(`package.json: ${face.default} is not in out/bundle`);
  entryPoints[name] = face["svc-modules"];
}

await rm(outdir, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints,
  outdir,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  packages: "external",
  // The package says that its modules have no side effects; commands do.
  ignoreAnnotations: true,
  chunkNames: "part-[hash]",
  sourcemap: true,
  sourcesContent: false,
  logLevel: "error",
});
