/**
 * The layer picture: a folder of src/ imports only the folders that its tsconfig references, nobody imports a
 * public face, nobody imports browser/, and no import leads back to where it came from, types counted.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { importsOf, layerOf, root, sourceFiles, type SourceFile } from "./source.ts";

function allowedLayers(layer: string): string[] {
  const config = JSON.parse(readFileSync(join(root, "src", layer, "tsconfig.json"), "utf8")) as {
    references: { path: string }[];
  };
  // ".." is the project of the faces, below which only the full-stack variant stands.
  return config.references.map(({ path }) => (path === ".." ? "faces" : path.replace("../", "")));
}

function wrongImports(files: SourceFile[]): string[] {
  const found: string[] = [];
  for (const file of files) {
    const layer = layerOf(file.path);
    if (layer === "faces") continue;
    for (const target of importsOf(file)) {
      const other = layerOf(target);
      if (other !== layer && !allowedLayers(layer).includes(other)) found.push(`${file.path} -> ${target}`);
    }
  }
  return found;
}

function importCycles(files: SourceFile[]): string[] {
  const edges = new Map(files.map((file) => [file.path, importsOf(file)]));
  const state = new Map<string, "open" | "closed">();
  const cycles: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    if (state.get(path) === "closed") return;
    if (state.get(path) === "open") return void cycles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
    state.set(path, "open");
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    state.set(path, "closed");
  };
  for (const file of files) visit(file.path, []);
  return cycles;
}

/** Rooms of the engine, those first that know of no other; what is below none of them stands in `src/graphs` itself. */
const ENGINE_ROOMS = ["definition", "machine", "running", "schedules"];
/** How it is told of what goes on, it says by types of those above. */
const isTypeOnly = ({ text }: SourceFile, target: string): boolean =>
  text
    .split(/;\n/)
    .filter((line) => line.includes(target.split("/").at(-1) as string))
    .every((line) => /^(?:\/\*[\s\S]*\*\/\s*)?\s*import type /.test(line));

function wrongInEngine(files: SourceFile[]): string[] {
  const rank = (path: string): number | undefined => {
    const [, room = ""] = /^src\/graph\/(.*?)\/?[^/]*$/.exec(path) ?? [];
    if (!path.startsWith("src/graphs/")) return undefined;
    return room === "" ? ENGINE_ROOMS.length : ENGINE_ROOMS.indexOf(room);
  };
  return files.flatMap((file) =>
    importsOf(file)
      .filter((target) => (rank(target) ?? -1) > (rank(file.path) ?? -1) && rank(file.path) !== undefined)
      .filter((target) => !isTypeOnly(file, target))
      .map((target) => `${file.path} -> ${target}`),
  );
}

const files = sourceFiles("src");

describe("layers", () => {
  it("import only downwards", () => {
    assert.deepEqual(wrongImports(files), []);
  });

  it("import only downwards between the rooms of the engine, types aside", () => {
    assert.deepEqual(wrongInEngine(files), []);
    const planted = { path: "src/graphs/machine/planted.ts", text: `import { x } from "../running/runner.ts";` };
    assert.deepEqual(wrongInEngine([planted]), ["src/graphs/machine/planted.ts -> src/graphs/execution/runner.ts"]);
  });

  it("a planted upward import is caught", () => {
    const planted = { path: "src/platform/shared/planted.ts", text: `import { x } from "../http/router.ts";` };
    assert.deepEqual(wrongImports([planted]), ["src/platform/shared/planted.ts -> src/platform/http/routing/router.ts"]);
  });

  it("browser/ is imported by nobody, and faces by no layer but the full-stack variant", () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => !["faces", "fullstack"].includes(layerOf(file.path)) && layerOf(target) === "faces")
        .concat(importsOf(file).filter((target) => layerOf(target) === "browser" && layerOf(file.path) !== "browser"))
        .map((target) => `${file.path} -> ${target}`),
    );
    assert.deepEqual(wrong, []);
  });

  it("the full-stack variant stands on faces alone", () => {
    const below = files
      .filter((file) => layerOf(file.path) === "fullstack")
      .flatMap(importsOf)
      .map(layerOf);
    assert.deepEqual([...new Set(below)].sort(), ["faces", "fullstack"]);
  });

  it("the compiler itself refuses an import of a folder that is not referenced", () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-layers-"));
    try {
      for (const part of ["tsconfig.base.json", "src/platform/shared", "src/web/reactivity"])
        cpSync(join(root, part), join(folder, part), { recursive: true });
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
      writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
      writeFileSync(join(folder, "src/platform/shared/planted.ts"), `export * from "../reactivity/signal.ts";\n`);
      const tsc = join(root, "node_modules/.bin/tsc");
      assert.throws(
        () => execFileSync(tsc, ["-b", "src/platform/shared"], { cwd: folder, encoding: "utf8", stdio: "pipe" }),
        (error: { stdout: string }) => /TS6307/.test(error.stdout),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("import cycles", () => {
  it("there are none, types counted", () => {
    assert.deepEqual(importCycles(files), []);
  });

  it("a planted cycle of types is caught", () => {
    const planted = [
      { path: "src/platform/shared/a.ts", text: `import type { B } from "./b.ts";` },
      { path: "src/platform/shared/b.ts", text: `export type { A } from "./a.ts";` },
    ];
    assert.deepEqual(importCycles(planted), ["src/platform/shared/a.ts -> src/platform/shared/b.ts -> src/platform/shared/a.ts"]);
  });
});
