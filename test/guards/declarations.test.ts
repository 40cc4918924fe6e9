/** The types of the public entry points need only packages that every app has: the dependencies of svc, and Node's own. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { root } from "./source.ts";

interface Manifest {
  exports: Record<string, { types?: string } | string>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional?: boolean }>;
}

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
/** `svckit/compiler` is a plugin of Vite: whoever imports it has Vite. */
const COMPILER = "./compiler";
const facesOf = (isWanted: (name: string) => boolean): string[] =>
  Object.entries(manifest.exports).flatMap(([name, face]) =>
    !isWanted(name) || typeof face === "string" || face.types === undefined ? [] : [join(root, face.types)],
  );

/** The packages that declarations and their imports name: package -> the first file that names it. */
function packagesOf(faces: readonly string[], read: (file: string) => string): Map<string, string> {
  const packages = new Map<string, string>();
  const seen = new Set(faces);
  for (const file of seen)
    for (const [, name = ""] of read(file).matchAll(/(?:\bfrom|\bimport\(|^import)\s*"([^"]+)"/gm))
      if (name.startsWith(".")) seen.add(join(dirname(file), name.replace(/\.[jt]s$/, ".d.ts")));
      else if (!packages.has(name)) packages.set(name, file);
  return packages;
}

/** npm installs svc's peers too, except for optional ones. */
const isThere = (name: string): boolean =>
  name.startsWith("node:") ||
  name.split("/")[0] === "svckit" ||
  Object.hasOwn(manifest.dependencies, name) ||
  (Object.hasOwn(manifest.peerDependencies, name) && manifest.peerDependenciesMeta[name]?.optional !== true);
const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

describe("declarations of the public entry points", () => {
  it("name no package that is installed only for a database or a tool", () => {
    const packages = packagesOf(
      facesOf((name) => name !== COMPILER),
      read,
    );
    assert.ok(
      [...packages.keys()].some((name) => name.startsWith("node:")),
      "nothing was read",
    );
    assert.deepEqual(
      [...packages].filter(([name]) => !isThere(name)),
      [],
    );
  });

  it("of the compiler need Vite, and nothing else", () => {
    const packages = packagesOf(
      facesOf((name) => name === COMPILER),
      read,
    );
    assert.deepEqual(
      [...packages.keys()].filter((name) => !isThere(name)),
      ["vite"],
    );
  });

  it("are detected if one does, however deep in their imports", () => {
    const files: Record<string, string> = {
      "/a/index.d.ts": 'export type { B } from "./b.js";',
      "/a/b.d.ts": 'import type { Pool } from "pg";\nexport interface B { pool: Pool }',
    };
    const packages = packagesOf(["/a/index.d.ts"], (file) => files[file] ?? "");
    assert.deepEqual(
      [...packages].filter(([name]) => !isThere(name)),
      [["pg", "/a/b.d.ts"]],
    );
  });
});
