/** The published package contains the code that users run, its types and maps, and the documentation that it names, and no development files. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "./source.ts";

const LAYERS = readdirSync(join(root, "src"), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
/** The build output of `src/web/client`, and of the package as a whole. */
const BUILT = ["assets", "assets-dev", "bundle"];
const PAPERS = [
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "GLOSSARY.md",
  "LICENSE",
  "README.md",
  "client.d.ts",
  "package.json",
  "docs/errors.md",
];

/** The files that `svc new` copies, by name. All others are left over from a build. */
const STARTER = [
  "README.md",
  "app.test.js",
  "app.ts",
  "env.d.ts",
  "gitignore",
  "pages/_layout.tsx",
  "pages/_submits.ts",
  "pages/index.tsx",
  "pages/orders/[id].tsx",
  "public/app.css",
  "public/icon.svg",
  "tea.ts",
  "tsconfig.json",
];

function isOurs(path: string): boolean {
  const [, folder = "", rest] = /^out\/([^/]+)(\/?)/.exec(path) ?? [];
  if (rest === "/") return [...LAYERS, ...BUILT].includes(folder) && !path.includes(".test.");
  if (path.startsWith("starter/")) return STARTER.includes(path.slice("starter/".length));
  return folder !== "" || path.startsWith("bin/") || PAPERS.includes(path);
}

function packed(): string[] {
  const text = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ files }] = JSON.parse(text) as [{ files: { path: string }[] }];
  return files.map(({ path }) => path);
}

describe("the package", () => {
  it("contains the code that users run, its types, and the documentation that it names", () => {
    const files = packed();
    assert.ok(
      files.includes("out/bundle/index.js") && files.includes("out/index.d.ts") && files.includes("bin/svc.js"),
    );
    assert.deepEqual(
      files.filter((path) => !isOurs(path)),
      [],
    );
  });

  it("has build tools as peers without a range, so that npm install --omit=dev leaves them out (decision 107)", () => {
    const { peerDependencies, peerDependenciesMeta } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      peerDependencies: Record<string, string>;
      peerDependenciesMeta: Record<string, { optional: boolean }>;
    };
    for (const name of ["vite", "sharp"])
      assert.deepEqual([peerDependencies[name], peerDependenciesMeta[name]], [undefined, { optional: true }], name);
  });

  it("contains all files that svc new copies, and no build output of the starter", () => {
    const types = ["svc-routes.d.ts", "svc-graphs.d.ts"].map((name) => join(root, "starter", name));
    const built = join(root, "starter", "dist");
    const had = [...types, built].filter((path) => existsSync(path));
    mkdirSync(built, { recursive: true });
    writeFileSync(join(built, "planted.js"), "");
    for (const file of types) if (!had.includes(file)) writeFileSync(file, "");
    try {
      const starter = packed().flatMap((path) => (path.startsWith("starter/") ? [path.slice("starter/".length)] : []));
      assert.deepEqual(starter.sort(), STARTER);
    } finally {
      rmSync(join(built, "planted.js"));
      for (const path of [...types, built]) if (!had.includes(path)) rmSync(path, { recursive: true });
    }
  });

  it("fails the check if it contains a development folder", () => {
    const folder = join(root, "out", "planted");
    // Temporary folders of running tests, which the package excludes.
    const temporary = join(root, "out", `planted-${process.pid}`);
    for (const each of [folder, temporary]) mkdirSync(each);
    try {
      for (const each of [folder, temporary]) writeFileSync(join(each, "planted.js"), "");
      assert.deepEqual(
        packed().filter((path) => !isOurs(path)),
        ["out/planted/planted.js"],
      );
    } finally {
      for (const each of [folder, temporary]) rmSync(each, { recursive: true });
    }
  });
});
