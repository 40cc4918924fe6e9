import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspectPackage } from "./inspect.ts";
import type { LockedPackage } from "./types.ts";

const clean: LockedPackage = {
  path: "node_modules/a",
  name: "a",
  version: "1.0.0",
  license: "MIT",
  dev: false,
  bundled: false,
  hasIntegrity: true,
  hasInstallScript: false,
  deprecated: null,
  source: "registry",
  versions: ["1.0.0"],
};
const kinds = (change: Partial<LockedPackage>): string[] =>
  inspectPackage({ ...clean, ...change }, null).findings.map((finding) => finding.kind);

describe("The inspection of a package", () => {
  it("finds nothing for a hashed, permissive package from a registry", () => assert.deepEqual(kinds({}), []));

  it("finds the problem of each field", () => {
    assert.deepEqual(kinds({ hasInstallScript: true }), ["install-script"]);
    assert.deepEqual(kinds({ hasIntegrity: false }), ["no-integrity"]);
    assert.deepEqual(kinds({ deprecated: "use b" }), ["deprecated"]);
    assert.deepEqual(kinds({ source: "insecure" }), ["insecure-source"]);
    assert.deepEqual(kinds({ source: "git", hasIntegrity: false }), ["git-source"]);
    assert.deepEqual(kinds({ license: "GPL-3.0" }), ["strong-copyleft"]);
    assert.deepEqual(kinds({ license: "MPL-2.0" }), ["weak-copyleft"]);
    assert.deepEqual(kinds({ license: null }), ["no-license"]);
    assert.deepEqual(kinds({ versions: ["1.0.0", "2.0.0"] }), ["duplicate"]);
  });

  it("requires no hash for bundled packages and project files", () => {
    assert.deepEqual(kinds({ bundled: true, hasIntegrity: false }), []);
    assert.deepEqual(kinds({ source: "file", hasIntegrity: false }), []);
  });

  it("puts the heaviest finding first", () => {
    assert.deepEqual(kinds({ versions: ["1.0.0", "2.0.0"], hasInstallScript: true, license: null }), [
      "install-script",
      "no-license",
      "duplicate",
    ]);
  });

  it("uses the installed licence only if the lockfile has none", () => {
    assert.equal(inspectPackage({ ...clean, license: null }, "ISC").license, "ISC");
    assert.equal(inspectPackage(clean, "ISC").license, "MIT");
  });

  it("truncates a long deprecation message", () => {
    const [finding] = inspectPackage({ ...clean, deprecated: "x".repeat(500) }, null).findings;
    assert.ok((finding?.message.length ?? 0) < 170);
  });
});
