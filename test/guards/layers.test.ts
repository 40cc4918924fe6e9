/**
 * Layers: a project of src/ imports only the projects that its tsconfig references, only `ops` and `fullstack` import entry points,
 * no other project imports `web/client`, and there are no import cycles, type imports included.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { describe, it } from "node:test";
import { ENTRY_POINTS, importsOf, layerOf, root, sourceFiles, type SourceFile } from "./source.ts";

/** Layers above the entry points: they use the package as apps do. */
const ABOVE_ENTRY_POINTS = ["ops", "fullstack"];

function allowedLayers(layer: string): string[] {
  const config = JSON.parse(readFileSync(join(root, "src", layer, "tsconfig.json"), "utf8")) as {
    references: { path: string }[];
  };
  return config.references.map(({ path }) => {
    const folder = posix.join(layer, path);
    return folder === "." ? ENTRY_POINTS : folder;
  });
}

function wrongImports(files: SourceFile[]): string[] {
  const found: string[] = [];
  for (const file of files) {
    const layer = layerOf(file.path);
    if (layer === ENTRY_POINTS) continue;
    const allowed = allowedLayers(layer);
    for (const target of importsOf(file)) {
      const other = layerOf(target);
      if (other !== layer && !allowed.includes(other)) found.push(`${file.path} -> ${target}`);
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

/** Folders of `src/graphs`, lowest first. */
const GRAPH_FOLDERS = ["definition", "machine", "execution", "schedules", "engine", "cluster"];
/** A lower folder may import types of a higher one: ports that the higher one implements. */
const isTypeOnly = ({ text }: SourceFile, target: string): boolean =>
  text
    .split(/;\n/)
    .filter((line) => line.includes(target.split("/").at(-1) as string))
    .every((line) => /^(?:\/\*[\s\S]*\*\/\s*)?\s*import type /.test(line));

function wrongInGraphs(files: SourceFile[]): string[] {
  const rank = (path: string): number | undefined => {
    const folder = /^src\/graphs\/([^/]+)\//.exec(path)?.[1];
    return folder === undefined ? undefined : GRAPH_FOLDERS.indexOf(folder);
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
  it("import only lower layers", () => {
    assert.deepEqual(wrongImports(files), []);
  });

  it("import only lower folders within graphs, except for types", () => {
    assert.deepEqual(wrongInGraphs(files), []);
    const planted = { path: "src/graphs/machine/planted.ts", text: `import { x } from "../execution/runner.ts";` };
    assert.deepEqual(wrongInGraphs([planted]), ["src/graphs/machine/planted.ts -> src/graphs/execution/runner.ts"]);
  });

  it("are checked: an upward import is detected", () => {
    const planted = { path: "src/platform/shared/planted.ts", text: `import { x } from "../http/routing/router.ts";` };
    assert.deepEqual(wrongImports([planted]), [
      "src/platform/shared/planted.ts -> src/platform/http/routing/router.ts",
    ]);
  });

  it("import entry points only from ops and fullstack, and web/client only from ops/client", () => {
    const wrong = files.flatMap((file) => {
      const layer = layerOf(file.path);
      return importsOf(file)
        .filter((target) => {
          const other = layerOf(target);
          if (other === ENTRY_POINTS) return layer !== ENTRY_POINTS && !ABOVE_ENTRY_POINTS.includes(layer);
          return other === "web/client" && !["web/client", "ops/client"].includes(layer);
        })
        .map((target) => `${file.path} -> ${target}`);
    });
    assert.deepEqual(wrong, []);
  });

  it("ops and fullstack use the app only through the entry points", () => {
    const below = files
      .filter((file) => ABOVE_ENTRY_POINTS.includes(layerOf(file.path)))
      .flatMap(importsOf)
      .map(layerOf);
    assert.deepEqual([...new Set(below)].sort(), [ENTRY_POINTS, "fullstack", "ops"]);
  });

  it("are enforced by the compiler, which refuses an import of a folder without a reference", () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-layers-"));
    try {
      for (const part of ["tsconfig.base.json", "src/platform/shared", "src/web/reactivity"])
        cpSync(join(root, part), join(folder, part), { recursive: true });
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
      writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
      writeFileSync(
        join(folder, "src/platform/shared/planted.ts"),
        `export * from "../../web/reactivity/signal.ts";\n`,
      );
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
  it("do not exist, including cycles of types", () => {
    assert.deepEqual(importCycles(files), []);
  });

  it("are detected, including cycles of types", () => {
    const planted = [
      { path: "src/platform/shared/a.ts", text: `import type { B } from "./b.ts";` },
      { path: "src/platform/shared/b.ts", text: `export type { A } from "./a.ts";` },
    ];
    assert.deepEqual(importCycles(planted), [
      "src/platform/shared/a.ts -> src/platform/shared/b.ts -> src/platform/shared/a.ts",
    ]);
  });
});
