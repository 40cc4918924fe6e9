/** Types of the public faces ask for nothing that an app does not have: what svc depends on, and Node's own. */
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
const FACES = Object.values(manifest.exports).flatMap((face) =>
  typeof face === "string" || face.types === undefined ? [] : [join(root, face.types)],
);

/** Packages that a declaration names, and all that it imports: package -> the file that names it first. */
function packagesOf(faces: readonly string[], read: (file: string) => string): Map<string, string> {
  const packages = new Map<string, string>();
  const seen = new Set(faces);
  for (const file of seen)
    for (const [, name = ""] of read(file).matchAll(/(?:\bfrom|\bimport\(|^import)\s*"([^"]+)"/gm))
      if (name.startsWith(".")) seen.add(join(dirname(file), name.replace(/\.[jt]s$/, ".d.ts")));
      else if (!packages.has(name)) packages.set(name, file);
  return packages;
}

/** npm installs peers with svc, those aside that are optional. */
const isThere = (name: string): boolean =>
  name.startsWith("node:") ||
  name.split("/")[0] === "svckit" ||
  Object.hasOwn(manifest.dependencies, name) ||
  (Object.hasOwn(manifest.peerDependencies, name) && manifest.peerDependenciesMeta[name]?.optional !== true);
const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

describe("declarations of the public faces", () => {
  it("name no package that is installed for a database or a tool only", () => {
    const packages = packagesOf(FACES, read);
    assert.ok(
      [...packages.keys()].some((name) => name.startsWith("node:")),
      "nothing was read",
    );
    assert.deepEqual(
      [...packages].filter(([name]) => !isThere(name)),
      [],
    );
  });

  it("are told apart where one does, however far below", () => {
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
