import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { findProject, installedLicense, isSafePath } from "./installed.ts";
import type { LockedPackage } from "./types.ts";

const project = mkdtempSync(join(tmpdir(), "svc-demo-"));
after(() => rmSync(project, { recursive: true }));
mkdirSync(join(project, "node_modules/@x/a"), { recursive: true });
mkdirSync(join(project, "deep/er"), { recursive: true });
writeFileSync(join(project, "package-lock.json"), "{}");
writeFileSync(
  join(project, "node_modules/@x/a/package.json"),
  JSON.stringify({ name: "@x/a", version: "1.0.0", licenses: [{ type: "BSD-3-Clause" }] }),
);

const locked = (change: Partial<LockedPackage>): LockedPackage => ({
  path: "node_modules/@x/a",
  name: "@x/a",
  version: "1.0.0",
  license: null,
  dev: false,
  bundled: false,
  hasIntegrity: true,
  hasInstallScript: false,
  deprecated: null,
  source: "registry",
  versions: [],
  ...change,
});

describe("The licence of an installed package", () => {
  it("is read from its package.json", async () => {
    assert.equal(await installedLicense(project, locked({})), "BSD-3-Clause");
  });

  it("is null for a different version", async () => {
    assert.equal(await installedLicense(project, locked({ version: "1.0.1" })), null);
  });

  it("is null if the package is not installed", async () => {
    assert.equal(await installedLicense(project, locked({ path: "node_modules/b" })), null);
    assert.equal(await installedLicense(undefined, locked({})), null);
  });
});

describe("A path from a lockfile", () => {
  it("is safe if it points to a package below node_modules", () => {
    for (const path of ["node_modules/a", "node_modules/@x/a.b", "node_modules/a/node_modules/b"]) {
      assert.equal(isSafePath(path), true, path);
    }
  });

  it("is rejected if it could point elsewhere", () => {
    const paths = [
      "../node_modules/a",
      "node_modules/..",
      "node_modules/../x",
      "/node_modules/a",
      "node_modules/a/../../x",
    ];
    for (const path of [...paths, "node_modules/.bin", "node_modules/a\0", "node_modules//a", "node_modules\\a", ""]) {
      assert.equal(isSafePath(path), false, path);
    }
  });
});

describe("The project of the server", () => {
  it("is the nearest folder with a lockfile", () => {
    assert.equal(findProject(join(project, "deep/er")), project);
  });
});
